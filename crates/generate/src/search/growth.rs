//! Inputs that were too short: what runs new code and fails at a bound then is tried with room for more elements.

use super::{Job, Search};
use crate::exceptions::ThrownException;
use crate::input::Input;
use crate::provisions::Provision;

/// How many elements an input has room for then, and what that costs.
const MORE: u32 = 16;
const COST: u32 = 6;

impl Search<'_> {
    /// Schedules an invocation again that failed at a bound beyond something new, once for each method.
    pub(super) fn grow_inputs(&mut self, job: &Job, thrown: &ThrownException) {
        let is_at_bound = thrown.class.ends_with("IndexOutOfBoundsException");
        if !is_at_bound || job.in_world || job.is_found || self.grown.contains(&job.invokable.method) {
            return;
        }
        let assignment: Option<Vec<Provision>> = {
            let mut any = false;
            let all = job.assignment.iter().map(|it| {
                let grown = grown(it);
                any |= grown.is_some();
                grown.unwrap_or_else(|| it.clone())
            });
            let all = all.collect();
            any.then_some(all)
        };
        let Some(assignment) = assignment else { return };
        self.grown.insert(job.invokable.method);
        let cost = self.cost_of(job.state) + COST;
        self.push(cost, Job { assignment, ..job.again() });
    }
}

/// A provision with room for more, if it is an array or a text of any content.
fn grown(provision: &Provision) -> Option<Provision> {
    let input = match provision {
        Provision::Input(Input::Array { element, max }) if *max < MORE => {
            Input::Array { element: *element, max: MORE }
        }
        Provision::Input(Input::String { max, first }) if *max < MORE => {
            Input::String { max: MORE, first: first.clone() }
        }
        _ => return None,
    };
    Some(Provision::Input(input))
}
