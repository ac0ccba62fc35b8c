//! Automated deduction (§6): builds a tree of calls backwards from the use. Each node has the condition under
//! which the calls after it exercise the pair.
//!
//! Constraints and heuristics follow the paper. The children of a node are the paths whose postconditions do
//! not contradict its condition; conjuncts that they imply are removed, and their preconditions are added. A
//! node whose condition implies that of an ancestor is pruned. The defining method and the constructor are
//! placed as early as possible, and other methods are tried only if that fails. The search is depth first
//! with iterative deepening.

mod compose;
mod context;
mod memory;
mod queries;
mod roots;
mod sequence;
mod several_objects;
mod tree;

pub use compose::Composer;
pub use context::{Deduction, DeductionLimits, PairBudget};
pub use memory::Memory;
pub use roots::{Root, roots};
pub use sequence::{CallableKind, DeducedCall, Sequence, SequenceOutcome};
pub use several_objects::SeveralObjects;
pub use tree::{DeductionNode, Fate, Tree};

use crate::pairs::Pair;

/// DeductionNode limit of a pair's first tree.
const FIRST_NODES: usize = 32;

/// Why sequences that were found did not help.
pub const UNCONFIRMED: &str =
    "sequences were deduced, but unknown values in their methods kept them from exercising the pair";

/// The result of the deduction for a pair.
#[derive(Clone, Debug)]
pub enum DeductionEnd {
    /// A confirmed sequence.
    Confirmed(Sequence),
    /// No sequence is left: the pair is infeasible.
    Contradiction,
    /// Deduction gave up; the text gives the reason.
    GivenUp(String),
}

impl Deduction<'_> {
    /// Whether no call executes the definition of a pair. Deduction does not see all that initialisers do.
    fn never_defines(&mut self, pair: &Pair) -> bool {
        if pair.is_initial || self.invariants.is_empty() {
            return false;
        }
        for (summary, of) in self.summaries.iter().enumerate() {
            for path in &of.paths {
                let defines = path.events.iter().find(|event| event.accesses.contains(&pair.definition));
                let Some(event) = defines else { continue };
                let condition = path.condition.get(..event.conditions).unwrap_or(&path.condition).to_vec();
                if !self.is_contradictory(summary, &condition) {
                    return false;
                }
            }
        }
        true
    }

    /// Builds the tree of a pair to a depth. `confirm` runs a sequence and returns whether it exercises the
    /// pair. `None` means that a deeper tree may succeed.
    pub fn deduce(
        &mut self,
        pair: &Pair,
        depth: usize,
        tried: &mut PairBudget,
        confirm: &mut dyn FnMut(&Sequence) -> SequenceOutcome,
    ) -> (Tree, Option<DeductionEnd>) {
        let roots = roots(self.accesses, self.summaries, self.kinds, pair);
        let mut tree = Tree::default();
        if self.never_defines(pair) {
            return (tree, Some(DeductionEnd::Contradiction));
        }
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
                given_up(&format!("the tree has more than {} nodes", self.limits.nodes))
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
}
