//! Parameters of invokables.

use cupping_case::JavaType;
use cupping_classfile::GenericType;
use cupping_machine::Kind;

/// A parameter of an invokable.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its kind.
    pub kind: Kind,
    /// Its declared type.
    pub ty: JavaType,
    /// Its name, from the class file if available.
    pub name: String,
    /// Whether it is the enclosing instance in the constructor of an inner class.
    pub is_outer: bool,
    /// Its generic type, if it has type arguments.
    pub generic: Option<GenericType>,
}

impl Parameter {
    /// The object that a method of a class, given by its internal name, is called on. Tests name it by its type.
    pub fn receiver(class: &str) -> Parameter {
        let ty = JavaType::class(class);
        Parameter { kind: Kind::Reference, ty, name: "arg0".into(), is_outer: false, generic: None }
    }
}

/// The kind of a type.
pub fn kind_of(ty: &JavaType) -> Kind {
    Kind::of_descriptor(ty.descriptor().as_bytes()[0])
}
