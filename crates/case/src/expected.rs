//! Values that a test builds to compare a result with.

use crate::{JavaType, Literal, MethodRef};
use serde::{Deserialize, Serialize};

/// A value that Java source can build by public calls, and that equals what it is compared with by its contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expected {
    /// A value written in place.
    Literal(Literal),
    /// What a constructor or a static method makes of these arguments.
    Call {
        /// The constructor (`<init>`) or static method.
        method: MethodRef,
        /// Its arguments.
        args: Vec<Expected>,
    },
    /// An array, compared element by element.
    Array {
        /// The type of the elements.
        element: JavaType,
        /// The elements, in order.
        elements: Vec<Expected>,
    },
    /// A `java.util.List` with these elements.
    List(Vec<Expected>),
    /// A `java.util.Set` with these elements, in any order.
    Set(Vec<Expected>),
    /// A `java.util.Map` with these entries, in any order.
    Map(Vec<(Expected, Expected)>),
}

impl Expected {
    /// Number of literals in it, a measure of its size for people.
    pub fn size(&self) -> usize {
        match self {
            Expected::Literal(_) => 1,
            Expected::Call { args: all, .. }
            | Expected::Array { elements: all, .. }
            | Expected::List(all)
            | Expected::Set(all) => all.iter().map(Expected::size).sum::<usize>().max(1),
            Expected::Map(entries) => {
                entries.iter().map(|(key, value)| key.size() + value.size()).sum::<usize>().max(1)
            }
        }
    }

    /// Whether `null` is in it, which `List.of`, `Set.of` and `Map.of` refuse.
    pub fn holds_null(&self) -> bool {
        match self {
            Expected::Literal(literal) => *literal == Literal::Null,
            Expected::Call { .. } => false,
            Expected::Array { .. } => false,
            Expected::List(all) | Expected::Set(all) => all.iter().any(Expected::holds_null),
            Expected::Map(entries) => entries.iter().any(|(k, v)| k.holds_null() || v.holds_null()),
        }
    }
}
