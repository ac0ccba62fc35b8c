//! Program points: where a clause holds.

use crate::subject::Subject;
use crate::term::Phase;
use crate::trace::{CallOutcome, Execution};

/// A program point. Methods are identified by name and descriptor, so that a program point keeps its meaning in a
/// later run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramPoint {
    /// An object between calls.
    Class,
    /// The entry of a method, for calls that return.
    Entry(String),
    /// The exit of a method, for calls that return.
    Exit(String),
}

impl ProgramPoint {
    /// The method it belongs to.
    pub fn method(&self) -> Option<&str> {
        match self {
            ProgramPoint::Class => None,
            ProgramPoint::Entry(method) | ProgramPoint::Exit(method) => Some(method),
        }
    }

    /// The side of the call on which terms are evaluated.
    pub fn phase(&self) -> Phase {
        if let ProgramPoint::Entry(_) = self { Phase::Before } else { Phase::After }
    }

    /// Whether an execution is a sample of this point.
    pub fn samples(&self, subject: &Subject, execution: &Execution) -> bool {
        let returned = matches!(execution.ending, CallOutcome::Returned(_));
        match self {
            // A constructor that throws leaves no object.
            ProgramPoint::Class => {
                let is_new = subject.methods[execution.method].is_constructor();
                execution.exit.this.is_present() && (returned || !is_new)
            }
            ProgramPoint::Entry(method) | ProgramPoint::Exit(method) => {
                returned && subject.key(execution.method) == *method
            }
        }
    }
}
