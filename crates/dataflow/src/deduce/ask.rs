//! What is asked of the solver, and one call put before others: conditions over the state before it, from conditions over
//! the state after it.
//!
//! Trees of one class have much in common, since calls at the same place of a sequence have the same variables. So nothing
//! is asked twice.

use super::compose::Renamed;
use super::{Deduction, simplified};
use crate::symbolic::with_lengths;
use cupping_solve::{Answer, Query, Solver, project};
use cupping_term::{Substitution, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A path of a summary at a place, and the condition after it.
type Step = ((usize, usize), usize, Box<[TermId]>);

/// What has been asked.
#[derive(Default)]
pub struct Memory {
    /// By conjuncts, in the order of their numbers: whether no values satisfy them.
    unsatisfiable: FxHashMap<Box<[TermId]>, bool>,
    before: FxHashMap<Step, Option<Rc<[TermId]>>>,
    projected: FxHashMap<Rc<[TermId]>, Option<Rc<[TermId]>>>,
}

/// What the queries so far cost, in microseconds: by layer, from what those of deduction cost on average.
pub fn work(solver: &Solver) -> u64 {
    let cost = |name: &str| match name {
        "search" => 200,
        "sat" => 3_000,
        "z3" => 20_000,
        _ => 10,
    };
    solver.stats().layers.iter().map(|(name, layer)| layer.asked * cost(name)).sum()
}

impl Deduction<'_> {
    /// Whether no values satisfy a condition; `false` where the solver cannot tell.
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

    /// Whether a conjunct holds wherever others do.
    pub(super) fn implies(&mut self, given: &[TermId], conjunct: TermId) -> bool {
        if given.contains(&conjunct) {
            return true;
        }
        let mut all = given.to_vec();
        all.push(self.terms.not(conjunct));
        self.is_unsatisfiable(&all)
    }

    /// What a condition says of the state alone, where that is found.
    pub(super) fn projected(&mut self, condition: &Rc<[TermId]>) -> Option<Rc<[TermId]>> {
        if let Some(known) = self.memory.projected.get(condition) {
            return known.clone();
        }
        let variables = self.variables;
        let found = project(self.terms, condition, &|v| variables.contains(v)).map(Rc::from);
        self.memory.projected.insert(condition.clone(), found.clone());
        found
    }

    /// The condition before a call at a place: what must hold after it, in terms of the values before it, and its own
    /// precondition. Conjuncts that its precondition implies are left out. `None` where they contradict each other.
    pub(super) fn before(
        &mut self,
        path: (usize, usize),
        place: usize,
        call: &Renamed,
        condition: &[TermId],
    ) -> Option<Rc<[TermId]>> {
        let key: Step = (path, place, condition.into());
        if let Some(known) = self.memory.before.get(&key) {
            return known.clone();
        }
        let found = self.composed(call, condition).map(Rc::from);
        self.memory.before.insert(key, found.clone());
        found
    }

    fn composed(&mut self, call: &Renamed, condition: &[TermId]) -> Option<Vec<TermId>> {
        let mut substitution = Substitution::default();
        for (variable, value) in &call.after {
            substitution.set(self.terms, *variable, *value);
        }
        let own = simplified(self.terms, call.condition.clone())?;
        let carried: Vec<TermId> = condition.iter().map(|c| substitution.apply(self.terms, *c)).collect();
        let carried = simplified(self.terms, carried)?;
        let mut all = own.clone();
        all.extend(carried.iter().copied().filter(|c| !own.contains(c)));
        if self.is_unsatisfiable(&all) {
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
