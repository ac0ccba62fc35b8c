//! The version that the original is compared with.

use crate::comparison::ComparisonVerdict;
use crate::influence::Influence;
use crate::observe::Variations;
use crate::versions::{Bases, ProgramVersion};
use cupping_machine::MethodId;
use std::rc::Rc;

/// The other version, and what is known about it.
pub(crate) struct Opponent<'a> {
    /// The other version.
    pub version: Rc<ProgramVersion>,
    /// The states before sequences of the original.
    pub bases: Bases,
    /// The changed methods in the original; `None` for methods that only the other version has.
    pub changed: Vec<Option<MethodId>>,
    /// The changed methods in the other version; `None` for methods that only the original has.
    pub changed_there: Vec<Option<MethodId>>,
    /// Effects of the other version's methods.
    pub influence: Influence,
    /// Varied states of the other version.
    pub variations: Variations<'a>,
    /// The work that was done before the search.
    pub started: u64,
    /// Work beyond which nothing is started.
    pub limit: u64,
}

impl Opponent<'_> {
    /// Whether a method of either version is one of those that changed.
    pub(super) fn is_changed(&self, method: MethodId) -> bool {
        self.changed.contains(&Some(method)) || self.changed_there.contains(&Some(method))
    }

    /// Whether no method that both versions have shows a difference, and some may be proved to show none.
    pub(super) fn may_be_same(&self, verdicts: &[ComparisonVerdict]) -> bool {
        let both =
            self.changed.iter().zip(&self.changed_there).map(|(old, new)| old.is_some() && new.is_some());
        let mut compared =
            both.zip(verdicts).filter(|(is_in_both, _)| *is_in_both).map(|(_, it)| it).peekable();
        compared.peek().is_some() && compared.all(|it| !matches!(it, ComparisonVerdict::Differs))
    }
}
