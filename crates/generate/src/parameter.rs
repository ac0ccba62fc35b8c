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

/// The kind of a type.
pub fn kind_of(ty: &JavaType) -> Kind {
    Kind::of_descriptor(ty.descriptor().as_bytes()[0])
}
