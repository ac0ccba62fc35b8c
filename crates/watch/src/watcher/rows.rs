//! Counters of a run: outcomes by method and call site, and paths that no test takes.

use crate::outcome::{Example, WatchOutcome};
use cupping_machine::MethodId;
use rustc_hash::FxHashMap;

/// Limit on the untested paths kept of a method.
const MOST_WAYS: usize = 16;
/// Number of calls from a site whose state is captured for a possible example, and the sampling interval for
/// the rest.
const FIRST_CAPTURED: u64 = 200;
const SAMPLE_INTERVAL: u64 = 64;

/// The callee, the caller, and the position of the call.
pub(super) type RowKey = (MethodId, MethodId, u32);

/// The calls from one site.
#[derive(Default)]
pub(super) struct OutcomeRow {
    counts: [u64; WatchOutcome::ALL.len()],
    pub(super) examples: Vec<(WatchOutcome, Example)>,
    calls: u64,
    /// An example was wanted but the state before its call had not been captured.
    lacks: bool,
}

impl OutcomeRow {
    pub(super) fn counts(&self) -> impl Iterator<Item = (WatchOutcome, u64)> {
        let counts = WatchOutcome::ALL.into_iter().zip(self.counts);
        counts.filter(|(_, count)| *count > 0)
    }

    /// Counts an outcome; returns whether another example of it is wanted.
    pub(super) fn count(&mut self, outcome: WatchOutcome, most: usize) -> bool {
        self.counts[outcome as usize] += 1;
        outcome != WatchOutcome::Success && self.examples_of(outcome) < most
    }

    fn examples_of(&self, outcome: WatchOutcome) -> usize {
        self.examples.iter().filter(|(kind, _)| *kind == outcome).count()
    }

    /// Whether an example of calls to which no triple applies is wanted.
    pub(super) fn wants_examples(&self, most: usize) -> bool {
        let of_none = [WatchOutcome::PathSuccess, WatchOutcome::UntestedPath, WatchOutcome::IncorrectCall];
        self.calls <= FIRST_CAPTURED && of_none.iter().any(|it| self.examples_of(*it) < most)
    }

    /// Whether to capture the state before a call that begins. This costs more than most calls, so later
    /// calls are sampled; after a miss, each call is captured until there is an example.
    pub(super) fn keeps_before(&mut self, most: usize) -> bool {
        self.calls += 1;
        (self.lacks || self.calls <= FIRST_CAPTURED || self.calls.is_multiple_of(SAMPLE_INTERVAL))
            && WatchOutcome::ALL.iter().any(|it| *it != WatchOutcome::Success && self.examples_of(*it) < most)
    }

    /// Keeps an example, possibly without the state before its call.
    pub(super) fn keep(&mut self, outcome: WatchOutcome, example: Example, is_whole: bool) {
        self.lacks = !is_whole;
        self.examples.push((outcome, example));
    }
}

/// All rows, by index.
#[derive(Default)]
pub(super) struct Rows {
    numbers: FxHashMap<RowKey, usize>,
    rows: Vec<(RowKey, OutcomeRow)>,
}

impl Rows {
    pub(super) fn number(&mut self, key: RowKey) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.rows.push((key, OutcomeRow::default()));
            self.rows.len() - 1
        })
    }

    pub(super) fn get(&mut self, number: usize) -> &mut OutcomeRow {
        &mut self.rows[number].1
    }

    /// The rows in the order of their keys.
    pub(super) fn sorted(&self) -> Vec<&(RowKey, OutcomeRow)> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(key, _)| *key);
        rows
    }
}

/// A path as steps between labels.
pub(super) type LabelPath = Vec<(u32, u32)>;

/// Paths that no test takes, with the number of calls.
#[derive(Default)]
pub(super) struct UntestedPaths(FxHashMap<MethodId, Vec<(LabelPath, u64)>>);

impl UntestedPaths {
    pub(super) fn count(&mut self, method: MethodId, way: &[(u32, u32)]) {
        let known = self.0.entry(method).or_default();
        match known.iter().position(|(other, _)| other == way) {
            Some(at) => known[at].1 += 1,
            None if known.len() < MOST_WAYS => known.push((way.to_vec(), 1)),
            None => {}
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (MethodId, &LabelPath, u64)> {
        self.0.iter().flat_map(|(method, ways)| ways.iter().map(|(way, count)| (*method, way, *count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;

    fn example() -> Example {
        Example {
            stack: Vec::new(),
            triple: String::new(),
            text: String::new(),
            before: Vec::new(),
            after: Vec::new(),
            note: String::new(),
            before_state: Picture::default(),
            after_state: Picture::default(),
        }
    }

    #[test]
    fn examples_are_wanted_of_what_is_not_a_success() {
        let mut row = OutcomeRow::default();
        assert!(!row.count(WatchOutcome::Success, 1));
        assert!(row.count(WatchOutcome::FailedTest, 1));
        row.keep(WatchOutcome::FailedTest, example(), true);
        assert!(!row.count(WatchOutcome::FailedTest, 1), "one is enough");
        assert!(row.count(WatchOutcome::PathAnomaly, 1), "each outcome has its own");
        assert!(!row.count(WatchOutcome::PathAnomaly, 0));
        let counts: Vec<_> = row.counts().collect();
        assert_eq!(
            counts,
            [(WatchOutcome::Success, 1), (WatchOutcome::PathAnomaly, 2), (WatchOutcome::FailedTest, 2)]
        );
    }

    #[test]
    fn states_are_captured_at_first_then_sampled() {
        let mut row = OutcomeRow::default();
        let captured: Vec<u64> = (1..=400).filter(|_| row.keeps_before(1)).collect();
        // The first two hundred, then the multiples of 64.
        let expected: Vec<u64> = (1..=200).chain([256, 320, 384]).collect();
        assert_eq!(captured, expected);
        // An example without its state: each call is captured until there is one with its state.
        row.keep(WatchOutcome::FailedTest, example(), false);
        assert!((0..10).all(|_| row.keeps_before(2)));
        row.keep(WatchOutcome::FailedTest, example(), true);
        assert!(!row.keeps_before(2));
    }

    #[test]
    fn nothing_is_captured_once_all_outcomes_have_their_examples() {
        let mut row = OutcomeRow::default();
        for outcome in WatchOutcome::ALL {
            assert!(row.keeps_before(1));
            if outcome != WatchOutcome::Success {
                row.keep(outcome, example(), true);
            }
        }
        assert!(!row.keeps_before(1) && !row.wants_examples(1));
        assert!(row.keeps_before(2) && row.wants_examples(2));
    }
}
