//! Refutation: whether an execution breaks what is likely.

use crate::specification::{Clause, Specification, ThrowsClause};
use crate::subject::Subject;
use crate::term::Phase;
use crate::trace::{CallOutcome, Execution};
use std::rc::Rc;

/// The class of the exception that an execution threw.
pub fn thrown(execution: &Execution) -> Option<Rc<str>> {
    match &execution.ending {
        CallOutcome::Threw { class, .. } => Some(class.clone()),
        CallOutcome::Returned(_) => None,
    }
}

/// Whether an execution breaks a clause.
pub fn is_broken(subject: &Subject, clause: &Clause, execution: &Execution) -> bool {
    clause.point.samples(subject, execution)
        && clause.formula.holds(execution, clause.point.phase()) == Some(false)
}

/// Whether an execution breaks a specification.
pub fn breaks(subject: &Subject, specification: &Specification, execution: &Execution) -> bool {
    specification.clauses.iter().any(|it| is_broken(subject, it, execution))
        || specification.throws.iter().any(|it| violation_of_throws(subject, it, &[execution]).is_some())
}

/// The first execution that violates a throws clause.
pub fn violation_of_throws(subject: &Subject, throws: &ThrowsClause, all: &[&Execution]) -> Option<usize> {
    all.iter().position(|it| throws.is_violated(subject, it))
}

impl ThrowsClause {
    /// Whether an execution breaks it.
    pub fn is_violated(&self, subject: &Subject, execution: &Execution) -> bool {
        if subject.key(execution.method) != self.method {
            return false;
        }
        let thrown = matches!(&execution.ending, CallOutcome::Threw { class, .. } if **class == *self.class);
        match self.condition.holds(execution, Phase::Before) {
            Some(true) => !thrown,
            Some(false) => thrown && self.exact,
            None => false,
        }
    }
}
