//! The path of the depth-first search: the states at which runs stopped, with the untried alternatives and
//! the results so far.

use super::search_node::{Alternatives, Choice, ChoiceOutcome, HoleLocation, SearchNode};
use super::{Candidates, SearchState};
use crate::error::Error;
use crate::world::World;
use cupping_machine::MARKS;
use std::mem::take;
use std::rc::Rc;

impl Candidates<'_> {
    /// The key of a run's state at a hole, where learning is worthwhile; and the memory hash.
    pub(super) fn state(
        &mut self,
        world: &World,
        byte: u64,
        choices: &[Choice],
    ) -> (Option<u128>, Option<u128>) {
        let depth = self.path.len();
        // Constraints on integers belong to the state but are not part of the hash.
        if !self.learns || !self.places.is_empty() || self.division.is_common(depth) {
            return (None, None);
        }
        let before = self.path.last().and_then(|it| it.memory);
        let memory = before.map(|it| it.wrapping_add(world.machine.memory_change()));
        if !self.nogoods.is_worth_asking(world.machine.place_in_code()) {
            return (None, memory);
        }
        let memory = memory.unwrap_or_else(|| {
            self.beginnings += 1;
            self.beginnings
        });
        let mut key = world.machine.control_key() ^ memory;
        let mut add = |it: u64| {
            key = (key ^ u128::from(it)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
            key ^= key >> 67;
        };
        add(byte);
        // Objects follow from the state, except for comparisons that were left open.
        add(choices.len() as u64);
        self.objects.iter().for_each(|it| add(it.addr.into()));
        self.excluded.iter().for_each(|it| {
            add(it.0);
            add(it.1);
        });
        (Some(key), Some(memory))
    }

    /// Freezes the state with its alternatives; false if the subtree belongs to another thread.
    pub(super) fn freeze(&mut self, world: &mut World, left: Alternatives, is_single: bool) -> bool {
        let depth = self.path.len();
        self.division.reaches(depth);
        if self.division.is_at(depth) {
            self.nogoods.forget();
        }
        if self.division.belongs_to_another_thread(depth) {
            return false;
        }
        self.path.push(SearchNode {
            state: (!is_single).then(|| world.machine.snapshot()),
            left,
            objects: self.objects.len(),
            symbols: self.places.len(),
            excluded: self.excluded.len(),
            chosen: self.nogoods.chosen.len(),
            all: ChoiceOutcome::default(),
            now: ChoiceOutcome::default(),
            key: None,
            memory: None,
        });
        true
    }

    /// Drops the exhausted last node.
    pub(super) fn leave(&mut self) {
        let Some(node) = self.path.pop() else { return };
        if let Some(before) = self.path.last_mut() {
            before.now.add(&node.all);
        }
    }

    /// Learns from the last alternative tried at the last node.
    pub(super) fn learn(&mut self) {
        let Some(node) = self.path.last_mut() else { return };
        let mut now = take(&mut node.now);
        now.read = now.read.below(node.chosen as u32);
        node.all.add(&now);
        if let (Some(key), &Alternatives::Values { next: next @ 1.., .. }) = (node.key, &node.left)
            && !now.holds
        {
            self.nogoods.learn(key, next - 1, &now.read);
        }
    }

    /// Backtracks to the last node with an untried alternative. `is_there` says that the machine is in its
    /// state already.
    pub(super) fn next(
        &mut self,
        world: &mut World,
        mut is_there: bool,
    ) -> Result<Option<SearchState>, Error> {
        loop {
            self.learn();
            let is_there = take(&mut is_there);
            let Some(node) = self.path.last_mut() else { return Ok(None) };
            self.objects.truncate(node.objects);
            self.places.truncate(node.symbols);
            self.excluded.truncate(node.excluded);
            self.nogoods.chosen.truncate(node.chosen);
            let (place, choice, inside) = match &mut node.left {
                Alternatives::Sides { sides, fixed } => {
                    let Some(side) = sides.pop() else {
                        self.leave();
                        continue;
                    };
                    let fixed = *fixed;
                    if let Some(state) = &node.state {
                        world.machine.restore(state);
                    }
                    let model = self.symbols.model(world.machine.terms(), &side.values);
                    world.machine.adopt_model(&model);
                    // The machine reports the comparison again, now with this outcome.
                    world.machine.report_decision_again();
                    self.order = Rc::new(side.order);
                    self.expected = (!fixed).then_some(side.condition);
                    return Ok(Some(SearchState::Running));
                }
                Alternatives::Values { place, choices, next, failed, inside, order } => {
                    *next = failed.next(*next);
                    let Some(choice) = choices.get(*next).copied() else {
                        self.leave();
                        continue;
                    };
                    *next += 1;
                    self.order = order.clone();
                    if !is_there && let Some(state) = &node.state {
                        world.machine.restore(state);
                    }
                    (*place, choice, *inside)
                }
            };
            let bits = match choice {
                Choice::Bits(bits) => bits,
                Choice::Fresh(of) => u64::from(self.object(world, of)?),
                Choice::FreshArray(kind, length) => u64::from(self.array(world, kind, length)?),
                Choice::Apart(comparison) => {
                    let byte = self.byte(world, place).0;
                    self.excluded.push((byte, comparison.other.into(), comparison.site));
                    self.nogoods.passed(&comparison);
                    if world.machine.pass_comparison(&comparison) {
                        return Ok(Some(SearchState::Running));
                    }
                    self.ends();
                    if let Some(node) = self.path.last_mut() {
                        node.now.holds = true;
                    }
                    continue;
                }
            };
            self.fill(world, place, bits);
            if !inside {
                return Ok(Some(SearchState::Holds));
            }
            self.mark(world, place, bits);
            return Ok(Some(SearchState::Running));
        }
    }

    /// Asks the machine to record when this choice is read.
    pub(super) fn mark(&mut self, world: &mut World, place: HoleLocation, bits: u64) {
        if self.learns && self.nogoods.chosen.len() as u32 >= MARKS {
            // Too many choices to distinguish them: stop learning.
            self.learns = false;
            self.nogoods.forget();
            self.path.iter_mut().for_each(|it| it.key = None);
        }
        if self.learns {
            let (byte, size) = self.byte(world, place);
            let mark = self.nogoods.choose(byte, bits);
            world.machine.mark_chosen(byte, size, mark);
        }
    }
}
