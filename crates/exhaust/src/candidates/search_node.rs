//! The nodes of the depth-first search: a hole or a comparison, its untried alternatives, and the results so far.

use super::nogoods::ExcludedChoices;
use crate::difference_bounds::DifferenceBounds;
use cupping_machine::{Addr, ChoiceSet, Comparison, Snapshot};
use cupping_term::TermId;
use std::rc::Rc;

/// The location of a hole.
#[derive(Clone, Copy, Debug)]
pub(super) enum HoleLocation {
    Field { object: Addr, at: usize },
    Element { array: Addr, kind: usize, index: u32 },
    Static { at: usize },
}

/// A value to choose for a hole.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// These bits.
    Bits(u64),
    /// A new object of a class.
    Fresh(usize),
    /// A new array of a kind and length.
    FreshArray(usize, u32),
    /// Different from what it is compared with, and otherwise still open.
    Apart(Comparison),
}

/// One outcome of a comparison.
pub(super) struct Side {
    pub(super) condition: TermId,
    pub(super) order: DifferenceBounds,
    pub(super) values: Vec<i64>,
}

/// A node of the path with its untried alternatives.
pub(super) struct SearchNode {
    /// The state there; none if the last alternative continues in the current state.
    pub(super) state: Option<Snapshot>,
    pub(super) left: Alternatives,
    pub(super) objects: usize,
    pub(super) symbols: usize,
    pub(super) excluded: usize,
    pub(super) chosen: usize,
    /// The combined result of all alternatives tried here, and that of the current one.
    pub(super) all: ChoiceOutcome,
    pub(super) now: ChoiceOutcome,
    /// The hash that identifies the state for learning.
    pub(super) key: Option<u128>,
    /// The hash of memory, as a part of that key.
    pub(super) memory: Option<u128>,
}

/// The result of runs.
#[derive(Clone, Copy, Default)]
pub(super) struct ChoiceOutcome {
    /// The choices that they have read.
    pub(super) read: ChoiceSet,
    /// Whether the predicate may hold after one of them.
    pub(super) holds: bool,
}

impl ChoiceOutcome {
    pub(super) fn add(&mut self, other: &ChoiceOutcome) {
        self.read.add(&other.read);
        self.holds |= other.holds;
    }
}

/// Untried alternatives.
pub(super) enum Alternatives {
    /// Values of a hole.
    Values {
        place: HoleLocation,
        choices: Vec<Choice>,
        next: usize,
        /// Choices that nogoods exclude.
        failed: ExcludedChoices,
        /// Whether the predicate was running.
        inside: bool,
        /// The constraints on integers.
        order: Rc<DifferenceBounds>,
    },
    /// Outcomes of an integer comparison.
    Sides {
        sides: Vec<Side>,
        /// Whether the comparison fixed a value, so that further values may remain.
        fixed: bool,
    },
}
