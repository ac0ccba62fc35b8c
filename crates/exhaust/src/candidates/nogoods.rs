//! What is learned from candidates of which the predicate does not hold.
//!
//! When all that follows a choice for a hole has failed, the machine has told which earlier choices were read since the run
//! stopped there. Wherever a run stops at the same place in the same state, with these the same, that choice would fail
//! again, whatever else has been chosen (a *nogood* with its explanation, as in conflict-directed backjumping: Dechter,
//! Prosser). States are compared by sums of 128 bits over frames and memory, in which what holes hold is left out.
//!
//! That helps where the predicate reads a field early and needs it late (the colours of a tree, then the black nodes on its
//! paths), and costs where it never does, so places in the code at which nothing is ever known are not asked again.

use cupping_machine::{ChoiceSet, Comparison};
use rustc_hash::FxHashMap;

/// A choice for a hole, where it is and what it got, by a number of its own.
type Literal = u32;

/// What is known of a state.
#[derive(Default)]
struct OfState {
    /// The choices that nogoods of this state speak of.
    literals: Vec<Literal>,
    nogoods: Vec<Chunk>,
    size: usize,
}

/// Nogoods, [`CHUNK`] of them side by side: each is one bit in every number here, so that all are compared at once.
#[derive(Default)]
struct Chunk {
    /// Those that need a literal, by its number.
    with: Vec<u64>,
    /// Those that say of a choice for the hole, by its number, that it fails.
    of: Vec<u64>,
}

/// Nogoods in a chunk.
const CHUNK: usize = u64::BITS as usize;

impl OfState {
    /// Adds that a choice fails with these choices for other holes, the marks of which are given. `places` is for the
    /// places of literals among those of this state, whatever is in it.
    fn add(&mut self, choice: usize, read: &ChoiceSet, chosen: &[Literal], places: &mut [u32]) {
        let bit = 1 << (self.size % CHUNK);
        if self.size.is_multiple_of(CHUNK) {
            self.nogoods.push(Chunk::default());
        }
        self.size += 1;
        let Some(chunk) = self.nogoods.last_mut() else { return };
        let set = |of: &mut Vec<u64>, at: usize| {
            if of.len() <= at {
                of.resize(at + 1, 0);
            }
            of[at] |= bit;
        };
        set(&mut chunk.of, choice);
        for (place, literal) in (0..).zip(&self.literals) {
            places[*literal as usize] = place;
        }
        for mark in read.iter() {
            let literal = chosen[mark as usize];
            let place = &mut places[literal as usize];
            if self.literals.get(*place as usize) != Some(&literal) {
                *place = self.literals.len() as u32;
                self.literals.push(literal);
            }
            set(&mut chunk.with, *place as usize);
        }
    }

    /// The choices that fail; `mark` says which mark a literal has if it is chosen at present.
    fn failed(&self, mark: impl Fn(Literal) -> Option<u32>) -> Failed {
        // All bits of those that are not chosen.
        let missing: Vec<u64> =
            self.literals.iter().map(|it| u64::from(mark(*it).is_some()).wrapping_sub(1)).collect();
        let mut failed = Failed::default();
        for chunk in self.nogoods.iter().rev() {
            let holds = !chunk.with.iter().zip(&missing).fold(0, |all, (with, missing)| all | with & missing);
            for (choice, of) in chunk.of.iter().enumerate().filter(|it| it.1 & holds != 0) {
                if failed.numbers >> choice & 1 != 0 {
                    continue;
                }
                failed.numbers |= 1 << choice;
                let last = 63 - (of & holds).leading_zeros();
                let needed = chunk.with.iter().zip(&self.literals).filter(|it| it.0 >> last & 1 != 0);
                failed.read.add(&needed.filter_map(|it| mark(*it.1)).collect());
            }
        }
        failed
    }
}

/// What a place in the code has been good for.
#[derive(Clone, Copy, Debug, Default)]
struct Site {
    /// Choices where runs stopped here, and those of them that were known to fail.
    asked: u32,
    known: u32,
    /// Comparisons passed here as different, and holes of them that were read later all the same.
    passed: u32,
    read_later: u32,
}

/// Uses of a place in the code before it is judged.
const ENOUGH: u32 = 64;
/// Nogoods that are kept.
const MOST: usize = 1 << 16;
/// Nogoods of one state.
const MOST_OF_STATE: usize = 1 << 12;

/// The nogoods of a search.
#[derive(Default)]
pub(super) struct Nogoods {
    of_state: FxHashMap<u128, OfState>,
    size: usize,
    sites: FxHashMap<(u32, u32), Site>,
    /// Whether places in the code are judged no more.
    is_settled: bool,
    /// The choices on the path, by the mark of their slot.
    pub(super) chosen: Vec<Literal>,
    /// Literals by where and what, and the last mark of each.
    literals: FxHashMap<(u64, u64), Literal>,
    marks: Vec<u32>,
    /// Scratch of [`OfState::add`], by literal.
    places: Vec<u32>,
}

/// Choices for a hole that are known to fail.
#[derive(Clone, Copy, Default)]
pub(super) struct Failed {
    /// Their numbers, one bit each.
    numbers: u64,
    /// The choices for other holes for which they fail.
    pub(super) read: ChoiceSet,
}

impl Failed {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.numbers.count_ones() as usize
    }

    /// The first number from this one on that has not failed.
    pub(super) fn next(&self, from: usize) -> usize {
        let rest = self.numbers.checked_shr(from as u32).unwrap_or(0);
        from + rest.trailing_ones() as usize
    }
}

impl Nogoods {
    /// Notes a choice; its mark.
    pub(super) fn choose(&mut self, byte: u64, bits: u64) -> u32 {
        let (mark, next) = (self.chosen.len() as u32, self.marks.len() as Literal);
        let literal = *self.literals.entry((byte, bits)).or_insert(next);
        if literal == next {
            self.marks.push(mark);
            self.places.push(0);
        }
        self.marks[literal as usize] = mark;
        self.chosen.push(literal);
        mark
    }

    /// Whether it is worth to compare the state where a run has stopped.
    pub(super) fn is_worth_asking(&self, site: (u32, u32)) -> bool {
        self.sites.get(&site).is_none_or(|it| it.asked < ENOUGH || it.known * ENOUGH >= it.asked)
    }

    /// Which of so many choices for the hole where a run has stopped are known to fail.
    pub(super) fn known(&mut self, state: u128, site: (u32, u32), choices: usize) -> Failed {
        // A choice that has been taken back is not at its last mark.
        let mark = |literal: Literal| {
            let mark = self.marks[literal as usize];
            (self.chosen.get(mark as usize) == Some(&literal)).then_some(mark)
        };
        let failed = self.of_state.get(&state).map_or(Failed::default(), |it| it.failed(mark));
        if !self.is_settled {
            let site = self.sites.entry(site).or_default();
            site.asked += choices as u32;
            site.known += failed.count() as u32;
        }
        failed
    }

    /// This choice has failed in this state, its runs having read these.
    pub(super) fn learn(&mut self, state: u128, choice: usize, read: &ChoiceSet) {
        if choice >= u64::BITS as usize {
            return;
        }
        if self.size >= MOST {
            self.forget();
        }
        let of_state = self.of_state.entry(state).or_default();
        if of_state.size < MOST_OF_STATE {
            of_state.add(choice, read, &self.chosen, &mut self.places);
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
