//! The results of test mode: the seven outcomes of the paper (§4), counted by method and call site, with
//! examples.

use crate::picture::Picture;
use serde::Serialize;
use std::collections::BTreeMap;

/// The outcome of a call or of a whole run, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WatchOutcome {
    /// A precondition held, control took a tested path, and the postcondition held.
    Success,
    /// No precondition was conclusive, but control took the path of one triple.
    PathSuccess,
    /// The method has no triple.
    Untested,
    /// No precondition held, and control took a path that no test takes.
    UntestedPath,
    /// A precondition held, but control took a path that differs from its tests'.
    PathAnomaly,
    /// No precondition held, although the tests take every path through the method.
    IncorrectCall,
    /// A precondition held, and the postcondition failed.
    FailedTest,
}

impl WatchOutcome {
    /// All outcomes.
    pub const ALL: [WatchOutcome; 7] = [
        WatchOutcome::Success,
        WatchOutcome::PathSuccess,
        WatchOutcome::Untested,
        WatchOutcome::UntestedPath,
        WatchOutcome::PathAnomaly,
        WatchOutcome::IncorrectCall,
        WatchOutcome::FailedTest,
    ];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            WatchOutcome::Success => "success",
            WatchOutcome::PathSuccess => "path-success",
            WatchOutcome::Untested => "untested",
            WatchOutcome::UntestedPath => "untested-path",
            WatchOutcome::PathAnomaly => "path-anomaly",
            WatchOutcome::IncorrectCall => "incorrect-call",
            WatchOutcome::FailedTest => "failed-test",
        }
    }
}

/// A call with a certain outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The stack of the call, innermost first.
    pub stack: Vec<String>,
    /// The triple as `file:line testcase`; empty if none applied.
    pub triple: String,
    /// The text of the triple.
    pub text: String,
    /// Receiver and arguments before the call.
    pub before: Vec<(String, String)>,
    /// Receiver, arguments and result after the call.
    pub after: Vec<(String, String)>,
    /// A further explanation of the outcome.
    pub note: String,
    /// The objects before the call.
    pub before_state: Picture,
    /// The objects after the call.
    pub after_state: Picture,
}

/// The outcomes of the calls of one method from one call site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteRow {
    /// `Class.method`.
    pub method: String,
    /// Where the method is declared: the file below a source folder, and its first line.
    #[serde(skip)]
    pub declared: Option<(String, u64)>,
    /// The calling method, its file and line.
    pub site: String,
    /// Number of calls per outcome.
    pub counts: BTreeMap<WatchOutcome, u64>,
    /// Examples, the first few of each outcome.
    pub examples: Vec<(WatchOutcome, Example)>,
}

/// A generalised precondition, ready to paste into the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The triple it is for.
    pub triple: String,
    /// The requirement.
    pub requirement: String,
    /// Whether the run moved the ends of its ranges.
    pub refined: bool,
}

/// A triple affected by changed classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AffectedTriple {
    /// The triple, in the form of [`Example::triple`].
    pub triple: String,
    /// The method that it calls.
    pub method: String,
    /// The changed classes whose code runs in its call.
    pub because_of: Vec<String>,
    /// Number of calls of this run checked against it.
    pub calls: u64,
}

/// The regression set of changed classes (paper §5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Regression {
    /// The classes.
    pub changed: Vec<String>,
    /// The affected triples.
    pub triples: Vec<AffectedTriple>,
}

/// The report of a run in test mode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Number of calls checked against triples.
    pub calls: u64,
    /// Number of calls skipped because conditions had used up their share of the run (`--overhead`, `--budget`).
    pub skipped: u64,
    /// Number of calls per outcome.
    pub counts: BTreeMap<WatchOutcome, u64>,
    /// Counts by method and call site, the worst outcome first.
    pub sites: Vec<SiteRow>,
    /// Methods that ran without triples, most calls first.
    pub untested: Vec<(String, u64)>,
    /// Paths that ran and that no test takes: the method, the lines of the path, and the number of calls.
    pub untested_paths: Vec<(String, String, u64)>,
    /// Generalised preconditions.
    pub suggestions: Vec<Suggestion>,
    /// The regression set of the classes named as changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regression: Option<Regression>,
}

impl Report {
    /// The worst outcome among those that concern the program.
    pub fn worst(&self) -> Option<WatchOutcome> {
        self.counts.iter().filter(|(_, count)| **count > 0).map(|(outcome, _)| *outcome).max()
    }

    /// Number of calls with an outcome.
    pub fn count(&self, outcome: WatchOutcome) -> u64 {
        self.counts.get(&outcome).copied().unwrap_or(0)
    }
}
