//! The frontier of a chase: states that wait to be extended, and what has been seen in any of them.

use crate::exercised_pairs::CodeOffset;
use cupping_generate::{Continuation, SequenceState};
use cupping_machine::DefUse;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Values of a field that are new.
const VALUES: usize = 64;
/// States that wait at most.
const WAITING: usize = 20_000;

/// A state to be extended, from this call on.
pub(crate) struct ChaseNode {
    pub state: Rc<SequenceState>,
    pub next: usize,
    pub pairs: Rc<BTreeSet<DefUse>>,
}

/// The states that a chase has reached. A chase can be interrupted and resumed.
#[derive(Default)]
pub(crate) struct Frontier {
    new: VecDeque<ChaseNode>,
    old: VecDeque<ChaseNode>,
    thrown: VecDeque<ChaseNode>,
    turned: VecDeque<ChaseNode>,
    pub known: FxHashSet<u64>,
    alive: FxHashSet<Vec<CodeOffset>>,
    values: FxHashMap<u32, FxHashSet<u64>>,
    pairs: FxHashSet<DefUse>,
    /// Whether sequences turn to other objects.
    pub turns_matter: bool,
    /// The number of states that were taken.
    pub turns: usize,
}

impl Frontier {
    /// An empty frontier that knows nothing but how many states were taken.
    pub fn begin_anew(&self) -> Frontier {
        Frontier { turns: self.turns, ..Frontier::default() }
    }

    /// The next state: of eight, four with something new, two old ones, one after an exception, and one that goes on
    /// with another object.
    pub fn next(&mut self) -> Option<ChaseNode> {
        self.turns += 1;
        let Frontier { new, old, thrown, turned, .. } = self;
        let order = match self.turns % 8 {
            0 | 4 => [old, new, turned, thrown],
            2 => [thrown, new, turned, old],
            6 => [turned, new, old, thrown],
            _ => [new, turned, old, thrown],
        };
        order.into_iter().find_map(VecDeque::pop_front)
    }

    pub fn put(&mut self, node: ChaseNode, is_new: bool) {
        let queue = if is_new { &mut self.new } else { &mut self.old };
        Frontier::add(if node.state.has_thrown { &mut self.thrown } else { queue }, node);
    }

    /// Puts a state that goes on with another object.
    pub fn put_turned(&mut self, node: ChaseNode) {
        Frontier::add(&mut self.turned, node);
    }

    fn add(queue: &mut VecDeque<ChaseNode>, node: ChaseNode) {
        if queue.len() < WAITING {
            queue.push_back(node);
        }
    }

    /// Puts a state back that has not been extended by all calls yet.
    pub fn put_back(&mut self, node: ChaseNode) {
        self.new.push_front(node);
    }

    /// Whether a state has something new.
    pub fn is_new(&mut self, found: &Continuation, alive: &[CodeOffset]) -> bool {
        let mut is_news = self.alive.insert(alive.to_vec());
        for (field, value) in &found.values {
            let known = self.values.entry(*field).or_default();
            is_news |= known.len() < VALUES && known.insert(*value);
        }
        for pair in found.pairs.iter() {
            is_news |= self.pairs.insert(*pair);
        }
        is_news
    }
}
