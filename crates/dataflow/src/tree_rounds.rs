//! How far the rounds of deduction trees have got.

use crate::deduce::{DeductionLimits, PairBudget};
use std::collections::BTreeMap;

/// The first depth.
pub(crate) const FIRST_DEPTH: usize = 2;

/// Where the rounds have got to.
pub(crate) struct TreeRounds {
    pub limits: DeductionLimits,
    pub cycle: usize,
    pub depth: usize,
    /// The next pair of this round.
    pub next: usize,
    /// The pairs that have not ended in this cycle; `None` before it begins.
    pub tried: Option<BTreeMap<usize, PairBudget>>,
}

impl TreeRounds {
    pub fn new(limits: DeductionLimits) -> TreeRounds {
        TreeRounds { limits, cycle: 0, depth: FIRST_DEPTH, next: 0, tried: None }
    }
}
