//! Field and method descriptors (JVMS §4.3).

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

    /// Local variable or operand stack slots that a value takes: 2 for `long` and `double`, else 1.
    pub fn slots(&self) -> u16 {
        if matches!(self, FieldType::Long | FieldType::Double) { 2 } else { 1 }
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
    /// Types of the parameters; the receiver is not among them.
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
    let element = text.trim_start_matches('[');
    let dimensions = text.len() - element.len();
    if dimensions > MAX_DIMENSIONS {
        return None;
    }
    let (ty, rest) = match element.as_bytes().first()? {
        b'B' => (FieldType::Byte, &element[1..]),
        b'C' => (FieldType::Char, &element[1..]),
        b'D' => (FieldType::Double, &element[1..]),
        b'F' => (FieldType::Float, &element[1..]),
        b'I' => (FieldType::Int, &element[1..]),
        b'J' => (FieldType::Long, &element[1..]),
        b'S' => (FieldType::Short, &element[1..]),
        b'Z' => (FieldType::Boolean, &element[1..]),
        b'L' => {
            let (name, rest) = element[1..].split_once(';')?;
            let is_name = !name.is_empty() && !name.contains(['.', '[', '(', ')']);
            (is_name.then(|| FieldType::Object(name.into()))?, rest)
        }
        _ => return None,
    };
    Some(((0..dimensions).fold(ty, |ty, _| FieldType::Array(Box::new(ty))), rest))
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

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "[()BCDFIJSZVL;/a\\[]{0,12}") {
            if let Some(parsed) = MethodDescriptor::parse(&text) {
                prop_assert_eq!(parsed.to_string(), text.clone());
            }
            if let Some(parsed) = FieldType::parse(&text) {
                prop_assert_eq!(parsed.to_string(), text);
            }
        }
    }
}
