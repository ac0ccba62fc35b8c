//! How a run with a sentence ended, and what it ran.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// How a run with a sentence ended.
pub(super) struct Run {
    pub(super) hits: Rc<Vec<u64>>,
    /// Whether the last call was reached and has ended.
    pub(super) is_complete: bool,
    /// For an exceptional end, a hash of the exception and the calls on which it was thrown.
    pub(super) end: Option<u64>,
}

impl Run {
    /// Whether it runs all of this.
    pub(super) fn runs(&self, fresh: &[(usize, u64)]) -> bool {
        let runs_it = |(at, word): &(usize, u64)| self.hits.get(*at).is_some_and(|it| it & word == *word);
        fresh.iter().all(runs_it)
    }

    /// A hash of what it shows.
    pub(super) fn shown(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        (&*self.hits, self.is_complete, self.end).hash(&mut hasher);
        hasher.finish()
    }
}
