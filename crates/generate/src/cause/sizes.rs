//! Sizes that a test passes and that may be too small.

use super::parameter_name;
use crate::driver::Slot;
use crate::input::{Input, fixed};
use crate::plan::{Plan, PlanStep};
use cupping_machine::Kind;
use cupping_term::Model;

/// The smallest number that is taken for a size. Others below 0 are hardly meant as one.
const LEAST: i32 = -1;

/// A size that the test passes.
pub(crate) struct Size {
    /// The index of its step.
    pub(crate) at: usize,
    /// The input, with its value.
    pub(crate) input: Input,
    /// The parameter that it is passed to.
    pub(crate) name: String,
}

/// The numbers and the empty arrays among the inputs that may be too small.
pub(crate) fn sizes(plan: &Plan, slots: &[Slot], model: &Model) -> Vec<Size> {
    let of_step = |(at, step): (usize, &PlanStep)| {
        let PlanStep::Input { input, var } = step else { return None };
        let input = fixed(input, &slots.get(*var)?.symbols, model);
        let is_small = match &input {
            Input::Fixed(Kind::Int, bits) => (LEAST..=0).contains(&(*bits as u32 as i32)),
            Input::Elements(_, elements) => elements.is_empty(),
            _ => false,
        };
        let holder = || {
            plan.steps.iter().find_map(|step| match step {
                PlanStep::NewArray { elements, var: made, .. } if elements.contains(var) => Some(*made),
                _ => None,
            })
        };
        let name = || parameter_name(plan, *var).or_else(|| parameter_name(plan, holder()?));
        is_small.then(|| Some(Size { at, input, name: name()? }))?
    };
    plan.steps.iter().enumerate().filter_map(of_step).collect()
}
