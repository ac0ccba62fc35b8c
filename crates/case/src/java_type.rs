//! Java types, with conversions from descriptors and to source.

use cupping_classfile::{FieldType, MethodDescriptor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A Java type as in a descriptor (JVMS §4.3). Generic types are erased.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum JavaType {
    /// `void`; only as a method's result.
    Void,
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
    /// A class or interface by its internal name, such as `java/util/Map$Entry`.
    Class(Box<str>),
    /// An array with its element type.
    Array(Box<JavaType>),
}

impl JavaType {
    /// The type of a field descriptor such as `[Ljava/lang/String;`; `None` if it is malformed.
    pub fn parse(descriptor: &str) -> Option<JavaType> {
        FieldType::parse(descriptor).map(JavaType::from)
    }

    /// The class with this internal name.
    pub fn class(internal_name: &str) -> JavaType {
        JavaType::Class(internal_name.into())
    }

    /// Whether values of this type are references (a class, an interface or an array).
    pub fn is_reference(&self) -> bool {
        matches!(self, JavaType::Class(_) | JavaType::Array(_))
    }

    /// The class that it names, of the elements if it is an array.
    pub fn named_class(&self) -> Option<&str> {
        match self {
            JavaType::Class(name) => Some(name),
            JavaType::Array(element) => element.named_class(),
            _ => None,
        }
    }

    /// Whether this is `java.lang.String`.
    pub fn is_string(&self) -> bool {
        matches!(self, JavaType::Class(name) if &**name == "java/lang/String")
    }

    /// The descriptor, such as `I` or `Ljava/lang/String;`.
    pub fn descriptor(&self) -> String {
        match self {
            JavaType::Void => "V".into(),
            JavaType::Boolean => "Z".into(),
            JavaType::Byte => "B".into(),
            JavaType::Char => "C".into(),
            JavaType::Short => "S".into(),
            JavaType::Int => "I".into(),
            JavaType::Long => "J".into(),
            JavaType::Float => "F".into(),
            JavaType::Double => "D".into(),
            JavaType::Class(name) => format!("L{name};"),
            JavaType::Array(element) => format!("[{}", element.descriptor()),
        }
    }
}

/// Prints the type by its binary name with dots: `int`, `java.util.Map$Entry`, `byte[][]`.
impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JavaType::Void => f.write_str("void"),
            JavaType::Boolean => f.write_str("boolean"),
            JavaType::Byte => f.write_str("byte"),
            JavaType::Char => f.write_str("char"),
            JavaType::Short => f.write_str("short"),
            JavaType::Int => f.write_str("int"),
            JavaType::Long => f.write_str("long"),
            JavaType::Float => f.write_str("float"),
            JavaType::Double => f.write_str("double"),
            JavaType::Class(name) => f.write_str(&name.replace('/', ".")),
            JavaType::Array(element) => write!(f, "{element}[]"),
        }
    }
}

/// The parameter types and result type of a method descriptor such as `(IJ)V`; `None` if it is malformed.
pub fn parse_method_descriptor(descriptor: &str) -> Option<(Vec<JavaType>, JavaType)> {
    let parsed = MethodDescriptor::parse(descriptor)?;
    let parameters = parsed.parameters.into_iter().map(JavaType::from).collect();
    Some((parameters, parsed.result.map_or(JavaType::Void, JavaType::from)))
}

impl From<FieldType> for JavaType {
    fn from(ty: FieldType) -> JavaType {
        match ty {
            FieldType::Boolean => JavaType::Boolean,
            FieldType::Byte => JavaType::Byte,
            FieldType::Char => JavaType::Char,
            FieldType::Short => JavaType::Short,
            FieldType::Int => JavaType::Int,
            FieldType::Long => JavaType::Long,
            FieldType::Float => JavaType::Float,
            FieldType::Double => JavaType::Double,
            FieldType::Object(name) => JavaType::Class(name),
            FieldType::Array(element) => JavaType::Array(Box::new(JavaType::from(*element))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_read_and_print() {
        let (parameters, result) = parse_method_descriptor("(I[[Ljava/util/Map$Entry;J)V").unwrap();
        let names: Vec<String> = parameters.iter().map(JavaType::to_string).collect();
        assert_eq!(names, ["int", "java.util.Map$Entry[][]", "long"]);
        assert_eq!(result, JavaType::Void);
        assert_eq!(parameters[1].descriptor(), "[[Ljava/util/Map$Entry;");
    }

    #[test]
    fn malformed_type_descriptors_are_refused() {
        for bad in ["", "I", "(", "(I", "(Q)V", "(L)V", "(Ljava/lang/String)V", "()", "()VV", "()é"] {
            assert_eq!(parse_method_descriptor(bad), None, "{bad}");
        }
    }
}
