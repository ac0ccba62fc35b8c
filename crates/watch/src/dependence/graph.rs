//! The graph of a dependence: roots, objects, and the values of their locations.

use cupping_machine::Kind;
use std::sync::Arc;

/// An entry point of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// An argument of the call; 0 is the receiver.
    Argument(usize),
    /// A static field, by class and name, and whether it still had its value from class initialisation.
    Static { class: Arc<str>, field: Arc<str>, is_initial: bool },
}

/// The value of a location.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DependencePart {
    /// `null`.
    Null,
    /// A primitive value.
    Bits(Kind, u64),
    /// A string, whose identity does not count.
    Text(Arc<[u16]>),
    /// The object with this number.
    Node(usize),
}

/// A field that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldPart {
    /// How many superclasses up it is declared.
    pub(crate) level: usize,
    pub(crate) name: Arc<str>,
    pub(crate) part: DependencePart,
}

/// The part of an object that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// Fields, from the object's own class upwards.
    Fields(Vec<FieldPart>),
    /// The length of an array, if it is more than a capacity, and its elements by index.
    Elements(Option<u32>, Vec<(u32, DependencePart)>),
    /// The characters of a `StringBuilder`.
    Characters(Vec<u16>),
    /// The class that a `Class` object stands for.
    Class(Arc<str>),
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DependenceNode {
    pub(crate) class: Arc<str>,
    pub(crate) content: Content,
    /// Whether its identity matters; it does not for boxes and other values.
    pub(crate) has_identity: bool,
    /// The node and location through which it was first reached; `None` for the object of a root.
    pub(crate) from: Option<(usize, usize)>,
}

/// The part of a state on which an observation depends.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dependence {
    /// Whether argument 0 is the receiver.
    pub(crate) has_receiver: bool,
    pub(crate) roots: Vec<(Root, DependencePart)>,
    pub(crate) nodes: Vec<DependenceNode>,
    /// Why it is not complete.
    pub(crate) limit: Option<&'static str>,
}

/// Whether the identity of instances of a JDK class never counts.
pub(crate) fn is_value(class: &str) -> bool {
    class.starts_with("java/time/")
        || class.starts_with("java/math/")
        || matches!(
            class,
            "java/lang/Integer"
                | "java/lang/Long"
                | "java/lang/Short"
                | "java/lang/Byte"
                | "java/lang/Character"
                | "java/lang/Boolean"
                | "java/lang/Double"
                | "java/lang/Float"
                | "java/util/UUID"
        )
}
