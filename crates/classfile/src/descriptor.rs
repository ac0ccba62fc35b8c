//! Field and method descriptors (JVMS §4.3): the only place that parses them.
//!
//! [`FieldType`] and [`MethodDescriptor`] are trees, checked completely. The functions [`split`], [`parameters`],
//! [`result`] and [`argument_slots`] work on the text, without copies, for code that runs often.

use crate::opcode::StackType;
use std::fmt;

/// The type of a field, parameter or element.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldType {
    /// `B`
    Byte,
    /// `C`
    Char,
    /// `D`
    Double,
    /// `F`
    Float,
    /// `I`
    Int,
    /// `J`
    Long,
    /// `S`
    Short,
    /// `Z`
    Boolean,
    /// `L…;`: a class or interface by internal name.
    Object(Box<str>),
    /// `[…`: an array and the type of its elements.
    Array(Box<FieldType>),
}

impl FieldType {
    /// The type of a whole field descriptor, or `None` if it is malformed.
    pub fn parse(descriptor: &str) -> Option<FieldType> {
        let (ty, rest) = field_type(descriptor)?;
        rest.is_empty().then_some(ty)
    }

    /// The type of its values on the operand stack.
    pub fn stack_type(&self) -> StackType {
        match self {
            FieldType::Long => StackType::Long,
            FieldType::Float => StackType::Float,
            FieldType::Double => StackType::Double,
            FieldType::Object(_) | FieldType::Array(_) => StackType::Reference,
            _ => StackType::Int,
        }
    }

    /// Local variable or operand stack slots that a value takes: 2 for `long` and `double`, else 1.
    pub fn slots(&self) -> u16 {
        self.stack_type().slots()
    }

    /// Its name in Java's source, with dots: `int`, `java.util.Map$Entry`, `byte[][]`.
    pub fn java_name(&self) -> String {
        match self {
            FieldType::Byte => "byte".into(),
            FieldType::Char => "char".into(),
            FieldType::Double => "double".into(),
            FieldType::Float => "float".into(),
            FieldType::Int => "int".into(),
            FieldType::Long => "long".into(),
            FieldType::Short => "short".into(),
            FieldType::Boolean => "boolean".into(),
            FieldType::Object(name) => name.replace('/', "."),
            FieldType::Array(element) => element.java_name() + "[]",
        }
    }

    /// Whether values are references.
    pub fn is_reference(&self) -> bool {
        matches!(self, FieldType::Object(_) | FieldType::Array(_))
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldType::Byte => f.write_str("B"),
            FieldType::Char => f.write_str("C"),
            FieldType::Double => f.write_str("D"),
            FieldType::Float => f.write_str("F"),
            FieldType::Int => f.write_str("I"),
            FieldType::Long => f.write_str("J"),
            FieldType::Short => f.write_str("S"),
            FieldType::Boolean => f.write_str("Z"),
            FieldType::Object(name) => write!(f, "L{name};"),
            FieldType::Array(element) => write!(f, "[{element}"),
        }
    }
}

/// Parameters and result of a method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodDescriptor {
    /// Types of the parameters, without the receiver.
    pub parameters: Box<[FieldType]>,
    /// Type of the result; `None` for `void`.
    pub result: Option<FieldType>,
}

impl MethodDescriptor {
    /// The parts of a method descriptor, or `None` if it is malformed.
    pub fn parse(descriptor: &str) -> Option<MethodDescriptor> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let (ty, behind) = field_type(rest)?;
            parameters.push(ty);
            rest = behind;
        }
        let result = match &rest[1..] {
            "V" => None,
            result => Some(FieldType::parse(result)?),
        };
        Some(MethodDescriptor { parameters: parameters.into(), result })
    }

    /// Slots that the arguments take, without the receiver.
    pub fn parameter_slots(&self) -> u16 {
        self.parameters.iter().map(FieldType::slots).fold(0, u16::saturating_add)
    }
}

impl fmt::Display for MethodDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for parameter in &self.parameters {
            write!(f, "{parameter}")?;
        }
        match &self.result {
            None => f.write_str(")V"),
            Some(result) => write!(f, "){result}"),
        }
    }
}

/// Greatest number of dimensions of an array type (JVMS §4.3.2).
const MAX_DIMENSIONS: usize = 255;

/// The type at the beginning of `text`, and what follows it.
fn field_type(text: &str) -> Option<(FieldType, &str)> {
    let (descriptor, rest) = split(text)?;
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let ty = match element.as_bytes()[0] {
        b'B' => FieldType::Byte,
        b'C' => FieldType::Char,
        b'D' => FieldType::Double,
        b'F' => FieldType::Float,
        b'I' => FieldType::Int,
        b'J' => FieldType::Long,
        b'S' => FieldType::Short,
        b'Z' => FieldType::Boolean,
        _ => {
            let name = class_name(element).filter(|name| !name.contains(['.', '[', '(', ')']))?;
            FieldType::Object(name.into())
        }
    };
    Some(((0..dimensions).fold(ty, |ty, _| FieldType::Array(Box::new(ty))), rest))
}

/// The field descriptor at the beginning of `text`, and what follows it. Unlike [`FieldType::parse`] it
/// neither copies nor looks at the characters of class names.
pub fn split(text: &str) -> Option<(&str, &str)> {
    let dimensions = text.len() - text.trim_start_matches('[').len();
    if dimensions > MAX_DIMENSIONS {
        return None;
    }
    let element = &text[dimensions..];
    let length = match element.as_bytes().first()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => 1,
        b'L' => element.find(';').filter(|end| *end > 1)? + 1,
        _ => return None,
    };
    Some(text.split_at(dimensions + length))
}

/// The descriptors of the parameters of a method descriptor; `None` if it has no parameter list.
pub fn parameters(descriptor: &str) -> Option<Parameters<'_>> {
    Some(Parameters { rest: descriptor.strip_prefix('(')? })
}

/// The iterator of [`parameters`]. If the descriptor is malformed, the last item is `None`.
#[derive(Clone, Debug)]
pub struct Parameters<'a> {
    rest: &'a str,
}

impl<'a> Parameters<'a> {
    /// The descriptor of the result, once all parameters have been taken.
    pub fn result(&self) -> Option<&'a str> {
        self.rest.strip_prefix(')').filter(|result| !result.is_empty())
    }
}

impl<'a> Iterator for Parameters<'a> {
    type Item = Option<&'a str>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.starts_with(')') {
            return None;
        }
        let Some((parameter, rest)) = split(self.rest) else {
            // Neither a parameter nor a result follows.
            self.rest = ")";
            return Some(None);
        };
        self.rest = rest;
        Some(Some(parameter))
    }
}

/// The descriptor of the result of a method descriptor, which may be `V`; `None` if it is malformed.
pub fn result(descriptor: &str) -> Option<&str> {
    let mut parameters = parameters(descriptor)?;
    for parameter in parameters.by_ref() {
        parameter?;
    }
    parameters.result()
}

/// Slots that the arguments of a method descriptor take, without the receiver; `None` if it is malformed.
pub fn argument_slots(descriptor: &str) -> Option<u16> {
    parameters(descriptor)?
        .try_fold(0_u16, |sum, parameter| sum.checked_add(StackType::of_descriptor(parameter?)?.slots()))
}

/// The internal name of the class that a descriptor such as `Ljava/lang/String;` names; `None` for primitive types and
/// arrays.
pub fn class_name(descriptor: &str) -> Option<&str> {
    descriptor.strip_prefix('L')?.strip_suffix(';')
}

/// The element type of an array type of any number of dimensions, and that number; another type is its own element.
pub fn element(descriptor: &str) -> (&str, usize) {
    let element = descriptor.trim_start_matches('[');
    (element, descriptor.len() - element.len())
}

/// The internal name of the class that a descriptor names, or whose arrays it names; `None` for primitive types and
/// their arrays.
pub fn element_class(descriptor: &str) -> Option<&str> {
    class_name(element(descriptor).0)
}

/// The classes in the descriptor of a field or method, in order, up to the position where it is malformed.
pub fn classes(descriptor: &str) -> impl Iterator<Item = &str> {
    let mut rest = descriptor;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(['(', ')', 'V']);
            let (part, behind) = split(rest)?;
            rest = behind;
            if let Some(name) = element_class(part) {
                return Some(name);
            }
        }
    })
}

/// The descriptor of a class by its internal name; arrays, whose names are descriptors, stay as they are.
pub fn of_class(name: &str) -> String {
    if name.starts_with('[') { name.to_owned() } else { format!("L{name};") }
}

/// The element type that the operand of `newarray` encodes (JVMS table 6.5.newarray-A); `None` for other numbers.
pub fn primitive_element(code: u8) -> Option<FieldType> {
    Some(match code {
        4 => FieldType::Boolean,
        5 => FieldType::Char,
        6 => FieldType::Float,
        7 => FieldType::Double,
        8 => FieldType::Byte,
        9 => FieldType::Short,
        10 => FieldType::Int,
        11 => FieldType::Long,
        _ => return None,
    })
}

impl StackType {
    /// The operand-stack type of values of a field descriptor; `None` if that is malformed or `V`. Only inspects the
    /// first character.
    pub fn of_descriptor(descriptor: &str) -> Option<StackType> {
        Some(match descriptor.as_bytes().first()? {
            b'B' | b'C' | b'I' | b'S' | b'Z' => StackType::Int,
            b'J' => StackType::Long,
            b'F' => StackType::Float,
            b'D' => StackType::Double,
            b'L' | b'[' => StackType::Reference,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slots_count_long_and_double_twice() {
        let cases = [("()V", 0), ("(I)V", 1), ("(JD[J)I", 5), ("(Ljava/lang/String;J)[[I", 3)];
        for (descriptor, slots) in cases {
            let parsed = MethodDescriptor::parse(descriptor).unwrap();
            assert_eq!(parsed.parameter_slots(), slots, "{descriptor}");
            assert_eq!(parsed.to_string(), descriptor);
        }
    }

    #[test]
    fn malformed_descriptors_are_refused() {
        for text in ["", "(", ")", "()", "()VV", "(V)V", "([)V", "(L;)V", "(Lx)V", "I", "(I)Q", "(Lé", "()é"]
        {
            assert_eq!(MethodDescriptor::parse(text), None, "{text}");
        }
        for text in ["", "V", "[", "[V", "L", "II", "La.b;", "é", &("[".repeat(256) + "I")] {
            assert_eq!(FieldType::parse(text), None, "{text}");
        }
    }

    #[test]
    fn text_is_taken_apart_without_copies() {
        let descriptor = "([[ILjava/lang/String;DZ)[J";
        let all: Vec<_> = parameters(descriptor).unwrap().collect();
        assert_eq!(all, [Some("[[I"), Some("Ljava/lang/String;"), Some("D"), Some("Z")]);
        assert_eq!((result(descriptor), argument_slots(descriptor)), (Some("[J"), Some(5)));
        assert_eq!(parameters("(IQ)V").unwrap().collect::<Vec<_>>(), [Some("I"), None]);
        assert_eq!((parameters("I").is_none(), result("(I"), argument_slots("(J")), (true, None, None));
        assert_eq!(class_name("La/B;"), Some("a/B"));
        assert_eq!(class_name("[La/B;"), None);
        assert_eq!((of_class("a/B"), of_class("[I")), ("La/B;".into(), "[I".into()));
    }

    #[test]
    fn descriptors_name_classes() {
        let of = |text| classes(text).collect::<Vec<_>>();
        assert_eq!(of("(ILshop/Till;[[Lshop/LittleCoin;J)LLid;"), ["shop/Till", "shop/LittleCoin", "Lid"]);
        assert_eq!(of("[Lshop/Void;"), ["shop/Void"]);
        assert_eq!(of("([J)V"), [""; 0]);
        assert_eq!(of("(La/B;Q)La/C;"), ["a/B"]);
        assert_eq!(element("[[J"), ("J", 2));
        assert_eq!((element_class("[[La/B;"), element_class("La/B;")), (Some("a/B"), Some("a/B")));
        assert_eq!((element_class("[I"), element_class("V")), (None, None));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "[()BCDFIJSZVL;/a\\[]{0,12}") {
            if let Some(parsed) = MethodDescriptor::parse(&text) {
                prop_assert_eq!(parsed.to_string(), text.clone());
                prop_assert_eq!(argument_slots(&text), Some(parsed.parameter_slots()));
                let parts = parameters(&text).unwrap().map(|part| FieldType::parse(part.unwrap()).unwrap());
                prop_assert_eq!(parts.collect::<Box<[_]>>(), parsed.parameters);
            }
            if let Some(parsed) = FieldType::parse(&text) {
                prop_assert_eq!(parsed.to_string(), text);
            }
        }
    }
}
