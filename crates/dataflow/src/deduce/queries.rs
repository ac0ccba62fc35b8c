//! Solver queries of deduction, and composition with a preceding call: turns conditions on the state after a
//! call into conditions on the state before it.
//!
//! The trees of a class have much in common, because calls at the same position of a sequence share
//! variables. All results are therefore cached.

use super::compose::RenamedPath;
use super::context::{Deduction, simplified};
use super::memory::MemoStep;
use super::sequence::CallableKind;
use crate::symbolic::with_lengths;
use cupping_solve::{Answer, Query, project};
use cupping_term::{Substitution, TermId, VarIndex};
use std::rc::Rc;

impl Deduction<'_> {
    /// Whether a condition is unsatisfiable; false if the solver cannot decide.
    pub(super) fn is_unsatisfiable(&mut self, condition: &[TermId]) -> bool {
        let mut key = condition.to_vec();
        key.sort_unstable();
        key.dedup();
        if let Some(known) = self.memory.unsatisfiable.get(&key[..]) {
            return *known;
        }
        let assertions = with_lengths(self.terms, condition);
        let query = Query { assertions: &assertions, hint: None };
        let answer = matches!(self.solver.solve(self.terms, &query), Answer::Unsat { .. });
        self.memory.unsatisfiable.insert(key.into_boxed_slice(), answer);
        answer
    }

    /// Whether no object is in a state before a call of this summary in which the condition holds.
    pub(super) fn is_contradictory(&mut self, summary: usize, condition: &[TermId]) -> bool {
        if self.is_unsatisfiable(condition) {
            return true;
        }
        if self.invariants.is_empty() || self.kinds[summary] != CallableKind::OnObject {
            return false;
        }
        let terms = &mut *self.terms;
        let mut about: Vec<VarIndex> = Vec::new();
        for conjunct in condition {
            about.extend(terms.variables(*conjunct).iter().filter(|it| self.variables.contains(**it)));
        }
        let concerns = |it: &&TermId| terms.variables(**it).iter().all(|variable| about.contains(variable));
        let known: Vec<TermId> = self.invariants.iter().filter(concerns).copied().collect();
        if known.is_empty() {
            return false;
        }
        let all: Vec<TermId> = condition.iter().copied().chain(known).collect();
        self.is_unsatisfiable(&all)
    }

    /// Whether conditions imply a conjunct.
    pub(super) fn implies(&mut self, given: &[TermId], conjunct: TermId) -> bool {
        if given.contains(&conjunct) {
            return true;
        }
        let mut all = given.to_vec();
        all.push(self.terms.not(conjunct));
        self.is_unsatisfiable(&all)
    }

    /// The projection of a condition to the state, if it is found.
    pub(super) fn projected(&mut self, condition: &Rc<[TermId]>) -> Option<Rc<[TermId]>> {
        if let Some(known) = self.memory.projected.get(condition) {
            return known.clone();
        }
        let variables = self.variables;
        let found = project(self.terms, condition, &|v| variables.contains(v)).map(Rc::from);
        self.memory.projected.insert(condition.clone(), found.clone());
        found
    }

    /// The weakest precondition of a path at a position: the condition after it, expressed over the values
    /// before, and the path's own condition. Conjuncts that the path's condition implies are dropped. `None`
    /// if they are contradictory.
    pub(super) fn before(
        &mut self,
        path: (usize, usize),
        place: usize,
        call: &RenamedPath,
        condition: &[TermId],
    ) -> Option<Rc<[TermId]>> {
        let key: MemoStep = (path, place, condition.into());
        if let Some(known) = self.memory.before.get(&key) {
            return known.clone();
        }
        let found = self.composed(path.0, call, condition).map(Rc::from);
        self.memory.before.insert(key, found.clone());
        found
    }

    fn composed(&mut self, summary: usize, call: &RenamedPath, condition: &[TermId]) -> Option<Vec<TermId>> {
        let mut substitution = Substitution::default();
        for (variable, value) in &call.after {
            substitution.set(self.terms, *variable, *value);
        }
        let own = simplified(self.terms, call.condition.clone())?;
        let carried: Vec<TermId> = condition.iter().map(|c| substitution.apply(self.terms, *c)).collect();
        let carried = simplified(self.terms, carried)?;
        let mut all = own.clone();
        all.extend(carried.iter().copied().filter(|c| !own.contains(c)));
        if self.is_contradictory(summary, &all) {
            return None;
        }
        let mut kept = own.clone();
        for conjunct in carried {
            if own.contains(&conjunct) {
                continue;
            }
            let terms = &mut *self.terms;
            let shares =
                terms.variables(conjunct).iter().all(|v| own.iter().any(|c| terms.variables(*c).contains(v)));
            if shares && self.implies(&own, conjunct) {
                continue;
            }
            kept.push(conjunct);
        }
        Some(kept)
    }
}
