//! Automated deduction (§6): a tree of calls, built backwards from the use, in which each node has the condition under
//! which what follows it exercises the pair.
//!
//! The constraints and heuristics are the paper's: children are the paths whose postconditions do not contradict the
//! condition; conjuncts that they imply are removed, their preconditions added; a node whose condition implies that of
//! a node above it is not expanded; the defining method and the constructor are placed as soon as they can be, and only
//! where that leads nowhere are others tried. It is searched depth first, to a depth that grows up to a limit.

mod ask;
mod compose;
mod roots;
mod tree;

pub use ask::{Memory, work};
pub use compose::Composer;
pub use roots::{Root, roots};
pub use tree::{Fate, Node, Tree};

use crate::accesses::Accesses;
use crate::confirm::Outcome;
use crate::pairs::Pair;
use crate::symbolic::{End, Path, StateVariables, Summary};
use cupping_solve::Solver;
use cupping_term::{Model, TermId, Terms, VarIndex};

/// Bounds of the search for one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Calls of a sequence at most, constructor and use included; 0 for no deduction.
    pub depth: usize,
    /// Nodes of the trees at most.
    pub nodes: usize,
    /// Sequences that are run at most.
    pub runs: usize,
    /// What the deduction for all pairs of a class may cost, in microseconds of a usual machine: counted, not measured.
    pub work: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { depth: 7, nodes: 240, runs: 5, work: 10_000_000 }
    }
}

/// What deduction works with.
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
    /// By summary: whether it is a constructor, and whether it is called without an object.
    pub kinds: &'a [Kind],
    /// Values of the static variables when a sequence begins.
    pub statics: &'a [(VarIndex, u64)],
    /// Conditions and values of the paths at each depth.
    pub composer: &'a mut Composer,
    /// What has been asked before, for this class.
    pub memory: &'a mut Memory,
    /// Bounds.
    pub bounds: Bounds,
    /// What the solver may have done in all, in its own count, before deduction is given up.
    pub limit: u64,
    /// Whether somebody wants it to end.
    pub interrupted: fn() -> bool,
}

/// Nodes of the first tree of a pair.
const FIRST_NODES: usize = 32;

/// Why nothing became of sequences that were found.
pub const UNCONFIRMED: &str =
    "sequences were deduced, but what is unknown of their methods kept them from exercising the pair";

/// What a method that a sequence may call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It makes an object of the class.
    Constructor,
    /// It is called on one.
    OnObject,
    /// It needs none.
    Static,
}

/// A call of a deduced sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduced {
    /// The summary of the method called.
    pub summary: usize,
    /// Variables of its parameters that matter, with those of array lengths.
    pub parameters: Vec<(Option<VarIndex>, Option<VarIndex>)>,
}

/// A sequence that deduction found.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The calls, first to last.
    pub calls: Vec<Deduced>,
    /// Values of parameters for which it exercises the pair.
    pub model: Model,
}

/// How the deduction for a pair ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// With a sequence that was confirmed.
    Confirmed(Sequence),
    /// No sequence is left: the pair is infeasible.
    Contradiction,
    /// It was given up; the text says what was missing.
    GivenUp(String),
}

/// What has been tried for a pair.
#[derive(Clone, Copy, Debug)]
pub struct Tried {
    /// Runs left.
    pub runs: usize,
    /// Nodes left, for all trees.
    pub nodes: usize,
    /// Nodes left for the tree of this round.
    pub round: usize,
    /// Sequences that were deduced and exercised something else.
    pub unconfirmed: usize,
}

impl Tried {
    /// Nothing yet.
    pub fn new(bounds: &Bounds) -> Tried {
        Tried { runs: bounds.runs, nodes: bounds.nodes, round: 0, unconfirmed: 0 }
    }
}

impl Deduction<'_> {
    /// Builds the tree of a pair to a depth. `confirm` runs a sequence and says whether it exercises the pair. Without an
    /// end, a deeper tree may have one.
    pub fn deduce(
        &mut self,
        pair: &Pair,
        depth: usize,
        tried: &mut Tried,
        confirm: &mut dyn FnMut(&Sequence) -> Outcome,
    ) -> (Tree, Option<Ended>) {
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
        let given_up = |why: &str| Some(Ended::GivenUp(why.to_owned()));
        let ended = match found {
            Some(sequence) => Some(Ended::Confirmed(sequence)),
            None if was_spent => given_up("the budget of the class was spent"),
            None if tried.nodes == 0 => {
                given_up(&format!("the tree has more than {} nodes", self.bounds.nodes))
            }
            None if tried.runs == 0 => given_up(UNCONFIRMED),
            None if was_cut => None,
            None if tried.unconfirmed > 0 => given_up(UNCONFIRMED),
            None if was_static => {
                given_up("what static variables hold when the object is made is not deduced")
            }
            None => Some(Ended::Contradiction),
        };
        (tree, ended)
    }

    /// Paths of a summary after which another call may come.
    fn continuing(&self, summary: usize) -> impl Iterator<Item = (usize, &Path)> {
        let paths = self.summaries[summary].paths.iter().enumerate();
        paths.filter(|(_, p)| !matches!(p.end, End::Threw))
    }
}

/// The definitions of a variable that may be the last of a path, and whether there certainly is one.
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

/// Conditions without those that always hold, each once; `None` where one never does.
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
