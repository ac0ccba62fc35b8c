//! The frontier of a chase: states that wait to be extended, and what has been seen in any of them.

use crate::chase_costs::Costs;
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
/// Number of states after which a chase no longer begins anew to have more classes initialised from the start.
const EARLY: usize = 24;

/// What a state is extended by. The calls of each stage come before those of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// All calls with all references, if there are few.
    #[default]
    All,
    /// Calls that may bring an open pair nearer, with the most promising references, along one path or few known ones.
    Hopeful,
    /// Other calls in the same way.
    Other,
    /// The calls of the first stage, with all references and along all paths.
    HopefulAgain,
    /// The calls of the second stage in this way.
    OtherAgain,
}

impl Stage {
    /// The stage after this one.
    pub fn next(self) -> Option<Stage> {
        match self {
            Stage::Hopeful => Some(Stage::Other),
            Stage::Other => Some(Stage::HopefulAgain),
            Stage::HopefulAgain => Some(Stage::OtherAgain),
            Stage::OtherAgain | Stage::All => None,
        }
    }

    /// Whether it has the calls that may bring an open pair nearer, or those that do not.
    pub fn has(self, is_hopeful: bool) -> bool {
        match self {
            Stage::All => true,
            Stage::Hopeful | Stage::HopefulAgain => is_hopeful,
            Stage::Other | Stage::OtherAgain => !is_hopeful,
        }
    }
}

/// A state to be extended, from this stage and call on.
#[derive(Clone)]
pub(crate) struct ChaseNode {
    pub state: Rc<SequenceState>,
    pub stage: Stage,
    pub next: usize,
    pub pairs: Rc<BTreeSet<DefUse>>,
    /// The definitions of open pairs that were live when the state was reached.
    pub alive: Rc<[CodeOffset]>,
    /// Which calls may bring an open pair nearer; `None` before the first stage.
    pub hopeful: Option<Rc<[bool]>>,
    pub is_new: bool,
}

impl ChaseNode {
    pub fn new(
        state: SequenceState,
        pairs: Rc<BTreeSet<DefUse>>,
        alive: Vec<CodeOffset>,
        stage: Stage,
    ) -> ChaseNode {
        ChaseNode {
            state: Rc::new(state),
            stage,
            next: 0,
            pairs,
            alive: alive.into(),
            hopeful: None,
            is_new: true,
        }
    }
}

/// A call with certain references on a state, put off because it costs much.
pub(crate) struct DearCall {
    pub node: ChaseNode,
    /// The index of the call.
    pub call: usize,
    pub alternative: usize,
}

/// The states that a chase has reached. A chase can be interrupted and resumed.
#[derive(Default)]
pub(crate) struct Frontier {
    new: VecDeque<ChaseNode>,
    old: VecDeque<ChaseNode>,
    thrown: VecDeque<ChaseNode>,
    turned: VecDeque<ChaseNode>,
    dear: Vec<DearCall>,
    pub costs: Costs,
    /// The first stage of states.
    pub first_stage: Stage,
    pub known: FxHashSet<u64>,
    alive: FxHashSet<Vec<CodeOffset>>,
    values: FxHashMap<u32, FxHashSet<u64>>,
    pairs: FxHashSet<DefUse>,
    /// Whether sequences turn to other objects.
    pub turns_matter: bool,
    /// The number of states that were taken.
    pub turns: usize,
    /// The work when it began.
    pub begun_at: u64,
}

impl Frontier {
    /// An empty frontier that knows nothing but how many states were taken, and what calls cost.
    pub fn begin_anew(&mut self) -> Frontier {
        let costs = std::mem::take(&mut self.costs);
        Frontier { turns: self.turns, costs, ..Frontier::default() }
    }

    /// Whether the chase is so young that it may begin anew.
    pub fn is_early(&self) -> bool {
        self.turns <= EARLY
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

    /// A call that was put off, if it is time for one: they get a quarter of the work, and the rest if nothing else is
    /// left. Those that cost little, and were made seldom, come first.
    pub fn next_dear(&mut self) -> Option<DearCall> {
        let is_idle = [&self.new, &self.old, &self.thrown, &self.turned].into_iter().all(VecDeque::is_empty);
        if self.dear.is_empty() || !is_idle && !self.costs.has_left_for_dear() {
            return None;
        }
        let costs = &self.costs;
        let (at, _) = self.dear.iter().enumerate().min_by_key(|(_, it)| costs.rank(it.call))?;
        Some(self.dear.remove(at))
    }

    /// Puts a call off.
    pub fn put_off(&mut self, node: &ChaseNode, call: usize, alternative: usize) {
        if self.dear.len() < WAITING {
            self.dear.push(DearCall { node: node.clone(), call, alternative });
        }
    }

    pub fn put(&mut self, node: ChaseNode) {
        let queue = if node.is_new { &mut self.new } else { &mut self.old };
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
