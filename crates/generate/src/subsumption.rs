//! State pruning: a state is not extended if all of its concrete states have been seen.
//!
//! Isomorphic states are pruned (Rostra). A symbolic state is pruned if its conditions imply those of an
//! earlier state of the same shape (Symstra; thesis §6.3.1). Variables that occur only in the path are
//! projected away on the implied side; on the other side they may take any value that the path allows.

use crate::canonical::{Canonical, canonical_of};
use cupping_explore::Path;
use cupping_machine::{Kind, Machine, Value};
use cupping_solve::{Answer, Query, Solver, project};
use cupping_term::{Model, Substitution, TermId, Terms, VarIndex};
use rustc_hash::{FxHashMap, FxHashSet};

/// Limit on the earlier states of one shape that a new one is compared with.
const MAX_COMPARED: usize = 24;
/// Limit on the conditions of a state that can be compared.
const MAX_CONDITIONS: usize = 96;

/// Which states are pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Subsumption {
    /// Prune identical paths only: the search of the thesis.
    Off,
    /// Isomorphic states, including symbols and conditions (Rostra).
    Isomorphism,
    /// States whose conditions imply those of another of the same shape (Symstra).
    #[default]
    Implication,
}

/// The result for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is new.
    New,
    /// It is isomorphic to an earlier one.
    Isomorphic,
    /// An earlier state subsumes it.
    Subsumed,
}

/// The states seen so far.
#[derive(Default)]
pub struct SeenStates {
    keys: FxHashSet<u64>,
    shapes: FxHashMap<u64, Vec<Representative>>,
    /// Number of states pruned by isomorphism.
    pub isomorphic: u64,
    /// Number of states pruned by subsumption.
    pub subsumed: u64,
}

/// An earlier state, with the conditions that another of its shape must imply.
struct Representative {
    slots: Vec<TermId>,
    /// Conditions over the variables of its slots only.
    conditions: Vec<TermId>,
}

impl SeenStates {
    /// Submits the state reachable from these values under this path, with a model of the path.
    pub fn admit(
        &mut self,
        machine: &mut Machine,
        solver: &mut Solver,
        roots: &[(Kind, Value)],
        (path, model): (&Path, &Model),
        subsumption: Subsumption,
    ) -> Admission {
        if subsumption == Subsumption::Off {
            return Admission::New;
        }
        let Some(state) = canonical_of(machine, roots, path) else { return Admission::New };
        if !self.keys.insert(state.key) {
            self.isomorphic += 1;
            return Admission::Isomorphic;
        }
        if subsumption == Subsumption::Isomorphism || state.conditions.len() > MAX_CONDITIONS {
            return Admission::New;
        }
        let terms = machine.terms_mut();
        let known = self.shapes.entry(state.shape).or_default();
        let compared = known.iter().rev().take(MAX_COMPARED);
        for seen in compared {
            if subsumes(terms, solver, seen, &state, model) {
                self.subsumed += 1;
                return Admission::Subsumed;
            }
        }
        known.extend(Representative::new(terms, state));
        Admission::New
    }
}

impl Representative {
    /// `None` if its conditions cannot be projected: it subsumes no other state.
    fn new(terms: &mut Terms, state: Canonical) -> Option<Representative> {
        let named: FxHashSet<VarIndex> = state.slots.iter().filter_map(|s| terms.as_variable(*s)).collect();
        // A variable within a larger slot term has no counterpart in other states.
        let composed = |slot: &TermId| terms.variables(*slot).iter().any(|v| !named.contains(v));
        if state.slots.iter().any(composed) {
            return None;
        }
        let conditions = project(terms, &state.conditions, &|v| named.contains(&v))?;
        Some(Representative { slots: state.slots, conditions })
    }
}

/// Whether `seen` subsumes `state`.
fn subsumes(
    terms: &mut Terms,
    solver: &mut Solver,
    seen: &Representative,
    state: &Canonical,
    model: &Model,
) -> bool {
    if seen.slots.len() != state.slots.len() {
        return false;
    }
    let mut substitution = Substitution::default();
    for (theirs, ours) in seen.slots.iter().zip(&state.slots) {
        if let Some(variable) = terms.as_variable(*theirs)
            && substitution.get(variable).is_none()
            && !substitution.set(terms, variable, *ours)
        {
            return false;
        }
    }
    let mut obligations = Vec::new();
    for (theirs, ours) in seen.slots.iter().zip(&state.slots) {
        let theirs = substitution.apply(terms, *theirs);
        if theirs != *ours {
            obligations.push(same_bits(terms, theirs, *ours));
        }
    }
    for condition in &seen.conditions {
        obligations.push(substitution.apply(terms, *condition));
    }
    obligations.retain(|o| terms.as_constant(*o) != Some(1) && !state.conditions.contains(o));
    obligations.sort();
    obligations.dedup();
    // Most conditions that are not implied already fail under the model.
    let mut evaluator = cupping_term::Evaluator::new();
    if obligations.iter().any(|o| evaluator.eval(terms, model, *o) != 1) {
        return false;
    }
    obligations.into_iter().all(|obligation| {
        let mut assertions = state.conditions.clone();
        assertions.push(terms.not(obligation));
        let query = Query { assertions: &assertions, hint: None };
        matches!(solver.solve(terms, &query), Answer::Unsat { .. })
    })
}

fn same_bits(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    match terms.sort(a) {
        cupping_term::Sort::F32 => {
            let (a, b) = (terms.float_to_raw_bits(a), terms.float_to_raw_bits(b));
            terms.eq(a, b)
        }
        cupping_term::Sort::F64 => {
            let (a, b) = (terms.double_to_raw_bits(a), terms.double_to_raw_bits(b));
            terms.eq(a, b)
        }
        _ => terms.eq(a, b),
    }
}

#[cfg(test)]
mod tests;
