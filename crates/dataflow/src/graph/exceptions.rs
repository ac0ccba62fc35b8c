//! Exceptions for display: methods that an exception may leave, thrown there or by a method of the class that they
//! call. Exceptions of the JVM and of other classes are left out, since nearly every block may throw one.

use super::{Block, Blocks, ClassGraph, Exit};
use crate::flattened_class::FlatClass;
use std::collections::BTreeSet;

/// The methods that an exception may leave.
pub(super) struct Exceptions {
    leaves: BTreeSet<usize>,
}

impl Exceptions {
    /// Finds them.
    pub fn of(flat: &FlatClass, graph: &ClassGraph) -> Exceptions {
        let mut found = Exceptions { leaves: BTreeSet::new() };
        let blocks: Vec<Blocks> = flat.methods.iter().map(|body| Blocks::of(body)).collect();
        loop {
            let before = found.leaves.len();
            for (method, blocks) in blocks.iter().enumerate() {
                let throws = |block: &Block| {
                    block.exits.contains(&Exit::Throw) || found.leave(flat, graph, method, block)
                };
                if blocks.all.iter().any(throws) {
                    found.leaves.insert(method);
                }
            }
            if found.leaves.len() == before {
                return found;
            }
        }
    }

    /// Whether an exception of a called method leaves the caller, from this block.
    pub fn leave(&self, flat: &FlatClass, graph: &ClassGraph, method: usize, block: &Block) -> bool {
        (block.start..block.end).any(|at| {
            let throws = graph.calls[method][at].is_some_and(|call| self.leaves.contains(&call.callee));
            throws && flat.methods[method].guards(at).all(|handler| handler.catches.is_some())
        })
    }
}
