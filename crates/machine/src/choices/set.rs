//! Sets of choices, by the marks of their slots.

use crate::state::Shadow;

/// The shadow of a memory slot without a value; it names no term.
pub const HOLE: Shadow = Shadow::MAX;

/// How many choices can be marked.
pub const MARKS: u32 = 512;

/// A set of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChoiceSet([u64; MARKS as usize / 64]);

impl ChoiceSet {
    /// The marks whose bits are set.
    pub(super) fn from_words(words: [u64; MARKS as usize / 64]) -> ChoiceSet {
        ChoiceSet(words)
    }

    /// Adds those of another set.
    pub fn add(&mut self, other: &ChoiceSet) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    /// The set without the marks from this number on.
    pub fn below(mut self, end: u32) -> ChoiceSet {
        for (at, word) in (0u32..).zip(&mut self.0) {
            let kept = end.saturating_sub(at * 64).min(64);
            *word &= if kept == 64 { u64::MAX } else { (1 << kept) - 1 };
        }
        self
    }

    /// The numbers in it, rising.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(self.0).flat_map(|(at, word)| {
            let rest = std::iter::successors(Some(word), |it| Some(it & it.wrapping_sub(1)));
            rest.take_while(|it| *it != 0).map(move |it| at * 64 + it.trailing_zeros())
        })
    }
}

impl FromIterator<u32> for ChoiceSet {
    fn from_iter<T: IntoIterator<Item = u32>>(marks: T) -> ChoiceSet {
        let mut set = ChoiceSet::default();
        for mark in marks {
            set.0[(mark % MARKS) as usize / 64] |= 1 << (mark % 64);
        }
        set
    }
}
