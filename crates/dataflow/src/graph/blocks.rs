//! Basic blocks: the control-flow graph of a method for display.

use crate::body::AnalysedBody;
use cupping_classfile::Action;
use std::collections::{BTreeMap, BTreeSet};

/// A maximal sequence of instructions with a single entry and exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// First instruction.
    pub start: usize,
    /// The instruction after the last one.
    pub end: usize,
    /// Successor blocks.
    pub next: Vec<usize>,
    /// Exception handler blocks.
    pub handlers: Vec<usize>,
    /// How it can leave the method.
    pub exits: BTreeSet<Exit>,
}

/// A method exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// It returns.
    Return,
    /// It throws.
    Throw,
}

/// The basic blocks of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The blocks in code order; the first is the entry. Unreachable code has none.
    pub all: Vec<Block>,
}

impl Blocks {
    /// Finds the blocks of a method.
    pub fn of(body: &AnalysedBody) -> Blocks {
        let reached = reached(body);
        let mut leaders: BTreeSet<usize> = BTreeSet::from([0]);
        for at in reached.iter().copied() {
            let falls_through = body.targets[at] == [at + 1];
            if !falls_through {
                leaders.extend(&body.targets[at]);
                leaders.insert(at + 1);
            }
        }
        for handler in &body.handlers {
            // A block lies entirely inside or outside a guarded range.
            leaders.extend([handler.start, handler.end, handler.target]);
        }
        let starts: Vec<usize> = leaders.iter().copied().filter(|at| reached.contains(at)).collect();
        let number: BTreeMap<usize, usize> = starts.iter().copied().zip(0..).collect();
        let all = starts.iter().map(|start| {
            let behind = leaders.range(start + 1..).next().copied().unwrap_or(body.instructions.len());
            let end = behind.min(body.instructions.len());
            let last = end - 1;
            let throwing = (*start..end).filter(|at| body.instructions[*at].opcode.may_throw());
            let mut block = Block {
                start: *start,
                end,
                next: body.targets[last].iter().filter_map(|t| number.get(t).copied()).collect(),
                handlers: Vec::new(),
                exits: BTreeSet::new(),
            };
            if body.instructions[last].opcode.is_return() {
                block.exits.insert(Exit::Return);
            }
            if body.instructions[last].action() == Action::Throw && body.guards(last).next().is_none() {
                block.exits.insert(Exit::Throw);
            }
            for at in throwing {
                let handlers = body.guards(at).filter_map(|h| number.get(&h.target).copied());
                block.handlers.extend(handlers);
            }
            block.handlers.sort_unstable();
            block.handlers.dedup();
            block
        });
        Blocks { all: all.collect() }
    }

    /// The block that an instruction is in.
    pub fn containing(&self, at: usize) -> Option<usize> {
        self.all.iter().position(|b| (b.start..b.end).contains(&at))
    }
}

/// The instructions reachable from the first.
fn reached(body: &AnalysedBody) -> BTreeSet<usize> {
    let mut seen = BTreeSet::from([0]);
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        let handlers = body.guards(at).map(|h| h.target);
        let next = body.targets[at].iter().copied().chain(handlers);
        open.extend(next.filter(|t| seen.insert(*t)));
    }
    seen
}
