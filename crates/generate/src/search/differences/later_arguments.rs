//! Arguments of further calls. They may be arguments or results of earlier calls of the sequence: `contains`
//! after `add` of the same object, `equals` with the object that was copied.

use super::super::Search;
use crate::invokable::{Invokable, Parameter};
use crate::plan::{Plan, PlanStep, Var};
use crate::provisions::Provision;
use cupping_machine::Kind;
use std::rc::Rc;

/// Limit on the earlier variables that are passed again for a parameter; the last ones are used.
const MAX_AGAIN: usize = 3;

impl Search<'_> {
    /// A plan with one more call and one choice of arguments: the likely ones first, then variables of the
    /// plan, then others.
    pub(super) fn with_arguments(
        &mut self,
        plan: &Plan,
        invokable: &Rc<Invokable>,
        receiver: Var,
        nth: usize,
    ) -> Option<Rc<Plan>> {
        // Read the arguments in a state of this version.
        self.machine.restore(&self.base);
        let class = self.subject.class;
        let assignments =
            self.provider.assignments(self.machine, &mut self.influence, invokable, Some(class));
        let likely = assignments.first()?;
        if nth == 0 {
            return self.with_call_of(plan, invokable, receiver, likely);
        }
        let mut again: Vec<(usize, Var)> = Vec::new();
        for (place, parameter) in invokable.parameters.iter().enumerate() {
            again.extend(self.fitting(plan, parameter, receiver).into_iter().map(|var| (place, var)));
        }
        match again.get(nth - 1) {
            Some((place, var)) => {
                let mut assignment = likely.clone();
                assignment[*place] = Provision::Var(*var);
                self.with_call_of(plan, invokable, receiver, &assignment)
            }
            None => self.with_call_of(plan, invokable, receiver, assignments.get(nth - again.len())?),
        }
    }

    /// The last variables of a plan that fit a parameter, except for the object itself.
    fn fitting(&mut self, plan: &Plan, parameter: &Parameter, receiver: Var) -> Vec<Var> {
        if parameter.kind != Kind::Reference {
            return Vec::new();
        }
        let Ok(wanted) = self.machine.load_descriptor(&parameter.ty.descriptor()) else { return Vec::new() };
        let mut found = Vec::new();
        for var in plan.steps.iter().rev().filter_map(PlanStep::defines).filter(|it| *it != receiver) {
            let declared = plan.variables[var].ty.descriptor();
            let fits = declared.starts_with('L')
                && self
                    .machine
                    .load_descriptor(&declared)
                    .is_ok_and(|it| self.machine.is_subtype(it, wanted));
            if fits && found.len() < MAX_AGAIN {
                found.push(var);
            }
        }
        found
    }
}
