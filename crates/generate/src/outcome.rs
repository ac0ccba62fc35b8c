//! The outcome of generating tests for a class, and progress messages.

use crate::suite_coverage::SuiteCoverage;
use crate::uncovered_method::UncoveredMethod;
use cupping_case::{Explanation, Suite};
use std::collections::BTreeSet;
use std::time::Duration;

/// Why no tests were generated for a class.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The JDK's class library did not start on the machine.
    #[error(transparent)]
    Boot(#[from] cupping_machine::BootError),
    /// The class, or one that it needs, is missing or damaged. The text names file, place and remedy.
    #[error("{0}")]
    Class(String),
}

/// A failed self-check (thesis §5.9): a bug in Cupping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalError {
    /// The expected and the actual behaviour.
    pub message: String,
    /// A query for `cupping solve`, or a sequence that reproduces the failure.
    pub reproduction: String,
}

/// The progress of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Paths run so far.
    pub paths: u64,
    /// Tests that would be selected now.
    pub tests: usize,
    /// Branches covered.
    pub branches: u32,
    /// Branches of the class.
    pub all_branches: u32,
    /// Mutants that tests notice, and all of them, once tests are aimed at them.
    pub mutants: Option<(u32, u32)>,
    /// Work that is left of the budget.
    pub left: Duration,
}

/// Counters of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Completed paths.
    pub paths: u64,
    /// Infeasible paths.
    pub infeasible: u64,
    /// Paths on which the solver gave up.
    pub time_outs: u64,
    /// Sequences tried.
    pub sequences: u64,
    /// Distinct object states.
    pub states: u64,
    /// States pruned because they are isomorphic to an earlier one.
    pub isomorphic_states: u64,
    /// States pruned because an earlier one subsumes them.
    pub subsumed_states: u64,
    /// States pruned because of a redundant invocation.
    pub redundant_states: u64,
    /// Where the time went.
    pub phases: Phases,
    /// Counters of the solver chain for `--stats`.
    pub solver: cupping_solve::Stats,
    /// Called natives that the machine lacks.
    pub missing_natives: BTreeSet<String>,
    /// Internal names of classes that the code needed and the class path lacks.
    pub missing_classes: BTreeSet<String>,
}

/// Wall-clock time of the phases of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// The search for objects of other classes.
    pub collaborators: Duration,
    /// The search for paths.
    pub search: Duration,
    /// The candidates written down, with observers and in varied runs.
    pub writing: Duration,
    /// The tests that are aimed at mutants.
    pub mutants: Duration,
}

/// The outcome for a class.
#[derive(Debug)]
pub struct ClassOutcome {
    /// The selected tests, named by position and not yet certified.
    pub suite: Suite,
    /// The coverage of each test.
    pub coverage: SuiteCoverage,
    /// The explanation, if requested.
    pub explanation: Option<Explanation>,
    /// With [`crate::GenerateOptions::explain_sequences`]: influence, candidate sequences and their history as text.
    pub sequences: Option<String>,
    /// Methods that are not fully covered, with causes.
    pub unreached: Vec<UncoveredMethod>,
    /// Failed self-checks.
    pub internal_errors: Vec<InternalError>,
    /// The first few queries on which the solver gave up, as text for `cupping solve`.
    pub unanswered: Vec<String>,
    /// Counters.
    pub statistics: Statistics,
    /// Work done, as a duration on a reference machine: what counts against the budget.
    pub work: Duration,
    /// Whether the budget ended with goals uncovered and more to try.
    pub wants_more: bool,
    /// Whether the clock ended something before its work was done, so that another run may find other tests.
    pub was_late: bool,
    /// Wall-clock time.
    pub elapsed: Duration,
}
