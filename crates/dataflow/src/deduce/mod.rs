//! Automated deduction (§6): builds a tree of calls backwards from the use. Each node has the condition under
//! which the calls after it exercise the pair.
//!
//! Constraints and heuristics follow the paper. The children of a node are the paths whose postconditions do
//! not contradict its condition; conjuncts that they imply are removed, and their preconditions are added. A
//! node whose condition implies that of an ancestor is pruned. The defining method and the constructor are
//! placed as early as possible, and other methods are tried only if that fails. The search is depth first
//! with iterative deepening.

mod compose;
mod queries;
mod roots;
mod tree;

pub use compose::Composer;
pub use queries::{Memory, work};
pub use roots::{Root, roots};
pub use tree::{DeductionNode, Fate, Tree};

use crate::accesses::Accesses;
use crate::confirmation::Outcome;
use crate::pairs::Pair;
use crate::symbolic::{End, Path, StateVariables, Summary};
use cupping_solve::Solver;
use cupping_term::{Model, TermId, Terms, VarIndex};

/// Limits of the deduction for one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Maximal number of calls, including constructor and use; 0 disables deduction.
    pub depth: usize,
    /// Maximal number of tree nodes.
    pub nodes: usize,
    /// Maximal number of sequences run.
    pub runs: usize,
    /// Limit on the work for all pairs of a class, in microseconds of a reference machine; counted, not
    /// measured.
    pub work: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { depth: 7, nodes: 240, runs: 5, work: 10_000_000 }
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
    pub summaries: &'a [Summary],
    /// The kind of each summary's method.
    pub kinds: &'a [Kind],
    /// Values of static variables at the start of a sequence.
    pub statics: &'a [(VarIndex, u64)],
    /// The instantiated paths by depth.
    pub composer: &'a mut Composer,
    /// The cache of queries for this class.
    pub memory: &'a mut Memory,
    /// The limits.
    pub bounds: Bounds,
    /// Solver work, in its own count, at which deduction gives up.
    pub limit: u64,
    /// Whether to end early.
    pub interrupted: fn() -> bool,
}

/// DeductionNode limit of a pair's first tree.
const FIRST_NODES: usize = 32;

/// Why sequences that were found did not help.
pub const UNCONFIRMED: &str =
    "sequences were deduced, but unknown values in their methods kept them from exercising the pair";

/// The kind of a method that a sequence may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It creates an object of the class.
    Constructor,
    /// It is called on an object.
    OnObject,
    /// It needs no object.
    Static,
}

/// A call of a deduced sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduced {
    /// The summary of the called method.
    pub summary: usize,
    /// The relevant variables of its parameters, and of array lengths.
    pub parameters: Vec<(Option<VarIndex>, Option<VarIndex>)>,
}

/// A deduced sequence.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The calls in order.
    pub calls: Vec<Deduced>,
    /// Parameter values for which it exercises the pair.
    pub model: Model,
}

/// The result of the deduction for a pair.
#[derive(Clone, Debug)]
pub enum DeductionEnd {
    /// A confirmed sequence.
    Confirmed(Sequence),
    /// No sequence is left: the pair is infeasible.
    Contradiction,
    /// Deduction gave up; the text says what was missing.
    GivenUp(String),
}

/// The remaining budget of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Tried {
    /// Remaining runs.
    pub runs: usize,
    /// Remaining nodes for all trees.
    pub nodes: usize,
    /// Remaining nodes for the tree of this round.
    pub round: usize,
    /// Number of deduced sequences that exercised something else.
    pub unconfirmed: usize,
}

impl Tried {
    /// The full budget.
    pub fn new(bounds: &Bounds) -> Tried {
        Tried { runs: bounds.runs, nodes: bounds.nodes, round: 0, unconfirmed: 0 }
    }
}

impl Deduction<'_> {
    /// Builds the tree of a pair to a depth. `confirm` runs a sequence and returns whether it exercises the
    /// pair. `None` means that a deeper tree may succeed.
    pub fn deduce(
        &mut self,
        pair: &Pair,
        depth: usize,
        tried: &mut Tried,
        confirm: &mut dyn FnMut(&Sequence) -> Outcome,
    ) -> (Tree, Option<DeductionEnd>) {
        let roots = roots(self.accesses, self.summaries, self.kinds, pair);
        let mut tree = Tree::default();
        // Wide trees grow slowly, so that each pair gets its turn.
        tried.round = FIRST_NODES << (depth.saturating_sub(2)).min(8);
        let mut build = tree::Build {
            deduction: &mut *self,
            pair,
            tree: &mut tree,
            depth,
            confirm,
            tried: &mut *tried,
            was_cut: false,
            was_static: false,
            was_spent: false,
        };
        let found = build.run(&roots);
        let (was_cut, was_static, was_spent) = (build.was_cut, build.was_static, build.was_spent);
        let given_up = |why: &str| Some(DeductionEnd::GivenUp(why.to_owned()));
        let ended = match found {
            Some(sequence) => Some(DeductionEnd::Confirmed(sequence)),
            None if was_spent => given_up("the budget of the class was spent"),
            None if tried.nodes == 0 => {
                given_up(&format!("the tree has more than {} nodes", self.bounds.nodes))
            }
            None if tried.runs == 0 => given_up(UNCONFIRMED),
            None if was_cut => None,
            None if tried.unconfirmed > 0 => given_up(UNCONFIRMED),
            None if was_static => given_up(
                "deduction does not cover the values of static variables at the object's construction",
            ),
            None => Some(DeductionEnd::Contradiction),
        };
        (tree, ended)
    }

    /// Paths of a summary that another call can follow.
    fn continuing(&self, summary: usize) -> impl Iterator<Item = (usize, &Path)> {
        let paths = self.summaries[summary].paths.iter().enumerate();
        paths.filter(|(_, p)| !matches!(p.end, End::Threw))
    }
}

/// The definitions of a variable that may be the last on a path, and whether there certainly is one.
fn last_definitions(accesses: &Accesses, path: &Path, variable: usize) -> (Vec<usize>, bool) {
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
