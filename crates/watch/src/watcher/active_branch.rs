//! A branch that may apply to a call under way.

use crate::conditions::Truth;
use crate::old_value::OldValue;
use cupping_machine::Addr;

/// A branch that may apply to a call.
pub(super) struct ActiveBranch {
    /// Its index among the branches of the method.
    pub(super) place: usize,
    pub(super) branch: usize,
    pub(super) truth: Truth,
    /// Whether it applies only by an assumed range.
    pub(super) assumed: bool,
    pub(super) past: Vec<OldValue>,
    /// For each variable found by its trace: the progress, and the object once it has been met.
    pub(super) traces: Vec<Search>,
    /// Why the old values are unknown.
    pub(super) note: String,
    /// Whether the condition concerns a different state, so that its failure proves nothing.
    pub(super) excused: bool,
    /// The objects that stand for those of the test.
    pub(super) matched: Vec<Addr>,
}

pub(super) struct Search {
    pub(super) variable: usize,
    /// Number of matching steps so far; `None` after a step that differs.
    pub(super) at: Option<usize>,
    pub(super) met: Option<Addr>,
}

impl ActiveBranch {
    /// A branch that applies.
    pub(super) fn new(place: usize, branch: usize) -> ActiveBranch {
        ActiveBranch {
            place,
            branch,
            truth: Truth::Holds,
            assumed: false,
            past: Vec::new(),
            traces: Vec::new(),
            note: String::new(),
            excused: false,
            matched: Vec::new(),
        }
    }
}
