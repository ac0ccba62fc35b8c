//! What is learned from candidates of which the predicate does not hold.
//!
//! When all choices for a hole have failed, the machine has told which earlier choices were read since the run stopped
//! there. Wherever a run stops at the same place in the same state, with these choices the same, all of it would fail
//! again, whatever else has been chosen (a *nogood* with its explanation, as in conflict-directed backjumping: Dechter,
//! Prosser). States are compared by sums of 128 bits over frames and memory, in which what holes hold is left out.
//!
//! That helps where the predicate reads a field early and needs it late (the colours of a tree, then the black nodes on its
//! paths), and costs where it never does, so places in the code at which nothing is ever known are not asked again.

use cupping_machine::{ChoiceSet, Comparison};
use rustc_hash::FxHashMap;

/// A choice for a hole: where it is and what it got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) byte: u64,
    pub(super) bits: u64,
}

/// Choices, the last first, with the marks that they had.
type Nogood = Vec<(u32, Chosen)>;

/// What a place in the code has been good for.
#[derive(Clone, Copy, Debug, Default)]
struct Site {
    /// Runs that stopped here, and those of them that were known to fail.
    asked: u32,
    known: u32,
    /// Comparisons passed here as different, and holes of them that were read later all the same.
    passed: u32,
    read_later: u32,
}

/// Uses of a place in the code before it is judged.
const ENOUGH: u32 = 64;
/// Nogoods that are kept.
const MOST: usize = 1 << 15;
/// Nogoods of one state.
const MOST_OF_STATE: usize = 128;

/// The nogoods of a search.
#[derive(Default)]
pub(super) struct Nogoods {
    of_state: FxHashMap<u128, Vec<Nogood>>,
    size: usize,
    sites: FxHashMap<(u32, u32), Site>,
    /// Whether places in the code are judged no more.
    is_settled: bool,
    /// The choices on the path, by the mark of their slot; and the marks by slot, of choices taken back too.
    pub(super) chosen: Vec<Chosen>,
    marks: FxHashMap<u64, u32>,
}

impl Nogoods {
    /// Notes a choice; its mark.
    pub(super) fn choose(&mut self, byte: u64, bits: u64) -> u32 {
        let mark = self.chosen.len() as u32;
        self.chosen.push(Chosen { byte, bits });
        self.marks.insert(byte, mark);
        mark
    }

    /// Whether it is worth to compare the state where a run has stopped.
    pub(super) fn is_worth_asking(&self, site: (u32, u32)) -> bool {
        self.sites.get(&site).is_none_or(|it| it.asked < ENOUGH || it.known * ENOUGH >= it.asked)
    }

    /// The choices for which this state is known to fail.
    pub(super) fn known(&mut self, state: u128, site: (u32, u32)) -> Option<ChoiceSet> {
        let found = self.of_state.get(&state).and_then(|nogoods| {
            let same = |(mark, it): &(u32, Chosen)| {
                if self.chosen.get(*mark as usize) == Some(it) {
                    return Some(*mark);
                }
                let mark = *self.marks.get(&it.byte)?;
                (self.chosen.get(mark as usize) == Some(it)).then_some(mark)
            };
            nogoods.iter().rev().find_map(|it| it.iter().map(same).collect::<Option<ChoiceSet>>())
        });
        if !self.is_settled {
            let site = self.sites.entry(site).or_default();
            site.asked += 1;
            site.known += u32::from(found.is_some());
        }
        found
    }

    /// All choices have failed in this state, having read these.
    pub(super) fn learn(&mut self, state: u128, read: &ChoiceSet) {
        if self.size >= MOST {
            self.forget();
        }
        let of_state = self.of_state.entry(state).or_default();
        if of_state.len() < MOST_OF_STATE {
            let mut nogood: Nogood = read.iter().map(|it| (it, self.chosen[it as usize])).collect();
            nogood.reverse();
            of_state.push(nogood);
            self.size += 1;
        }
    }

    /// Forgets all nogoods.
    pub(super) fn forget(&mut self) {
        self.of_state.clear();
        self.size = 0;
    }

    /// What the places in the code are good for is known well enough.
    pub(super) fn settle(&mut self) {
        self.is_settled = true;
        self.forget();
    }

    /// Whether it is worth to leave a hole open that is compared here.
    pub(super) fn is_worth_passing(&self, comparison: &Comparison) -> bool {
        let site = self.sites.get(&comparison.site);
        site.is_none_or(|it| it.passed < ENOUGH || it.read_later < it.passed / 8 * 7)
    }

    /// A hole has been left open at a comparison.
    pub(super) fn passed(&mut self, comparison: &Comparison) {
        if !self.is_settled {
            self.sites.entry(comparison.site).or_default().passed += 1;
        }
    }

    /// A hole that was left open there is read.
    pub(super) fn read_later(&mut self, site: (u32, u32)) {
        if !self.is_settled {
            self.sites.entry(site).or_default().read_later += 1;
        }
    }
}
