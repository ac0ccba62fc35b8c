//! Kinds of values, and the descriptors that name them.

use cupping_classfile::{ArrayElement, descriptor};

/// The representation of a value on the stack and in arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// A reference.
    Reference,
    /// No value.
    Void,
}

impl Kind {
    /// The kind of the field descriptor that starts with this byte.
    pub fn of_descriptor(first: u8) -> Kind {
        match first {
            b'Z' => Kind::Boolean,
            b'B' => Kind::Byte,
            b'C' => Kind::Char,
            b'S' => Kind::Short,
            b'I' => Kind::Int,
            b'J' => Kind::Long,
            b'F' => Kind::Float,
            b'D' => Kind::Double,
            b'V' => Kind::Void,
            _ => Kind::Reference,
        }
    }

    /// Stack slots: 2 for long and double (JVMS §2.6.2), 0 for void, else 1.
    pub fn slots(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            Kind::Void => 0,
            _ => 1,
        }
    }

    /// Bytes an element takes in an array.
    pub fn array_bytes(self) -> u32 {
        match self {
            Kind::Boolean | Kind::Byte => 1,
            Kind::Char | Kind::Short => 2,
            Kind::Int | Kind::Float => 4,
            _ => 8,
        }
    }

    /// `value` (a stack slot) truncated to this kind and widened to a slot again, as a store does.
    #[inline]
    pub fn narrow(self, value: u64) -> u64 {
        match self {
            Kind::Boolean => value & 1,
            Kind::Byte => value as i8 as i32 as u32 as u64,
            Kind::Char => value as u16 as u64,
            Kind::Short => value as i16 as i32 as u32 as u64,
            _ => value,
        }
    }

    /// The descriptor's letter; `L` for references.
    pub fn letter(self) -> char {
        match self {
            Kind::Boolean => 'Z',
            Kind::Byte => 'B',
            Kind::Char => 'C',
            Kind::Short => 'S',
            Kind::Int => 'I',
            Kind::Long => 'J',
            Kind::Float => 'F',
            Kind::Double => 'D',
            Kind::Reference => 'L',
            Kind::Void => 'V',
        }
    }
}

/// The keyword of a primitive type by its descriptor letter.
pub fn primitive_name(letter: u8) -> &'static str {
    match letter {
        b'Z' => "boolean",
        b'B' => "byte",
        b'C' => "char",
        b'S' => "short",
        b'I' => "int",
        b'J' => "long",
        b'F' => "float",
        b'D' => "double",
        _ => "void",
    }
}

impl From<ArrayElement> for Kind {
    fn from(element: ArrayElement) -> Kind {
        match element {
            ArrayElement::Int => Kind::Int,
            ArrayElement::Long => Kind::Long,
            ArrayElement::Float => Kind::Float,
            ArrayElement::Double => Kind::Double,
            ArrayElement::Reference => Kind::Reference,
            ArrayElement::Byte => Kind::Byte,
            ArrayElement::Char => Kind::Char,
            ArrayElement::Short => Kind::Short,
        }
    }
}

/// Kinds of the parameters and of the result of a method descriptor.
pub fn parse_kinds(descriptor: &str) -> Option<(Box<[Kind]>, Kind)> {
    let kind = |descriptor: &str| Some(Kind::of_descriptor(*descriptor.as_bytes().first()?));
    let mut all = descriptor::parameters(descriptor)?;
    let mut parameters = Vec::new();
    for parameter in all.by_ref() {
        parameters.push(kind(parameter?)?);
    }
    Some((parameters.into(), kind(all.result()?)?))
}
