//! The triples of a suite, and the tests that they come from.

use crate::branch::Branch;
use cupping_contract::CompiledCase;

/// The triples of a suite.
#[derive(Default)]
pub struct SuiteTriples {
    /// The tests as testcases.
    pub cases: Vec<CompiledCase>,
    /// The classes of their conditions.
    pub classes: Vec<(String, Vec<u8>)>,
    /// Their branches, with testcases by their numbers in `cases`.
    pub branches: Vec<Branch>,
    /// Number of tests that passed.
    pub passed: usize,
    /// Number of tests that are disabled, or whose assumptions do not hold.
    pub disabled: usize,
    /// Tests that failed, by number, with the methods on whose calls the failure depends most.
    pub failed: Vec<(usize, Vec<String>)>,
    /// Tests that exceeded the fuel, by number.
    pub unfinished: Vec<usize>,
}

impl SuiteTriples {
    /// Numbers the testcases from `first` on, which follow others in a list.
    pub fn number_from(&mut self, first: usize) {
        self.branches.iter_mut().for_each(|it| it.case += first);
    }
}
