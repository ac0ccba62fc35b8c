//! Substitution of terms for variables.

use crate::arena::{Term, TermId, Terms};
use crate::variables::VarIndex;
use rustc_hash::FxHashMap;

/// Replaces variables by terms of the same sort, with a cache of results.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    variables: FxHashMap<VarIndex, TermId>,
    known: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// Maps a variable to a term. Returns false and does nothing if the sorts differ.
    pub fn set(&mut self, terms: &Terms, variable: VarIndex, by: TermId) -> bool {
        let fits = terms.variable(variable).sort == terms.sort(by);
        if fits {
            self.known.clear();
            self.variables.insert(variable, by);
        }
        fits
    }

    /// The replacement of a variable.
    #[must_use]
    pub fn get(&self, variable: VarIndex) -> Option<TermId> {
        self.variables.get(&variable).copied()
    }

    /// Replaces all mapped variables simultaneously and rewrites the result.
    pub fn apply(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        let mut open = vec![term];
        while let Some(next) = open.last().copied() {
            if self.known.contains_key(&next) {
                open.pop();
                continue;
            }
            let node = *terms.get(next);
            let before = open.len();
            open.extend(node.args().iter().filter(|arg| !self.known.contains_key(arg)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let replaced = match node {
                Term::Constant { .. } => next,
                Term::Variable { index, .. } => self.get(index).unwrap_or(next),
                Term::Lookup { table, index, .. } => terms.lookup(table, self.known[&index]),
                Term::Apply { op, sort, args } => {
                    let replaced = args.map(|arg| self.known[&arg]);
                    if replaced == args { next } else { terms.apply(op, sort, replaced) }
                }
            };
            self.known.insert(next, replaced);
        }
        self.known[&term]
    }
}
