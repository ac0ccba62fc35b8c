//! Abstract objects (paper §6.1.1): the part of the arguments on which a call depends, without addresses, so that
//! another run can be compared with it.
//!
//! If the fields and array elements that a call read are known, only those count. The JDK's collections are ordinary
//! objects, but steps within them do not count towards the depth, and the length of their internal arrays is
//! ignored: only the elements are compared.

use crate::dependence::Reads;
use crate::difference::Difference;
use cupping_classfile::{FieldType, descriptor};
use cupping_machine::{Addr, ClassKind, FieldKeys, Kind, Machine};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Limit on the array elements compared.
const MOST_ELEMENTS: u32 = 64;
/// Limit on the characters of a string that are shown.
const SHOWN: usize = 60;

/// A value without its identity.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `null`.
    Null,
    /// A primitive value.
    Bits(Kind, u64),
    /// A string.
    Text(Vec<u16>),
    /// An object: its class and its relevant fields by name.
    Object(Arc<str>, Vec<(Arc<str>, Shape)>),
    /// An array: its class, its length and its first elements.
    Array(Arc<str>, u32, Vec<Shape>),
    /// An array of which certain elements were read: its class, its length if relevant, and the elements by
    /// index.
    Elements(Arc<str>, Option<u32>, Vec<(u32, Shape)>),
    /// An object that was used but not inspected: its class.
    Some(Arc<str>),
    /// Any value.
    Any,
}

/// The shape of a value, down to a depth. With `reads`, only what was read counts; without, JDK objects other
/// than strings and boxes are not inspected.
pub(crate) fn shape_of(
    machine: &Machine,
    kind: Kind,
    bits: u64,
    depth: usize,
    reads: Option<&Reads>,
) -> Shape {
    ShapeBuilder { machine, reads, path: Vec::new(), left: MOST_PARTS }.at(kind, bits, depth, false)
}

/// Limit on the parts of one shape.
const MOST_PARTS: usize = 2_000;
/// Limit on the steps between objects, including those within JDK classes.
const MOST_STEPS: usize = 48;

struct ShapeBuilder<'m> {
    machine: &'m Machine,
    reads: Option<&'m Reads>,
    /// The enclosing objects: a reference back to one of them must end the descent.
    path: Vec<Addr>,
    left: usize,
}

impl ShapeBuilder<'_> {
    /// The shape of a value; `in_jdk` says that the containing object is the JDK's.
    fn at(&mut self, kind: Kind, bits: u64, depth: usize, in_jdk: bool) -> Shape {
        if kind != Kind::Reference {
            return Shape::Bits(kind, bits);
        }
        let object = bits as Addr;
        if object == 0 {
            return Shape::Null;
        }
        let class = self.machine.class(self.machine.class_of(object));
        if &*class.name == "java/lang/String" {
            return Shape::Text(self.machine.string_units(object));
        }
        if self.left == 0 || self.path.len() >= MOST_STEPS || self.path.contains(&object) {
            return Shape::Any;
        }
        self.left -= 1;
        self.path.push(object);
        let shape = match class.kind {
            ClassKind::Array { kind, .. } => self.array(object, kind, depth, in_jdk),
            _ => self.object(object, depth),
        };
        self.path.pop();
        shape
    }

    fn array(&mut self, array: Addr, kind: Kind, depth: usize, in_jdk: bool) -> Shape {
        let machine = self.machine;
        let name = machine.class_name_of(array);
        let (class, length) = (Arc::from(name), machine.array_length(array));
        let inner = if in_jdk { depth } else { depth.saturating_sub(1) };
        match self.reads {
            // An argument array is compared as a whole; an inner one may be long, so only the elements read
            // count.
            Some(reads) if self.path.len() > 1 => {
                let read: Vec<u32> =
                    reads.elements(array, length).into_iter().take(MOST_ELEMENTS as usize).collect();
                let read = if depth == 0 && !in_jdk { Vec::new() } else { read };
                let element = |at: u32| (at, self.at(kind, machine.element(array, at, kind), inner, in_jdk));
                let read = read.into_iter().map(element).collect();
                Shape::Elements(class, Some(length).filter(|_| !in_jdk), read)
            }
            _ => {
                let shown = if depth == 0 { 0 } else { length.min(MOST_ELEMENTS) };
                let element = |at| self.at(kind, machine.element(array, at, kind), inner, in_jdk);
                Shape::Array(class, length, (0..shown).map(element).collect())
            }
        }
    }

    fn object(&mut self, object: Addr, depth: usize) -> Shape {
        let machine = self.machine;
        let id = machine.class_of(object);
        let name = machine.class(id).name.clone();
        if &*name == "java/lang/Class" {
            return Shape::Some(name);
        }
        let is_box = is_box(&name);
        if depth == 0 && !machine.class(id).from_jdk {
            return Shape::Some(name);
        }
        let mut fields = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            let class = machine.class(id);
            at = class.super_class;
            let is_enum = &*class.name == "java/lang/Enum";
            if self.reads.is_none() && class.from_jdk && !is_box && !is_enum {
                continue;
            }
            let inner = if class.from_jdk { depth } else { depth.saturating_sub(1) };
            for field in class.fields.iter().filter(|field| !field.is_static()) {
                let key = FieldKeys::new(&class.name, &field.name).of_object;
                let matters = match (&*field.name, self.reads) {
                    (name, _) if is_box => name == "value",
                    (name, _) if is_enum => name == "name",
                    (name, _) if class.from_jdk && NO_CONTENT.contains(&name) => false,
                    (_, Some(reads)) => reads.has_field(object, key),
                    (_, None) => true,
                };
                if matters {
                    let bits = machine.field(object, field.offset as u32);
                    fields.push((field.name.clone(), self.at(field.kind, bits, inner, class.from_jdk)));
                }
            }
        }
        if fields.is_empty() { Shape::Some(name) } else { Shape::Object(name, fields) }
    }
}

/// JDK fields that are not content: modification counts and cached results.
const NO_CONTENT: [&str; 8] =
    ["modCount", "expectedModCount", "hash", "hashIsZero", "threshold", "entrySet", "keySet", "values"];

fn is_box(class: &str) -> bool {
    matches!(
        class,
        "java/lang/Integer"
            | "java/lang/Long"
            | "java/lang/Short"
            | "java/lang/Byte"
            | "java/lang/Character"
            | "java/lang/Boolean"
            | "java/lang/Double"
            | "java/lang/Float"
    )
}

impl Shape {
    /// Whether a value has this shape.
    pub(crate) fn fits(&self, machine: &Machine, bits: u64) -> bool {
        let object = bits as Addr;
        let is_of = |class: &str| object != 0 && machine.class_name_of(object) == class;
        match self {
            Shape::Any => true,
            Shape::Null => object == 0,
            Shape::Bits(_, expected) => *expected == bits,
            Shape::Some(class) => is_of(class),
            Shape::Text(units) => is_of("java/lang/String") && machine.string_units(object) == *units,
            Shape::Array(class, length, elements) => {
                let element =
                    |at: u32| machine.element(object, at, machine.element_kind(machine.class_of(object)));
                is_of(class)
                    && machine.array_length(object) == *length
                    && (0..).zip(elements).all(|(at, shape)| shape.fits(machine, element(at)))
            }
            Shape::Elements(class, length, elements) => {
                is_of(class)
                    && length.is_none_or(|it| machine.array_length(object) == it)
                    && elements.iter().all(|(at, shape)| {
                        let kind = machine.element_kind(machine.class_of(object));
                        *at < machine.array_length(object)
                            && shape.fits(machine, machine.element(object, *at, kind))
                    })
            }
            Shape::Object(class, fields) => {
                is_of(class)
                    && fields.iter().all(|(name, shape)| {
                        machine
                            .field_offset(machine.class_of(object), name)
                            .is_some_and(|offset| shape.fits(machine, machine.field(object, offset)))
                    })
            }
        }
    }

    /// The first part of a value that does not have this shape; `place` is where the value is.
    pub(crate) fn difference(&self, machine: &Machine, bits: u64, place: String) -> Option<Difference> {
        if self.fits(machine, bits) {
            return None;
        }
        if let Shape::Object(class, fields) = self
            && bits != 0
            && machine.class_name_of(bits as Addr) == &**class
        {
            let id = machine.class_of(bits as Addr);
            let inner = fields.iter().find_map(|(name, shape)| {
                let bits = machine.field(bits as Addr, machine.field_offset(id, name)?);
                shape.difference(machine, bits, format!("{place}.{name}"))
            });
            if inner.is_some() {
                return inner;
            }
        }
        let kind = if let Shape::Bits(kind, _) = self { *kind } else { Kind::Reference };
        let present = shape_of(machine, kind, bits, 1, None).to_string();
        Some(Difference { place, expected: self.to_string(), present })
    }

    /// The number, if the shape is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Shape::Bits(kind, bits) => number(*kind, *bits),
            _ => None,
        }
    }

    /// The shape without these top-level fields, which the condition itself checks.
    pub(crate) fn without(self, names: &[String]) -> Shape {
        match self {
            Shape::Object(class, fields) => {
                let kept =
                    fields.into_iter().filter(|(name, _)| !names.iter().any(|it| **it == **name)).collect();
                Shape::Object(class, kept)
            }
            other => other,
        }
    }
}

/// A primitive number as a `double`.
pub(crate) fn number(kind: Kind, bits: u64) -> Option<f64> {
    Some(match kind {
        Kind::Byte | Kind::Short | Kind::Int => bits as u32 as i32 as f64,
        Kind::Char => bits as u16 as f64,
        Kind::Long => bits as i64 as f64,
        Kind::Float => f32::from_bits(bits as u32) as f64,
        Kind::Double => f64::from_bits(bits),
        _ => return None,
    })
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let simple = |class: &str| match class.contains("$$Lambda") {
            true => "lambda".to_owned(),
            false => class.rsplit(['/', '$']).next().unwrap_or(class).to_owned(),
        };
        let of_elements = |class: &str| match FieldType::parse(descriptor::element(class).0) {
            Some(FieldType::Object(name)) => simple(&name),
            element => element.map_or_else(|| class.to_owned(), |it| it.java_name()),
        };
        match self {
            Shape::Any => f.write_str("any"),
            Shape::Null => f.write_str("null"),
            Shape::Bits(kind, bits) => match kind {
                Kind::Boolean => write!(f, "{}", *bits != 0),
                Kind::Char => write!(f, "{:?}", char::from_u32(*bits as u32).unwrap_or('\u{fffd}')),
                Kind::Long => write!(f, "{}L", *bits as i64),
                Kind::Float => write!(f, "{:?}f", f32::from_bits(*bits as u32)),
                Kind::Double => write!(f, "{:?}", f64::from_bits(*bits)),
                Kind::Void => f.write_str("nothing"),
                _ => write!(f, "{}", *bits as u32 as i32),
            },
            Shape::Text(units) => {
                let text = String::from_utf16_lossy(units);
                let cut: String = text.chars().take(SHOWN).collect();
                write!(f, "{cut:?}{}", if cut.len() < text.len() { "…" } else { "" })
            }
            Shape::Some(class) => f.write_str(&simple(class)),
            Shape::Array(class, length, elements) => {
                let shown: Vec<String> = elements.iter().take(12).map(ToString::to_string).collect();
                let more = if *length as usize > shown.len() { ", …" } else { "" };
                write!(f, "{}[{}{more}]", of_elements(class), shown.join(", "))
            }
            Shape::Elements(class, length, elements) => {
                let shown: Vec<String> =
                    elements.iter().take(12).map(|(at, shape)| format!("{at}: {shape}")).collect();
                let length = length.map_or(String::new(), |it| format!("{it}; "));
                write!(f, "{}[{length}{}]", of_elements(class), shown.join(", "))
            }
            Shape::Object(class, fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, shape)| format!("{name}={shape}")).collect();
                write!(f, "{}{{{}}}", simple(class), fields.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i32) -> Shape {
        Shape::Bits(Kind::Int, u64::from(value as u32))
    }

    #[test]
    fn values_are_shown_as_java_writes_them() {
        let bits = |kind, bits| Shape::Bits(kind, bits).to_string();
        assert_eq!(int(-1).to_string(), "-1");
        assert_eq!(bits(Kind::Byte, u64::from(-3_i32 as u32)), "-3");
        assert_eq!(bits(Kind::Long, u64::MAX), "-1L");
        assert_eq!(bits(Kind::Boolean, 1), "true");
        assert_eq!(bits(Kind::Char, 10), "'\\n'");
        assert_eq!(bits(Kind::Char, 0xd800), "'\u{fffd}'", "half of a pair is no character");
        assert_eq!(bits(Kind::Float, u64::from(0.5_f32.to_bits())), "0.5f");
        assert_eq!(bits(Kind::Double, (-0.0_f64).to_bits()), "-0.0");
    }

    #[test]
    fn texts_and_arrays_are_cut() {
        let text = |length| Shape::Text("é".repeat(length).encode_utf16().collect()).to_string();
        assert_eq!(text(SHOWN), format!("\"{}\"", "é".repeat(SHOWN)));
        assert_eq!(text(SHOWN + 1), format!("\"{}\"…", "é".repeat(SHOWN)));
        let array = |class: &str, length, shown| {
            Shape::Array(class.into(), length, (0..shown).map(int).collect()).to_string()
        };
        assert_eq!(array("[I", 2, 2), "int[0, 1]");
        assert_eq!(array("[I", 3, 2), "int[0, 1, …]");
        assert_eq!(array("[I", 0, 0), "int[]");
        assert_eq!(array("[I", 13, 13), "int[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …]");
        // The classes of elements, also where there is no package.
        assert_eq!(array("[[La/b/C$D;", 0, 0), "D[]");
        assert_eq!(array("[LLid;", 0, 0), "Lid[]");
        let elements = |length| Shape::Elements("[J".into(), length, vec![(7, int(1))]).to_string();
        assert_eq!((elements(Some(9)).as_str(), elements(None).as_str()), ("long[9; 7: 1]", "long[7: 1]"));
    }

    #[test]
    fn objects_are_shown_with_their_fields() {
        let fields = vec![("size".into(), int(2)), ("next".into(), Shape::Some("a/Map$Entry".into()))];
        let object = Shape::Object("a/Map".into(), fields);
        assert_eq!(object.to_string(), "Map{size=2, next=Entry}");
        assert_eq!(object.clone().without(&["size".into(), "other".into()]).to_string(), "Map{next=Entry}");
        assert_eq!(int(1).without(&["size".into()]), int(1));
        assert_eq!(Shape::Some("a/B$$Lambda/0x1".into()).to_string(), "lambda");
    }

    #[test]
    fn numbers_are_read_by_their_kind() {
        assert_eq!(number(Kind::Int, 0xffff_ffff), Some(-1.0));
        assert_eq!(number(Kind::Char, 0xffff), Some(65_535.0));
        assert_eq!(number(Kind::Long, u64::MAX), Some(-1.0));
        assert_eq!(number(Kind::Float, u64::from(1.5_f32.to_bits())), Some(1.5));
        assert_eq!((number(Kind::Boolean, 1), number(Kind::Reference, 8)), (None, None));
    }
}
