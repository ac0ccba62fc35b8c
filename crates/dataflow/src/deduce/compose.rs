//! Instantiates paths with separate variables for each position in a sequence.

use crate::symbolic::{LENGTH, MethodSummary, Path, StateVariables};
use cupping_term::{Substitution, TermId, Terms, VarIndex};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A path with its own variables for parameters and unknowns.
#[derive(Debug)]
pub struct RenamedPath {
    /// Its condition.
    pub condition: Vec<TermId>,
    /// The values of state variables after it.
    pub after: Vec<(VarIndex, TermId)>,
    /// The variables of its parameters, and of the lengths of array parameters.
    pub parameters: Vec<(VarIndex, Option<VarIndex>)>,
}

/// Renames paths once per position, so that two calls of a method have separate parameters.
#[derive(Default)]
pub struct Composer {
    renamed: FxHashMap<(usize, usize, usize), Rc<RenamedPath>>,
}

impl Composer {
    /// A path at a position of the sequence, counted from the end.
    pub fn at(
        &mut self,
        terms: &mut Terms,
        variables: &StateVariables,
        summaries: &[MethodSummary],
        (summary, path): (usize, usize),
        place: usize,
    ) -> Rc<RenamedPath> {
        if let Some(known) = self.renamed.get(&(summary, path, place)) {
            return known.clone();
        }
        let of = &summaries[summary];
        let made = Rc::new(rename(terms, variables, of, &of.paths[path], place));
        self.renamed.insert((summary, path, place), made.clone());
        made
    }
}

/// A name with primes, before the suffix of the length of an array.
fn primed(name: &str, primes: usize) -> String {
    let (of, suffix) = name.find(LENGTH).map_or((name, ""), |at| name.split_at(at));
    format!("{of}{}{suffix}", "'".repeat(primes))
}

/// Names at the use are those of the code; each call before it adds a prime.
fn rename(
    terms: &mut Terms,
    variables: &StateVariables,
    of: &MethodSummary,
    path: &Path,
    place: usize,
) -> RenamedPath {
    let mut substitution = Substitution::default();
    let mut own: Vec<VarIndex> = of.parameters.iter().flat_map(|(p, l)| [Some(*p), *l]).flatten().collect();
    let all = path.condition.iter().copied().chain(path.after.iter().map(|(_, value)| *value));
    for term in all {
        own.extend(terms.variables(term).iter().filter(|v| !variables.contains(**v)));
    }
    own.sort_unstable();
    own.dedup();
    for variable in own {
        let sort = terms.variable(variable).sort;
        let name = primed(&terms.variable(variable).name, place.saturating_sub(1));
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
    RenamedPath { condition, after, parameters }
}
