//! The account of the work that shows mutants which nothing shows yet.

/// An account of what was done to show mutants.
pub(super) struct Showing {
    /// The work at the start of the search for mutants.
    pub(super) begun: u64,
    /// The work that was done to show mutants.
    pub(super) work: u64,
    /// In how many tests each mutant was looked for in vain.
    pub(super) vain: Vec<usize>,
}

impl Showing {
    pub(super) fn of(begun: u64, targets: usize) -> Showing {
        Showing { begun, work: 0, vain: vec![0; targets] }
    }
}
