//! Arguments that have proved their worth are combined with others.
//!
//! The assignments of an invocation differ from the first in one parameter. Code that checks all that it is given looks
//! at the second parameter only if the first is right, so the right values must come together.

use super::Search;
use super::jobs::Job;
use crate::input::Input;
use crate::provisions::Provision;
use std::rc::Rc;

/// Limit on the combinations of one assignment.
const MAX_COMBINED: usize = 12;
/// Additional cost of each.
const COST: u32 = 2;

/// How the arguments of a job differ from the first ones of its invocation.
#[derive(Clone)]
pub(super) struct ChangedArguments {
    assignments: Rc<Vec<Vec<Provision>>>,
    /// The parameters that differ.
    changed: Vec<usize>,
    /// Cost of the job with the first arguments.
    base_cost: u32,
}

impl ChangedArguments {
    /// The change that this assignment is; `None` if more than one parameter differs.
    pub(super) fn of(
        assignments: &Rc<Vec<Vec<Provision>>>,
        at: usize,
        base_cost: u32,
    ) -> Option<ChangedArguments> {
        let changed = difference(&assignments[0], &assignments[at])?;
        Some(ChangedArguments { assignments: assignments.clone(), changed: vec![changed], base_cost })
    }
}

impl Search<'_> {
    /// Schedules a job's invocation with its arguments, where other assignments replace the parameters that still are
    /// as in the first.
    pub(super) fn push_combinations(&mut self, job: &Job, change: &ChangedArguments) {
        let ChangedArguments { assignments, changed, base_cost } = change;
        let mut combined = 0;
        for other in assignments.iter().skip(1) {
            let Some(at) = difference(&assignments[0], other) else { continue };
            if changed.contains(&at) || matches!(other[at], Provision::Input(Input::Null)) {
                continue;
            }
            combined += 1;
            if combined > MAX_COMBINED {
                break;
            }
            let mut assignment = job.assignment.clone();
            assignment[at] = other[at].clone();
            let mut all = changed.clone();
            all.push(at);
            let change =
                ChangedArguments { assignments: assignments.clone(), changed: all, base_cost: *base_cost };
            let cost = base_cost + COST * combined as u32;
            self.push(cost, Job { assignment, change: Some(change), next: None, ..job.again() });
        }
    }
}

/// The only parameter in which two assignments differ.
fn difference(one: &[Provision], other: &[Provision]) -> Option<usize> {
    let differs = |at: &usize| !one[*at].is_same(&other[*at]);
    let mut changed = (0..one.len()).filter(differs);
    changed.next().filter(|_| changed.next().is_none())
}
