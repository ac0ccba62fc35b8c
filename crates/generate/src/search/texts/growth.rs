//! How often sentences have been extended, and with which words that succeeded.

use rustc_hash::{FxHashMap, FxHashSet};

/// How much more often a sentence is extended that covered something under test, or that is refused at a new place.
const WEIGHT_OF_FIND: usize = 6;
const WEIGHT_OF_END: usize = 4;
const WEIGHT: usize = 1;
/// Extensions after which a sentence does not grow if all of them show what it shows itself: it is refused before its
/// end.
const ENOUGH: u32 = 6;

/// The extensions of one sentence.
pub(super) struct Growth {
    weight: usize,
    /// The words that have been appended.
    pub(super) tried: FxHashSet<Vec<u16>>,
    /// The number of extensions that showed what the sentence shows; none once one did not.
    vain: Option<u32>,
    /// Whether no word is left.
    pub(super) is_over: bool,
}

impl Growth {
    /// Of a sentence that was kept for this reason.
    pub(super) fn new(is_find: bool, has_new_end: bool) -> Growth {
        let weight = match (is_find, has_new_end) {
            (true, _) => WEIGHT_OF_FIND,
            (false, true) => WEIGHT_OF_END,
            (false, false) => WEIGHT,
        };
        Growth { weight, tried: FxHashSet::default(), vain: Some(0), is_over: false }
    }

    /// Takes note of what an extension showed.
    pub(super) fn note(&mut self, is_same: bool) {
        self.vain = self.vain.filter(|_| is_same).map(|it| it + 1);
        self.is_over |= self.vain.is_some_and(|it| it >= ENOUGH);
    }

    /// What it has had of its turns: the sentence with the least comes next.
    pub(super) fn turns(&self) -> usize {
        self.tried.len() * 100 / self.weight
    }
}

/// How often a word was part of an extension that was kept.
#[derive(Default)]
pub(super) struct Successes {
    of_words: FxHashMap<Vec<u16>, u32>,
    /// The word of the sentence that is tried next.
    pub(super) current: Option<Vec<u16>>,
}

impl Successes {
    pub(super) fn of(&self, word: &[u16]) -> u32 {
        self.of_words.get(word).copied().unwrap_or(0)
    }

    /// Whether the sentence that is tried is an extension.
    pub(super) fn is_extension(&self) -> bool {
        self.current.is_some()
    }

    /// Takes note of the end of the current extension.
    pub(super) fn note(&mut self, is_kept: bool) {
        if let Some(word) = self.current.take().filter(|_| is_kept) {
            *self.of_words.entry(word).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn finds_grow_more_often_than_other_sentences() {
        let [mut find, mut end, mut other] =
            [Growth::new(true, false), Growth::new(false, true), Growth::new(false, false)];
        for word in ["a", "b"] {
            for growth in [&mut find, &mut end, &mut other] {
                growth.tried.insert(units(word));
            }
        }
        assert!(find.turns() < end.turns() && end.turns() < other.turns());
    }

    #[test]
    fn a_sentence_that_is_refused_before_its_end_does_not_grow() {
        let mut growth = Growth::new(true, false);
        (0..ENOUGH - 1).for_each(|_| growth.note(true));
        assert!(!growth.is_over);
        growth.note(true);
        assert!(growth.is_over);
        let mut growth = Growth::new(true, false);
        growth.note(false);
        (0..2 * ENOUGH).for_each(|_| growth.note(true));
        assert!(!growth.is_over, "one word was looked at");
    }

    #[test]
    fn words_of_extensions_that_are_kept_succeed() {
        let mut successes = Successes { current: Some(units("let")), ..Successes::default() };
        successes.note(true);
        successes.current = Some(units("if"));
        successes.note(false);
        successes.note(true);
        assert_eq!((successes.of(&units("let")), successes.of(&units("if"))), (1, 0));
    }
}
