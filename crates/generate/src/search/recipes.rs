//! The states that a search has found, as recipes for the pool.

use super::Search;
use super::states::EndState;
use crate::plan::{Plan, PlanStep};
use crate::pool::Recipe;
use cupping_machine::{ClassId, MethodId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the recipes for a class.
pub(crate) const MAX_RECIPES: usize = 6;
/// Limit on the steps of a recipe.
const MAX_STEPS: usize = 40;

impl Search<'_> {
    /// The states found, as recipes: the first state of each class and last call, and the two states with the
    /// most distinct calls.
    pub(crate) fn recipes(&self) -> Vec<Rc<Recipe>> {
        let mut chosen: Vec<usize> = Vec::new();
        let mut seen: BTreeSet<(ClassId, MethodId)> = BTreeSet::new();
        let calls = |plan: &Plan| -> Vec<MethodId> {
            let calls = plan.steps.iter().filter_map(|step| match step {
                PlanStep::Call { invokable, .. } => Some(invokable.method),
                _ => None,
            });
            calls.collect()
        };
        let is_usable = |at: &usize| {
            let plan = &self.states[*at].driver.plan;
            self.states[*at].receiver.is_some() && plan.steps.len() <= MAX_STEPS && !plan.has_folder()
        };
        let usable: Vec<usize> = (0..self.states.len()).filter(is_usable).collect();
        for at in &usable {
            let state = &self.states[*at];
            let last = calls(&state.driver.plan).last().copied().unwrap_or(MethodId(u32::MAX));
            if chosen.len() < MAX_RECIPES - 2 && seen.insert((state.class, last)) {
                chosen.push(*at);
            }
        }
        let mut rich = usable;
        rich.retain(|at| !chosen.contains(at));
        rich.sort_by_key(|at| {
            let distinct: BTreeSet<MethodId> = calls(&self.states[*at].driver.plan).into_iter().collect();
            (std::cmp::Reverse(distinct.len()), *at)
        });
        chosen.extend(rich.into_iter().take(2));
        let mut found: Vec<Rc<Recipe>> = chosen.iter().filter_map(|at| self.recipe(*at, false)).collect();
        let open = chosen.first().and_then(|at| self.recipe(*at, true));
        let at = found.len().min(1);
        found.splice(at..at, open.filter(|it| it.is_open()));
        found
    }

    /// The recipe of a state. If it is to be open, inputs on which no decision depends are free.
    fn recipe(&self, state: usize, is_open: bool) -> Option<Rc<Recipe>> {
        let EndState { driver, path, model, receiver, class, .. } = &self.states[state];
        let plan = match is_open {
            true => driver.decided_plan(self.machine, path, model)?,
            false => driver.fixed_plan(model)?,
        };
        let free = Plan { setup: 0, ..driver.plan.as_ref().clone() };
        Some(Rc::new(Recipe { plan: Plan { setup: 0, ..plan }, free, object: (*receiver)?, class: *class }))
    }
}
