//! The result of comparing a class with another version of it.

use crate::outcome::InternalError;
use crate::versions::{Contrast, VersionEnd};
use cupping_case::Case;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// A method whose body differs between the versions, or that only one version has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedMethod {
    /// Internal name of its class.
    pub class: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its descriptor.
    pub descriptor: Box<str>,
}

/// A sequence of calls that behaves differently in the two versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// The calls as a test of the original.
    pub old_case: Case,
    /// The calls as a test of the other version; `None` if they cannot be written as one.
    pub new_case: Option<Case>,
    /// What differs.
    pub what: Contrast,
    /// The conditions in changed methods that the calls satisfy, as Java.
    pub conditions: Vec<String>,
    /// The changed methods that the calls run, as indices into the methods that were given.
    pub runs: BTreeSet<usize>,
    /// The contracts of the old version that the new one breaks on these calls. The search itself knows none.
    pub breaks: Vec<String>,
    /// Whether the JDK confirmed the difference. The search itself does not run it.
    pub is_confirmed: bool,
}

impl Difference {
    /// Whether a test can show it: all but calls that do not end.
    pub fn is_test(&self) -> bool {
        let is_endless = matches!(
            self.what,
            Contrast::Ends(_, VersionEnd::Endless) | Contrast::Ends(VersionEnd::Endless, _)
        );
        !is_endless && self.old_case.danger().is_none()
    }

    /// The same difference with the versions exchanged; `None` if it cannot be expressed.
    pub fn turned(self) -> Option<Difference> {
        let what = match self.what {
            Contrast::Ends(old, new) => Contrast::Ends(new, old),
            Contrast::Values(pairs) => {
                Contrast::Values(pairs.into_iter().map(|(old, new)| (new, old)).collect())
            }
        };
        let (old_case, new_case) = match (self.new_case, &what) {
            (Some(case), _) => (case, Some(self.old_case)),
            // Only the calls are known.
            (None, Contrast::Ends(VersionEnd::Endless, _)) => (self.old_case, None),
            _ => return None,
        };
        Some(Difference { old_case, new_case, what, ..self })
    }
}

/// The bound within which versions are proved to be the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SameBound {
    /// The greatest length of texts and arrays.
    pub elements: u32,
    /// The sequences; `None` for a function of its arguments, for which calls before it make no difference.
    pub sequences: Option<SequenceBound>,
}

/// The sequences of calls that a proof covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceBound {
    /// The greatest number of calls.
    pub calls: u32,
    /// Internal name of the class whose methods are called.
    pub class: Box<str>,
    /// Methods of the class that are left out, since not all their arguments can be enumerated.
    pub without: Vec<String>,
}

/// What is known about a changed method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComparisonVerdict {
    /// Calls that run it show a difference.
    Differs,
    /// It behaves the same on all paths within a bound.
    Same(SameBound),
    /// No difference was found.
    Open {
        /// Sequences of calls that run it.
        sequences: usize,
        /// Paths of both versions together that were compared.
        paths: usize,
    },
    /// No sequence of calls was found that runs it.
    NotRun,
}

impl ComparisonVerdict {
    /// Whether further calls may show a difference.
    pub fn is_open(&self) -> bool {
        match self {
            ComparisonVerdict::Differs => false,
            ComparisonVerdict::Same(bound) => bound.sequences.is_some(),
            ComparisonVerdict::Open { .. } | ComparisonVerdict::NotRun => true,
        }
    }
}

/// The result of comparing a class.
#[derive(Debug)]
pub struct ComparisonOutcome {
    /// The differences, the smallest first.
    pub differences: Vec<Difference>,
    /// Facts about each changed method, in the order in which they were given.
    pub verdicts: Vec<ComparisonVerdict>,
    /// Failed self-checks.
    pub internal_errors: Vec<InternalError>,
    /// Work done, as a duration on a reference machine.
    pub work: Duration,
    /// Wall-clock time.
    pub elapsed: Duration,
}
