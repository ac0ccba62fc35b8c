//! Successful arguments: other sequences with the same parameters try them first, so that the search need not
//! find again what a constructor or parser demands.

use super::Search;
use crate::arguments::Arguments;
use crate::driver::PlanDriver;
use crate::plan::PlanStep;
use cupping_term::Model;
use std::collections::hash_map::Entry;

impl Search<'_> {
    /// Remembers the arguments that a path passed at a step: with `has_returned` because an invocation that
    /// creates arguments returned, else because the path covered something.
    pub(super) fn remember_arguments(
        &mut self,
        driver: &PlanDriver,
        step: usize,
        model: &Model,
        has_returned: bool,
    ) {
        if let Some((entrance, arguments)) = Arguments::at(driver, step, model) {
            match self.arguments.entry((entrance, has_returned)) {
                // The first arguments that returned are simple.
                Entry::Occupied(_) if has_returned => {}
                Entry::Occupied(mut known) => *known.get_mut() = arguments,
                Entry::Vacant(first) => {
                    first.insert(arguments);
                }
            }
        }
    }

    /// Passes remembered arguments to the next invocation, in the variables numbered from `first` on. Returns
    /// whether any value was set.
    pub(super) fn pass_arguments(
        &self,
        driver: &PlanDriver,
        is_last: bool,
        first: usize,
        model: &mut Model,
    ) -> bool {
        let step = driver.next;
        let Some(PlanStep::Call { invokable, .. }) = driver.plan.steps.get(step) else { return false };
        let known = |has_returned| self.arguments.get(&(invokable.entrance(), has_returned));
        let known = if is_last { known(false).or(known(true)) } else { known(true) };
        known.is_some_and(|it| it.pass(driver, step, first, model))
    }
}
