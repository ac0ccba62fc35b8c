//! What test mode finds: the seven outcomes of the paper (§4), counted by method and call site, with examples.

use crate::picture::Picture;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a call, or a whole run, comes to; the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A precondition held, control took a tested way, and the postcondition held.
    Success,
    /// No precondition was conclusive, but control took the way of one.
    PathSuccess,
    /// There is no triple for the method.
    Untested,
    /// No precondition held, and control took a way that no test takes.
    UntestedPath,
    /// A precondition held, but control took another way than in its tests.
    PathAnomaly,
    /// No precondition held, although the tests take all ways through the method.
    IncorrectCall,
    /// A precondition held, and the postcondition failed.
    FailedTest,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 7] = [
        Outcome::Success,
        Outcome::PathSuccess,
        Outcome::Untested,
        Outcome::UntestedPath,
        Outcome::PathAnomaly,
        Outcome::IncorrectCall,
        Outcome::FailedTest,
    ];

    /// Its name, as options and reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::PathSuccess => "path-success",
            Outcome::Untested => "untested",
            Outcome::UntestedPath => "untested-path",
            Outcome::PathAnomaly => "path-anomaly",
            Outcome::IncorrectCall => "incorrect-call",
            Outcome::FailedTest => "failed-test",
        }
    }
}

/// One call that came to an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The stack of the call, innermost first.
    pub stack: Vec<String>,
    /// The triple, as `file:line testcase`; empty if none applied.
    pub triple: String,
    /// The text of the triple.
    pub text: String,
    /// Receiver and arguments when it began.
    pub before: Vec<(String, String)>,
    /// The same, and the result, when it ended.
    pub after: Vec<(String, String)>,
    /// What is to be said beside.
    pub note: String,
    /// Objects when it began.
    pub before_state: Picture,
    /// Objects when it ended.
    pub after_state: Picture,
}

/// What the calls of a method from one place came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteRow {
    /// `Class.method`.
    pub method: String,
    /// The method that calls, its file and line.
    pub site: String,
    /// How often each outcome came.
    pub counts: BTreeMap<Outcome, u64>,
    /// Some of the calls, the first of each kind.
    pub examples: Vec<(Outcome, Example)>,
}

/// A generalised precondition that can be pasted into the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The triple it is for.
    pub triple: String,
    /// The requirement.
    pub requirement: String,
    /// Whether the run moved its ends.
    pub refined: bool,
}

/// A triple that concerns changed classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Concern {
    /// The triple, as in [`Example::triple`].
    pub triple: String,
    /// The method that it calls.
    pub method: String,
    /// Those of the changed classes whose code runs in its call.
    pub because_of: Vec<String>,
    /// How many calls of this run were held against it.
    pub calls: u64,
}

/// The regression set of changed classes (paper §5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Regression {
    /// The classes.
    pub changed: Vec<String>,
    /// The triples that concern them.
    pub triples: Vec<Concern>,
}

/// All that a run in test mode found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Calls that were held against triples.
    pub calls: u64,
    /// Calls that were not, as conditions had cost so much already.
    pub skipped: u64,
    /// How often each outcome came.
    pub counts: BTreeMap<Outcome, u64>,
    /// By method and call site, those with the worst outcome first.
    pub sites: Vec<SiteRow>,
    /// Methods that ran without triples, the most frequent first.
    pub untested: Vec<(String, u64)>,
    /// Ways that ran and no test takes: method, the lines of the way, and how often.
    pub untested_paths: Vec<(String, String, u64)>,
    /// Generalised preconditions.
    pub suggestions: Vec<Suggestion>,
    /// What concerns the classes that were named as changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regression: Option<Regression>,
}

impl Report {
    /// The worst outcome, of those that say something of the program.
    pub fn worst(&self) -> Option<Outcome> {
        self.counts.iter().filter(|(_, count)| **count > 0).map(|(outcome, _)| *outcome).max()
    }

    /// How often an outcome came.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.counts.get(&outcome).copied().unwrap_or(0)
    }
}
