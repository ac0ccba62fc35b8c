//! One call put before others: conditions over the state before it, from conditions over the state after it.

use crate::symbolic::{Path, StateVariables, Summary};
use cupping_solve::{Answer, Query, Solver};
use cupping_term::{Substitution, TermId, Terms, VarIndex};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A path with variables of its own for its parameters and unknowns.
#[derive(Debug)]
pub struct Renamed {
    /// Its condition.
    pub condition: Vec<TermId>,
    /// The values of state variables after it.
    pub after: Vec<(VarIndex, TermId)>,
    /// Its parameters' variables, and those of the lengths of arrays among them.
    pub parameters: Vec<(VarIndex, Option<VarIndex>)>,
}

/// Renames paths, once for each place in a sequence, so that two calls of a method have parameters of their own.
#[derive(Default)]
pub struct Composer {
    renamed: FxHashMap<(usize, usize, usize), Rc<Renamed>>,
}

impl Composer {
    /// A path as it is at a place in the sequence, counted from its end.
    pub fn at(
        &mut self,
        terms: &mut Terms,
        variables: &StateVariables,
        summaries: &[Summary],
        (summary, path): (usize, usize),
        place: usize,
    ) -> Rc<Renamed> {
        if let Some(known) = self.renamed.get(&(summary, path, place)) {
            return known.clone();
        }
        let of = &summaries[summary];
        let made = Rc::new(rename(terms, variables, of, &of.paths[path]));
        self.renamed.insert((summary, path, place), made.clone());
        made
    }
}

fn rename(terms: &mut Terms, variables: &StateVariables, of: &Summary, path: &Path) -> Renamed {
    let mut substitution = Substitution::default();
    let mut own: Vec<VarIndex> = of.parameters.iter().flat_map(|(p, l)| [Some(*p), *l]).flatten().collect();
    let all = path.condition.iter().copied().chain(path.after.iter().map(|(_, value)| *value));
    for term in all {
        own.extend(terms.variables(term).iter().filter(|v| !variables.contains(**v)));
    }
    own.sort_unstable();
    own.dedup();
    for variable in own {
        let (name, sort) = (terms.variable(variable).name.clone(), terms.variable(variable).sort);
        let new = terms.new_variable(name, sort);
        substitution.set(terms, variable, new);
    }
    let renamed = |substitution: &Substitution, terms: &Terms, variable: VarIndex| {
        substitution.get(variable).and_then(|term| terms.as_variable(term)).unwrap_or(variable)
    };
    let parameters = of.parameters.iter().map(|(p, l)| {
        let length = l.map(|l| renamed(&substitution, terms, l));
        (renamed(&substitution, terms, *p), length)
    });
    let parameters = parameters.collect();
    let condition = path.condition.iter().map(|c| substitution.apply(terms, *c)).collect();
    let after = path.after.iter().map(|(v, value)| (*v, substitution.apply(terms, *value))).collect();
    Renamed { condition, after, parameters }
}

/// The condition before a call: what must hold after it, in terms of the values before it, and its own precondition.
/// Conjuncts that its precondition implies are left out. `None` where they contradict each other.
pub fn before(
    terms: &mut Terms,
    solver: &mut Solver,
    call: &Renamed,
    condition: &[TermId],
) -> Option<Vec<TermId>> {
    let mut substitution = Substitution::default();
    for (variable, value) in &call.after {
        substitution.set(terms, *variable, *value);
    }
    let own = super::simplified(terms, call.condition.clone())?;
    let carried: Vec<TermId> = condition.iter().map(|c| substitution.apply(terms, *c)).collect();
    let carried = super::simplified(terms, carried)?;
    let mut all = own.clone();
    all.extend(carried.iter().copied().filter(|c| !own.contains(c)));
    if is_unsatisfiable(terms, solver, &all) {
        return None;
    }
    let mut kept = own.clone();
    for conjunct in carried {
        if own.contains(&conjunct) {
            continue;
        }
        let shares =
            terms.variables(conjunct).iter().all(|v| own.iter().any(|c| terms.variables(*c).contains(v)));
        if shares && implies(terms, solver, &own, conjunct) {
            continue;
        }
        kept.push(conjunct);
    }
    Some(kept)
}

/// Whether a conjunct holds wherever others do.
pub fn implies(terms: &mut Terms, solver: &mut Solver, given: &[TermId], conjunct: TermId) -> bool {
    if given.contains(&conjunct) {
        return true;
    }
    let mut all = given.to_vec();
    all.push(terms.not(conjunct));
    is_unsatisfiable(terms, solver, &all)
}

/// Whether no values satisfy a condition; `false` where the solver cannot tell.
pub fn is_unsatisfiable(terms: &mut Terms, solver: &mut Solver, condition: &[TermId]) -> bool {
    let query = Query { assertions: condition, hint: None };
    matches!(solver.solve(terms, &query), Answer::Unsat { .. })
}
