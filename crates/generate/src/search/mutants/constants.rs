//! Tests of the constants of a class, aimed at mutants of its initialiser.
//!
//! Every test runs the initialiser, and hardly any shows what it has set: a constant's own state does. So each
//! constant gets one call that changes nothing; what can be observed of it is asserted if it tells mutants apart.

use super::super::products::Attempt;
use super::{MutantSearch, Search};
use crate::case_writer::{CaseWriter, Draft};
use crate::driver::Slot;
use crate::invokable::Invokable;
use crate::plan::Plan;
use cupping_case::JavaType;
use cupping_machine::ClassId;
use cupping_term::Model;
use std::rc::Rc;

/// Limit on the constants that are tried.
const MAX_CONSTANTS: usize = 64;

impl Search<'_> {
    /// Calls a method that shows its state on each constant of the class, while mutants of the initialiser are open.
    pub(super) fn try_constants(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let Some(shower) = self.shower() else { return };
        let subject = self.subject;
        for constant in subject.constants.iter().take(MAX_CONSTANTS) {
            let all = &aim.targets.all;
            let open: Vec<usize> = (0..all.len())
                .filter(|at| all[*at].version.initialises.is_some() && aim.targets.is_open(*at))
                .collect();
            if open.is_empty() || self.is_out_of_budget(aim) {
                break;
            }
            let attempt = self.attempt_on_constant(*constant, &shower);
            if let Some(candidate) = self.follow(&aim.bases.original, &attempt) {
                self.try_candidate(aim, &candidate, Some(&open), writer, drafts);
            }
        }
    }

    /// The method that shows most of an object: `toString`, or another one that changes nothing.
    fn shower(&mut self) -> Option<Rc<Invokable>> {
        let class = self.subject.class;
        let mut found: Vec<Rc<Invokable>> = Vec::new();
        for invokable in &self.subject.under_test {
            let is_getter = invokable.has_receiver()
                && invokable.parameters.is_empty()
                && invokable.result != JavaType::Void;
            if !is_getter {
                continue;
            }
            let effects = self.influence.effects(self.machine, class, invokable.method);
            // Tests that modify the object of a constant would affect each other.
            if &*invokable.reference.name == "toString" && !effects.changes_of(self.machine, class) {
                return Some(invokable.clone());
            }
            if effects.is_pure() {
                found.push(invokable.clone());
            }
        }
        found.first().cloned()
    }

    fn attempt_on_constant(&mut self, constant: (ClassId, usize), shower: &Rc<Invokable>) -> Attempt {
        let name = self.machine.class(constant.0).name.clone();
        let mut plan = Plan::default();
        let var = plan.static_field(constant, JavaType::class(&name), "constant");
        plan.call(shower, vec![var], "result");
        let slots = vec![Slot::default(); plan.variables.len()];
        Attempt { plan: Rc::new(plan), slots: Rc::new(slots), model: Model::new() }
    }
}
