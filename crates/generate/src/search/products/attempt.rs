//! A sequence with inputs, to be run on versions of the code.

use crate::candidate::Candidate;
use crate::driver::Slot;
use crate::plan::Plan;
use cupping_term::Model;
use std::rc::Rc;

/// A plan with the variables and values of its inputs.
#[derive(Clone)]
pub(in crate::search) struct Attempt {
    pub(in crate::search) plan: Rc<Plan>,
    pub(in crate::search) slots: Rc<Vec<Slot>>,
    pub(in crate::search) model: Model,
}

impl Attempt {
    /// What a candidate ran.
    pub(in crate::search) fn of(candidate: &Candidate) -> Attempt {
        Attempt {
            plan: candidate.plan.clone(),
            slots: Rc::new(candidate.driver.slots.clone()),
            model: candidate.model.clone(),
        }
    }
}
