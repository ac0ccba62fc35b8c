//! The context that the deduction trees of a class share, and limits of their growth.

use super::compose::Composer;
use super::memory::Memory;
use super::sequence::CallableKind;
use crate::accesses::Accesses;
use crate::account::Stop;
use crate::symbolic::{MethodSummary, Path, PathEnd, StateVariables};
use cupping_solve::Solver;
use cupping_term::{TermId, Terms, VarIndex};

/// Limits of the deduction for one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeductionLimits {
    /// Maximal number of calls, including constructor and use; 0 disables deduction.
    pub depth: usize,
    /// Maximal number of tree nodes.
    pub nodes: usize,
    /// Maximal number of sequences run.
    pub runs: usize,
}

impl Default for DeductionLimits {
    fn default() -> DeductionLimits {
        DeductionLimits { depth: 7, nodes: 240, runs: 5 }
    }
}

/// The context of deduction.
pub struct Deduction<'a> {
    /// The arena.
    pub terms: &'a mut Terms,
    /// The solver.
    pub solver: &'a mut Solver,
    /// The definitions and uses.
    pub accesses: &'a Accesses,
    /// The symbols of the variables.
    pub variables: &'a StateVariables,
    /// The methods that a sequence may call.
    pub summaries: &'a [MethodSummary],
    /// The kind of each summary's method.
    pub kinds: &'a [CallableKind],
    /// Values of static variables at the start of a sequence.
    pub statics: &'a [(VarIndex, u64)],
    /// What holds of the object between calls.
    pub invariants: &'a [TermId],
    /// The instantiated paths by depth.
    pub composer: &'a mut Composer,
    /// The cache of queries for this class.
    pub memory: &'a mut Memory,
    /// The limits.
    pub limits: DeductionLimits,
    /// Solver work at which deduction gives up, in microseconds.
    pub limit: u64,
    /// When to end early.
    pub stop: Stop,
}

/// The remaining budget of a pair.
#[derive(Clone, Copy, Debug)]
pub struct PairBudget {
    /// Remaining runs.
    pub runs: usize,
    /// Remaining nodes for all trees.
    pub nodes: usize,
    /// Remaining nodes for the tree of this round.
    pub round: usize,
    /// Number of deduced sequences that exercised something else.
    pub unconfirmed: usize,
}

impl PairBudget {
    /// The full budget.
    pub fn new(limits: &DeductionLimits) -> PairBudget {
        PairBudget { runs: limits.runs, nodes: limits.nodes, round: 0, unconfirmed: 0 }
    }
}

impl Deduction<'_> {
    /// Paths of a summary that another call can follow.
    pub(super) fn continuing(&self, summary: usize) -> impl Iterator<Item = (usize, &Path)> {
        let paths = self.summaries[summary].paths.iter().enumerate();
        paths.filter(|(_, p)| !matches!(p.end, PathEnd::Threw))
    }
}

/// The definitions of a variable that may be the last on a path, and whether there certainly is one.
pub(super) fn last_definitions(accesses: &Accesses, path: &Path, variable: usize) -> (Vec<usize>, bool) {
    let mut found = Vec::new();
    for event in path.events.iter().rev() {
        let own = event.accesses.iter().copied().filter(|id| {
            let access = &accesses.all[*id];
            access.variable == variable && access.is_definition
        });
        let before = found.len();
        found.extend(own);
        if event.is_certain && found.len() > before {
            return (found, true);
        }
    }
    (found, false)
}

/// Conditions without tautologies and duplicates; `None` if one is contradictory.
pub(crate) fn simplified(terms: &Terms, condition: Vec<TermId>) -> Option<Vec<TermId>> {
    let mut found: Vec<TermId> = Vec::new();
    for conjunct in condition {
        match terms.as_constant(conjunct) {
            Some(0) => return None,
            Some(_) => {}
            None if found.contains(&conjunct) => {}
            None => found.push(conjunct),
        }
    }
    Some(found)
}
