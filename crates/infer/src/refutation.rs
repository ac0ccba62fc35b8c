//! Refutation: whether an execution violates a likely formula.

use crate::bystanders::breaks_for_others;
use crate::formula::Formula;
use crate::program_point::ProgramPoint;
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
        || clause.point == ProgramPoint::Class && breaks_for_others(subject, &clause.formula, execution)
}

/// Whether an execution could have broken a clause, and did not.
pub fn upholds(subject: &Subject, clause: &Clause, execution: &Execution) -> bool {
    let when = clause.point.phase();
    let condition = if let Formula::Implies(it) = &clause.formula { Some(&it.condition) } else { None };
    clause.point.samples(subject, execution)
        && condition.is_none_or(|it| it.holds(execution, when) == Some(true))
        && clause.formula.holds(execution, when) == Some(true)
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
    /// Whether an execution could have broken it, and did not.
    pub fn is_upheld(&self, subject: &Subject, execution: &Execution) -> bool {
        subject.key(execution.method) == self.method
            && self.condition.holds(execution, Phase::Before).is_some()
            && !self.is_violated(subject, execution)
    }

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
