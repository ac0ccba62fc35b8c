//! Program points: where a clause holds.

use crate::subject::Subject;
use crate::term::Phase;
use crate::trace::{Ending, Execution};

/// A program point. Methods are named as class files name them, so that it has a meaning in a later run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramPoint {
    /// Objects whenever nobody is at work on them.
    Class,
    /// The entry of a method whose call returns.
    Entry(String),
    /// The exit of a method that returns.
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

    /// When the terms at this place are looked at.
    pub fn phase(&self) -> Phase {
        if let ProgramPoint::Entry(_) = self { Phase::Before } else { Phase::After }
    }

    /// Whether an execution is a sample of the place.
    pub fn samples(&self, subject: &Subject, execution: &Execution) -> bool {
        let returned = matches!(execution.ending, Ending::Returned(_));
        match self {
            // An object whose constructor has thrown is none.
            ProgramPoint::Class => {
                let is_new = subject.methods[execution.method].is_constructor();
                execution.exit.this.is_there() && (returned || !is_new)
            }
            ProgramPoint::Entry(method) | ProgramPoint::Exit(method) => {
                returned && subject.key(execution.method) == *method
            }
        }
    }
}
