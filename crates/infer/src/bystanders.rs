//! Objects of the class that are not the receiver of a call: its arguments and its result.
//!
//! Invariants hold for them, too. A transfer between accounts overflows the other one, and a sum is an object like any
//! other; but a call is a sample of the state of its receiver only.

use crate::formula::Formula;
use crate::subject::Subject;
use crate::term::{Phase, Term};
use crate::trace::{CallOutcome, Execution};
use crate::value::Value;

/// For each other object of the class that a call got or returned, the call as if it were the receiver. These
/// executions are samples of the invariants only.
pub fn seen_by_others(subject: &Subject, execution: &Execution) -> Vec<Execution> {
    let exit = &execution.exit;
    let is_of = |class: &str| *class == *subject.name || subject.makes(class);
    let of_class = |it: &&Value| **it != exit.this && exit.object(it).is_some_and(|it| is_of(&it.class));
    let mut others: Vec<&Value> = exit.arguments.iter().filter(of_class).collect();
    if let CallOutcome::Returned(result) = &execution.ending {
        others.extend(Some(result).filter(of_class));
    }
    let seen = |it: &Value| {
        let mut seen = execution.clone();
        seen.exit.this = it.clone();
        seen
    };
    others.into_iter().map(seen).collect()
}

/// Whether an invariant does not hold for an argument or the result of a call.
pub fn breaks_for_others(subject: &Subject, invariant: &Formula, execution: &Execution) -> bool {
    let is_of_object = |it: &Term| matches!(it, Term::This);
    invariant.any(is_of_object)
        && seen_by_others(subject, execution)
            .iter()
            .any(|it| invariant.holds(it, Phase::After) == Some(false))
}
