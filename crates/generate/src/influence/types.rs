//! Sets of types, compared by whether their objects may be the same: one type is a supertype of the other.

use cupping_machine::{ClassId, Machine};
use std::collections::BTreeSet;

/// A set of reference types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    /// The types themselves.
    exact: BTreeSet<ClassId>,
    /// The types with their informative supertypes: an `ArrayList` may be another method's `List`.
    above: BTreeSet<ClassId>,
}

impl Types {
    /// Adds a type.
    pub fn insert(&mut self, machine: &Machine, class: ClassId) {
        if !self.exact.insert(class) {
            return;
        }
        self.above.insert(class);
        let supertypes = &machine.class(class).supertypes;
        self.above.extend(supertypes.iter().filter(|s| !SAYS_NOTHING.contains(&&*machine.class(**s).name)));
    }

    /// Adds the types of another set.
    pub fn add(&mut self, other: &Types) {
        self.exact.extend(&other.exact);
        self.above.extend(&other.above);
    }

    /// Whether some object may belong to types of both sets.
    pub fn meets(&self, other: &Types) -> bool {
        self.exact.intersection(&other.above).next().is_some()
            || self.above.intersection(&other.exact).next().is_some()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }

    /// The types, without their supertypes.
    pub fn iter(&self) -> impl Iterator<Item = ClassId> + '_ {
        self.exact.iter().copied()
    }
}

/// Types too general to be informative.
const SAYS_NOTHING: &[&str] = &[
    "java/lang/Object",
    "java/lang/Cloneable",
    "java/lang/Comparable",
    "java/io/Serializable",
    "java/lang/AutoCloseable",
];
