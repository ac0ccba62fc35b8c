//! Mutants of classes, and how many of them a suite of tests detects.
//!
//! Each suite gets its own machines. On each its tests are found and run once, from the same frozen state, which shows
//! what they reach. Then, quickest first, each test runs again as far as it reaches mutants that no test has
//! detected: these are judged on forks of that run ([`judge`], [`forks`]).

pub mod faults;
mod forks;
pub mod judge;

use cupping_report::mutants::MutantEnd;
use faults::Faults;

/// How tests run while mutants are judged.
#[derive(Clone, Debug)]
pub struct JudgeOptions {
    /// Maximal number of calls and backward jumps of a test.
    pub max_steps: u64,
    /// System properties, as `NAME=VALUE`.
    pub properties: Vec<String>,
}

/// Facts about a suite's mutants.
pub struct KnownResults {
    /// The end of each mutant, and the steps for judging it.
    pub ends: Vec<Option<(MutantEnd, u64)>>,
    /// The number of tests that pass without a mutant, and of those left out, if a run has determined them.
    pub tests: Option<(usize, usize)>,
}

impl KnownResults {
    /// No results.
    pub fn nothing(faults: &Faults) -> KnownResults {
        KnownResults { ends: vec![None; faults.mutants.len()], tests: None }
    }

    /// Whether there is nothing left to judge.
    pub fn is_complete(&self) -> bool {
        self.tests.is_some() && self.ends.iter().all(Option::is_some)
    }
}
