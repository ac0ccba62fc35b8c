//! What the comparison of two versions has found.

use crate::candidate::Candidate;
use crate::comparison::{ComparisonVerdict, Difference};
use std::collections::BTreeSet;

/// A candidate, with the changed methods that it runs.
pub(super) type Reaching = (Candidate, BTreeSet<usize>);

/// What was found.
#[derive(Default)]
pub(crate) struct Findings {
    pub differences: Vec<Difference>,
    /// The candidates that show the differences, in their order.
    pub(super) shown_by: Vec<Candidate>,
    pub verdicts: Vec<ComparisonVerdict>,
}

impl Findings {
    /// The fewest calls that show a difference of a changed method.
    pub(super) fn fewest_calls(&self, changed: usize) -> Option<usize> {
        let found = self.differences.iter().zip(&self.shown_by);
        let of_method = found.filter(|(difference, _)| difference.runs.contains(&changed));
        of_method.map(|(_, candidate)| candidate.plan.calls()).min()
    }
}
