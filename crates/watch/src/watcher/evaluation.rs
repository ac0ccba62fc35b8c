//! Evaluates conditions by reading, where a plan allows it.

use super::limits::OF_A_READING;
use super::plans::{ArgumentPlan, PlanValues, Plans};
use super::state::{WatcherState, triple_of};
use cupping_machine::{Machine, Value};
use std::rc::Rc;

/// Number of failed readings after which the success rate decides whether to continue.
const PATIENCE: u32 = 64;

impl WatcherState {
    /// Makes the plans of a branch on first use.
    pub(super) fn plan(&mut self, machine: &mut Machine, branch: usize) {
        if self.plans[branch].is_some() {
            return;
        }
        let of = &self.branches[branch];
        let Some(class) = &self.classes[of.case] else { return };
        let triple = triple_of(&self.compiled, of);
        let target = machine.load(&triple.target.class);
        let method = target
            .ok()
            .and_then(|class| machine.find_method(class, &triple.target.name, &triple.target.descriptor));
        let plans = match method {
            Some(method) => {
                let result = machine.method(method).result;
                Plans::of(machine, &mut self.reader.borrow_mut(), class, of, triple, result)
            }
            None => Plans::default(),
        };
        self.plans[branch] = Some(Rc::new(plans));
    }

    /// Evaluates a condition by reading, if possible.
    pub(super) fn read(
        &self,
        machine: &mut Machine,
        plan: &ArgumentPlan,
        given: PlanValues<'_>,
    ) -> Option<Value> {
        if plan.given_up.get() >= PATIENCE && plan.given_up.get() > plan.done.get() {
            return None;
        }
        let mut reader = self.reader.borrow_mut();
        let value = plan.value(machine, &mut reader, given);
        self.spend(OF_A_READING + reader.steps());
        let counter = if value.is_some() { &plan.done } else { &plan.given_up };
        counter.set(counter.get().saturating_add(1));
        value
    }
}
