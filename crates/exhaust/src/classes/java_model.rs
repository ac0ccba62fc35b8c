//! The model of Java: classes, fields, arrays, and the values that they hold.

use std::collections::BTreeMap;

/// The values of a field, element or parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Values {
    /// Integers, boxed in this class unless primitive.
    Integers(Option<String>),
    /// Booleans.
    Booleans,
    /// Strings.
    Texts,
    /// Instances of a class, or of an interface's implementations, by internal name.
    Objects(String),
    /// Arrays, by index in [`Classes::arrays`].
    Arrays(usize),
}

/// A modelled field.
#[derive(Clone, Debug)]
pub struct ModelledField {
    /// Internal name of the declaring class.
    pub class: String,
    /// Its name in Java.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whether it is static.
    pub is_static: bool,
    /// Its values.
    pub values: Vec<Values>,
}

/// A modelled class.
#[derive(Clone, Debug)]
pub struct ModelledClass {
    /// Internal name.
    pub name: String,
    /// Its nearest modelled superclass.
    pub parent: Option<String>,
    /// Whether it has no direct instances.
    pub is_abstract: bool,
    /// The constants, if it is an enum.
    pub constants: Option<Vec<String>>,
    /// Its fields.
    pub fields: Vec<ModelledField>,
}

/// A modelled array type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelledArray {
    /// Its descriptor.
    pub descriptor: String,
    /// The values of its elements.
    pub elements: Vec<Values>,
    /// The name of its element type, such as `int` or `Entry`.
    pub of: String,
}

/// The modelled classes, arrays and interfaces.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Classes by internal name.
    pub classes: BTreeMap<String, ModelledClass>,
    /// Array types.
    pub arrays: Vec<ModelledArray>,
    /// The topmost implementing classes of each interface.
    pub implementations: BTreeMap<String, Vec<String>>,
    /// What is not modelled, and why.
    pub notes: Vec<String>,
}
