//! Sets of types whose objects may be the same: where one is the other or above it.

use cupping_machine::{ClassId, Machine};
use std::collections::BTreeSet;

/// A set of reference types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    /// The types.
    exact: BTreeSet<ClassId>,
    /// The types and all above them that say something: an `ArrayList` may be what another calls a `List`.
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

    /// Whether an object may be of a type of either set.
    pub fn meets(&self, other: &Types) -> bool {
        self.exact.intersection(&other.above).next().is_some()
            || self.above.intersection(&other.exact).next().is_some()
    }

    /// Whether there is no type in it.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }

    /// The types, without those above them.
    pub fn iter(&self) -> impl Iterator<Item = ClassId> + '_ {
        self.exact.iter().copied()
    }
}

/// Types that all manner of objects have.
const SAYS_NOTHING: &[&str] = &[
    "java/lang/Object",
    "java/lang/Cloneable",
    "java/lang/Comparable",
    "java/io/Serializable",
    "java/lang/AutoCloseable",
];
