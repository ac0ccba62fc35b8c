//! Where operations have thrown.

use cupping_machine::MethodId;

/// Limit on the places at which one operation throws.
const MAX_FAILURES: usize = 12;

/// Where an operation has thrown: the methods of the application on the stack with the offsets, innermost first.
pub(super) type Failure = Vec<(MethodId, u32)>;

/// Where the paths of an operation have thrown.
#[derive(Default)]
pub(super) struct Failures {
    /// The last one at a new place: paths that come later have passed more checks.
    pub(super) last: Failure,
    /// One for each place.
    pub(super) all: Vec<Failure>,
}

impl Failures {
    pub(super) fn clear(&mut self) {
        self.last.clear();
        self.all.clear();
    }

    pub(super) fn note(&mut self, failure: Failure) {
        let is_known = |it: &Failure| it.first() == failure.first();
        if failure.is_empty() || self.all.len() >= MAX_FAILURES || self.all.iter().any(is_known) {
            return;
        }
        self.all.push(failure.clone());
        self.last = failure;
    }
}
