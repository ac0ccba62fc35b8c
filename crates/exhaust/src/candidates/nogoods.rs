//! Nogood learning from candidates that do not satisfy the predicate (conflict-directed backjumping: Dechter;
//! Prosser).
//!
//! Once every continuation of a choice for a hole has failed, the machine reports which earlier choices these
//! runs have read. Whenever a run stops in the same state with the same values of those earlier choices, the
//! choice must fail again, whatever the other holes hold: this is a *nogood* with its explanation. States are
//! compared by 128-bit hashes of frames and memory that ignore the contents of holes.
//!
//! Learning pays off where the predicate reads a field early and needs it late, such as the colours of a
//! tree, which matter only when it counts black nodes. It costs time elsewhere, so code positions at which no
//! nogood ever applies are skipped.

use cupping_machine::{ChoiceSet, Comparison};
use rustc_hash::FxHashMap;

/// A choice for a hole (location and value), numbered.
type Literal = u32;

/// The nogoods of one state.
#[derive(Default)]
struct OfState {
    /// The choices that occur in nogoods of this state.
    literals: Vec<Literal>,
    nogoods: Vec<Chunk>,
    size: usize,
}

/// Nogoods stored bit-sliced, [`CHUNK`] at a time: each nogood is one bit in every word, so all are compared
/// at once.
#[derive(Default)]
struct Chunk {
    /// For each literal, the nogoods that contain it.
    with: Vec<u64>,
    /// For each choice for the hole, the nogoods that exclude it.
    of: Vec<u64>,
}

/// Nogoods per chunk.
const CHUNK: usize = u64::BITS as usize;

impl OfState {
    /// Adds the nogood that a choice fails together with the choices for other holes that have these marks.
    /// `places` is scratch space that maps literals to their indices in this state.
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

    /// The choices that fail. `mark` returns the mark of a literal that is currently chosen.
    fn failed(&self, mark: impl Fn(Literal) -> Option<u32>) -> ExcludedChoices {
        // All ones for literals that are not chosen.
        let missing: Vec<u64> =
            self.literals.iter().map(|it| u64::from(mark(*it).is_some()).wrapping_sub(1)).collect();
        let mut failed = ExcludedChoices::default();
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

/// The benefit of learning at a code position.
#[derive(Clone, Copy, Debug, Default)]
struct Site {
    /// Choices considered here, and those excluded by a nogood.
    asked: u32,
    known: u32,
    /// Comparisons passed here with the hole left open, and those of them whose hole was read later anyway.
    passed: u32,
    read_later: u32,
}

/// Number of samples before a code position is judged.
const ENOUGH: u32 = 64;
/// Limit on the nogoods of a search.
const MOST: usize = 1 << 16;
/// Limit on the nogoods of one state.
const MOST_OF_STATE: usize = 1 << 12;

/// All nogoods of a search.
#[derive(Default)]
pub(super) struct Nogoods {
    of_state: FxHashMap<u128, OfState>,
    size: usize,
    sites: FxHashMap<(u32, u32), Site>,
    /// Whether the judgements on code positions are final.
    is_final: bool,
    /// The choices on the path, by the mark of their slot.
    pub(super) chosen: Vec<Literal>,
    /// Literals by location and value, and the last mark of each.
    literals: FxHashMap<(u64, u64), Literal>,
    marks: Vec<u32>,
    /// Scratch space of [`OfState::add`], by literal.
    places: Vec<u32>,
}

/// Choices for a hole that nogoods exclude.
#[derive(Clone, Copy, Default)]
pub(super) struct ExcludedChoices {
    /// Their numbers, one bit each.
    numbers: u64,
    /// The choices for other holes in those nogoods.
    pub(super) read: ChoiceSet,
}

impl ExcludedChoices {
    /// Number of excluded choices.
    pub(super) fn count(&self) -> usize {
        self.numbers.count_ones() as usize
    }

    /// The first choice from this number on that is not excluded.
    pub(super) fn next(&self, from: usize) -> usize {
        let rest = self.numbers.checked_shr(from as u32).unwrap_or(0);
        from + rest.trailing_ones() as usize
    }
}

impl Nogoods {
    /// Records a choice and returns its mark.
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

    /// Whether comparing the state at this code position is worth its cost.
    pub(super) fn is_worth_asking(&self, site: (u32, u32)) -> bool {
        self.sites.get(&site).is_none_or(|it| it.asked < ENOUGH || it.known * ENOUGH >= it.asked)
    }

    /// The choices for the current hole that nogoods exclude.
    pub(super) fn known(&mut self, state: u128, site: (u32, u32), choices: usize) -> ExcludedChoices {
        // A choice that was undone is no longer at its last mark.
        let mark = |literal: Literal| {
            let mark = self.marks[literal as usize];
            (self.chosen.get(mark as usize) == Some(&literal)).then_some(mark)
        };
        let failed = self.of_state.get(&state).map_or(ExcludedChoices::default(), |it| it.failed(mark));
        if !self.is_final {
            let site = self.sites.entry(site).or_default();
            site.asked += choices as u32;
            site.known += failed.count() as u32;
        }
        failed
    }

    /// Learns that a choice fails in this state given the choices that its runs have read.
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

    /// Drops all nogoods.
    pub(super) fn forget(&mut self) {
        self.of_state.clear();
        self.size = 0;
    }

    /// Makes the judgements on code positions final.
    pub(super) fn finalize(&mut self) {
        self.is_final = true;
        self.forget();
    }

    /// Whether leaving a hole open at this comparison is worthwhile.
    pub(super) fn is_worth_passing(&self, comparison: &Comparison) -> bool {
        let site = self.sites.get(&comparison.site);
        site.is_none_or(|it| it.passed < ENOUGH || it.read_later < it.passed / 8 * 7)
    }

    /// Records that a hole was left open at a comparison.
    pub(super) fn passed(&mut self, comparison: &Comparison) {
        if !self.is_final {
            self.sites.entry(comparison.site).or_default().passed += 1;
        }
    }

    /// Records that a hole that was left open is read after all.
    pub(super) fn read_later(&mut self, site: (u32, u32)) {
        if !self.is_final {
            self.sites.entry(site).or_default().read_later += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: (u32, u32) = (1, 2);
    const STATE: u128 = 77;

    fn marks(all: &[u32]) -> ChoiceSet {
        all.iter().copied().collect()
    }

    /// The excluded choices by number, and the marks that they depend on.
    fn excluded(nogoods: &mut Nogoods, state: u128) -> (Vec<usize>, Vec<u32>) {
        let found = nogoods.known(state, SITE, 8);
        let numbers: Vec<usize> = (0..8).filter(|number| found.next(*number) != *number).collect();
        assert_eq!(numbers.len(), found.count());
        (numbers, found.read.iter().collect())
    }

    #[test]
    fn a_choice_fails_again_while_what_its_runs_read_is_the_same() {
        let mut nogoods = Nogoods::default();
        let (red, left) = (nogoods.choose(8, 1), nogoods.choose(16, 5));
        nogoods.learn(STATE, 3, &marks(&[red]));
        assert_eq!(excluded(&mut nogoods, STATE), (vec![3], vec![red]));
        assert_eq!(excluded(&mut nogoods, STATE + 1), (vec![], vec![]));
        // A changed value that was not read makes no difference; it has its own mark.
        nogoods.chosen.truncate(left as usize);
        nogoods.choose(16, 6);
        assert_eq!(excluded(&mut nogoods, STATE), (vec![3], vec![red]));
        // With a changed value that was read, the nogood does not apply. With the old value it does again.
        nogoods.chosen.clear();
        nogoods.choose(8, 2);
        assert_eq!(excluded(&mut nogoods, STATE).0, [0; 0]);
        nogoods.chosen.clear();
        nogoods.choose(16, 5);
        let later = nogoods.choose(8, 1);
        assert_eq!(excluded(&mut nogoods, STATE), (vec![3], vec![later]));
    }

    #[test]
    fn the_latest_nogood_that_holds_explains_a_choice() {
        let mut nogoods = Nogoods::default();
        let all: Vec<u32> = (0..3).map(|at| nogoods.choose(at, 0)).collect();
        // More nogoods than a chunk has bits; each is on another choice for the hole.
        for number in 0..100 {
            nogoods.learn(STATE, number % 5, &marks(&[all[number % 3]]));
        }
        // 95 to 99 are the last of the choices 0 to 4; they depend on 95 % 3 = 2, 0, 1, 2, 0.
        assert_eq!(excluded(&mut nogoods, STATE), (vec![0, 1, 2, 3, 4], all.clone()));
        nogoods.chosen.truncate(1);
        // The nogoods on the first choice alone; each choice for the hole has one.
        assert_eq!(excluded(&mut nogoods, STATE), (vec![0, 1, 2, 3, 4], vec![all[0]]));
        nogoods.learn(STATE, 64, &marks(&[all[0]]));
        assert_eq!(excluded(&mut nogoods, STATE).0.len(), 5, "a choice beyond the word is not learned");
        nogoods.forget();
        assert_eq!(excluded(&mut nogoods, STATE).0, [0; 0]);
    }

    #[test]
    fn a_place_without_use_is_not_asked_again() {
        let mut nogoods = Nogoods::default();
        assert!(nogoods.is_worth_asking(SITE));
        // 63 choices are too few to judge; 64 without a nogood are enough.
        nogoods.known(STATE, SITE, 63);
        assert!(nogoods.is_worth_asking(SITE));
        nogoods.known(STATE, SITE, 1);
        assert!(!nogoods.is_worth_asking(SITE));
        assert!(nogoods.is_worth_asking((1, 3)));
        // One in 64 is worth it.
        nogoods.choose(8, 1);
        nogoods.learn(STATE, 0, &marks(&[0]));
        nogoods.known(STATE, SITE, 0);
        assert!(nogoods.is_worth_asking(SITE));
        // Once final, nothing is counted any more.
        nogoods.finalize();
        nogoods.known(STATE, SITE, 1000);
        assert!(nogoods.is_worth_asking(SITE));
    }
}
