//! Arguments that have proved their worth are combined with others.
//!
//! The assignments of an invocation differ from the first in one parameter. Code that checks all that it is given looks
//! at the second parameter only if the first is right, so the right values must come together.

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

    /// This assignment, where others replace the parameters that still are as in the first; with the changes and the
    /// costs.
    pub(super) fn combinations(
        &self,
        assignment: &[Provision],
    ) -> Vec<(u32, Vec<Provision>, ChangedArguments)> {
        let mut found = Vec::new();
        for other in self.assignments.iter().skip(1) {
            let Some(at) = difference(&self.assignments[0], other) else { continue };
            if self.changed.contains(&at) || matches!(other[at], Provision::Input(Input::Null)) {
                continue;
            }
            let mut combined = assignment.to_vec();
            combined[at] = other[at].clone();
            let mut change = self.clone();
            change.changed.push(at);
            found.push((self.base_cost + COST * (found.len() as u32 + 1), combined, change));
            if found.len() == MAX_COMBINED {
                break;
            }
        }
        found
    }
}

/// The only parameter in which two assignments differ.
fn difference(one: &[Provision], other: &[Provision]) -> Option<usize> {
    let differs = |at: &usize| !one[*at].is_same(&other[*at]);
    let mut changed = (0..one.len()).filter(differs);
    changed.next().filter(|_| changed.next().is_none())
}
