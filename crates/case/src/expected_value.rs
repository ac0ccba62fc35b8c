//! Values that a test builds to compare a result with.

use crate::{JavaType, Literal, MethodRef};
use serde::{Deserialize, Serialize};

/// A value that Java source can build by public calls, and that equals what it is compared with by its contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExpectedValue {
    /// A value written in place.
    Literal(Literal),
    /// The result of a constructor or static method for these arguments.
    Call {
        /// The constructor (`<init>`) or static method.
        method: MethodRef,
        /// Its arguments.
        args: Vec<ExpectedValue>,
    },
    /// An array, compared element by element.
    Array {
        /// The type of the elements.
        element: JavaType,
        /// The elements, in order.
        elements: Vec<ExpectedValue>,
    },
    /// A `java.util.List` with these elements.
    List(Vec<ExpectedValue>),
    /// A `java.util.Set` with these elements, in any order.
    Set(Vec<ExpectedValue>),
    /// A `java.util.Map` with these entries, in any order.
    Map(Vec<(ExpectedValue, ExpectedValue)>),
}

impl ExpectedValue {
    /// Number of literals in it, a measure of its size for people.
    pub fn size(&self) -> usize {
        match self {
            ExpectedValue::Literal(_) => 1,
            ExpectedValue::Call { args: all, .. }
            | ExpectedValue::Array { elements: all, .. }
            | ExpectedValue::List(all)
            | ExpectedValue::Set(all) => all.iter().map(ExpectedValue::size).sum::<usize>().max(1),
            ExpectedValue::Map(entries) => {
                entries.iter().map(|(key, value)| key.size() + value.size()).sum::<usize>().max(1)
            }
        }
    }

    /// Whether it contains `null`, which `List.of`, `Set.of` and `Map.of` reject.
    pub fn holds_null(&self) -> bool {
        match self {
            ExpectedValue::Literal(literal) => *literal == Literal::Null,
            ExpectedValue::Call { .. } => false,
            ExpectedValue::Array { .. } => false,
            ExpectedValue::List(all) | ExpectedValue::Set(all) => all.iter().any(ExpectedValue::holds_null),
            ExpectedValue::Map(entries) => entries.iter().any(|(k, v)| k.holds_null() || v.holds_null()),
        }
    }
}
