//! Call sequences that may distinguish a mutant from the original.

use super::super::products::Attempt;
use super::Search;
use cupping_machine::MethodId;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Search<'_> {
    /// Calls of these methods from other states of the object, with free arguments.
    pub(super) fn calls_from_states(&mut self, methods: &[MethodId], most: usize) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        let methods: BTreeSet<_> = methods.iter().copied().collect();
        let subject = self.subject;
        let invokables = subject.under_test.iter().filter(|it| methods.contains(&it.method));
        for invokable in invokables.filter(|it| it.has_receiver()) {
            for state in 0..self.states.len() {
                if attempts.len() == most {
                    return attempts;
                }
                let known = &self.states[state];
                let (Some(receiver), class) = (known.receiver, known.class) else { continue };
                if !self.machine.is_subtype(class, invokable.class) {
                    continue;
                }
                let (plan, slots) = (known.driver.plan.clone(), known.driver.slots.clone());
                let model = known.model.clone();
                let plan = self.with_call(&plan, invokable, receiver);
                attempts.extend(plan.map(|plan| Attempt { plan, slots: Rc::new(slots), model }));
            }
        }
        attempts
    }
}
