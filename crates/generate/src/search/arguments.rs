//! Successful arguments: other sequences with the same parameters try them first, so that what a
//! constructor or parser demands is not searched for again.

use super::Search;
use crate::arguments::Arguments;
use crate::driver::PlanDriver;
use crate::plan::PlanStep;
use cupping_term::Model;
use std::collections::hash_map::Entry;

impl Search<'_> {
    /// Remembers what a path passed at a step: `has_returned` for invocations that make arguments, else because it
    /// covered something.
    pub(super) fn remember_arguments(
        &mut self,
        driver: &PlanDriver,
        step: usize,
        model: &Model,
        has_returned: bool,
    ) {
        if let Some((method, arguments)) = Arguments::at(driver, step, model) {
            match self.arguments.entry((method, has_returned)) {
                // The first arguments that returned are simple.
                Entry::Occupied(_) if has_returned => {}
                Entry::Occupied(mut known) => *known.get_mut() = arguments,
                Entry::Vacant(first) => {
                    first.insert(arguments);
                }
            }
        }
    }

    /// Passes what led far before at the next invocation, in the variables numbered from `first` on. Returns whether
    /// a value is set.
    pub(super) fn pass_arguments(
        &self,
        driver: &PlanDriver,
        is_last: bool,
        first: usize,
        model: &mut Model,
    ) -> bool {
        let step = driver.next;
        let Some(PlanStep::Call { invokable, .. }) = driver.plan.steps.get(step) else { return false };
        let known = |has_returned| self.arguments.get(&(invokable.method, has_returned));
        let known = if is_last { known(false).or(known(true)) } else { known(true) };
        known.is_some_and(|it| it.pass(driver, step, first, model))
    }
}
