//! The choices of a search: which slots of memory are holes, which have been chosen and marked, and which of
//! those a run has read.
//!
//! A search over choices consults this table at every read of a field and changes a few slots between two
//! states, thousands of times more often than terms are consulted. So it is a flat table with an undo log, not
//! a persistent map. Going back to a state undoes everything done since. A state with holes must therefore be
//! restored from a state that it led to, as in a depth-first search; for other transitions, the slots keep the
//! values of the common ancestor.

use super::set::{ChoiceSet, MARKS};
use std::cell::Cell;
use std::mem::replace;

/// Bytes of memory to a block of the table.
const BLOCK: usize = 256;

/// What a slot is to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// No choice.
    None,
    /// It has no value yet.
    Hole,
    /// A value with this number has been chosen there.
    Marked(u32),
}

/// The kind of a slot, and above [`SIZE_SHIFT`] the logarithm of its bytes.
type SlotEntry = u16;
const SIZE_SHIFT: u32 = 12;

impl Choice {
    fn entry(self, size: u32) -> SlotEntry {
        let what = match self {
            Choice::None => return 0,
            Choice::Hole => 1,
            Choice::Marked(mark) => mark as SlotEntry + 2,
        };
        what | (size.trailing_zeros() as SlotEntry) << SIZE_SHIFT
    }

    fn of(entry: SlotEntry) -> Choice {
        match entry & ((1 << SIZE_SHIFT) - 1) {
            0 => Choice::None,
            1 => Choice::Hole,
            marked => Choice::Marked(u32::from(marked) - 2),
        }
    }
}

/// The slots by byte address, and the slots that the last run read.
#[derive(Default)]
pub(crate) struct Choices {
    /// The block of each run of bytes, plus one; 0 for none.
    blocks: Vec<u32>,
    entries: Vec<[SlotEntry; BLOCK]>,
    /// What was there before each change.
    log: Vec<(u64, SlotEntry)>,
    /// The byte address of the hole at which the last run stopped.
    hole: Option<u64>,
    /// The marks of slots that have been read.
    reads: Reads,
}

/// A bit for each mark.
#[derive(Default)]
struct Reads([Cell<u64>; MARKS as usize / 64]);

impl Choices {
    /// Whether nothing is to be chosen anywhere.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.log.is_empty()
    }

    /// What the slot at this byte address is.
    #[inline]
    pub(crate) fn get(&self, byte: u64) -> Choice {
        self.block(byte).map_or(Choice::None, |it| Choice::of(it[byte as usize % BLOCK]))
    }

    #[inline]
    fn block(&self, byte: u64) -> Option<&[SlotEntry; BLOCK]> {
        let block = self.blocks.get(byte as usize / BLOCK).copied().unwrap_or(0);
        self.entries.get((block as usize).wrapping_sub(1))
    }

    /// The bits of the word at this byte address that are holes or marked.
    pub(crate) fn bits(&self, byte: u64) -> u64 {
        let Some(block) = self.block(byte) else { return 0 };
        let first = byte as usize % BLOCK;
        let mut bits = 0;
        for (at, entry) in (0u32..).zip(&block[first..first + 8]).filter(|it| *it.1 != 0) {
            let size = 8 << (entry >> SIZE_SHIFT);
            bits |= (u64::MAX >> (64 - size)) << (at * 8);
        }
        bits
    }

    /// Sets the choice of the slot at this byte address, which has this size in bytes.
    pub(crate) fn set(&mut self, byte: u64, size: u32, to: Choice) {
        let at = byte as usize / BLOCK;
        let block = self.blocks.get(at).copied().unwrap_or(0);
        if block == 0 {
            if to == Choice::None {
                return;
            }
            if self.blocks.len() <= at {
                self.blocks.resize(at + 1, 0);
            }
            self.entries.push([0; BLOCK]);
            self.blocks[at] = self.entries.len() as u32;
        }
        let block = self.blocks[at] as usize - 1;
        let new = to.entry(size);
        let old = replace(&mut self.entries[block][byte as usize % BLOCK], new);
        if old != new {
            self.log.push((byte, old));
        }
    }

    /// The present moment, for [`Choices::undo`].
    pub(crate) fn moment(&self) -> usize {
        self.log.len()
    }

    /// Undoes what was done since that moment.
    #[inline]
    pub(crate) fn undo(&mut self, moment: usize) {
        while self.log.len() > moment {
            let Some((byte, old)) = self.log.pop() else { return };
            let block = self.blocks[byte as usize / BLOCK] as usize - 1;
            self.entries[block][byte as usize % BLOCK] = old;
        }
    }

    /// Notes that the slot with this mark is read.
    #[inline]
    pub(crate) fn note_read(&self, mark: u32) {
        let word = &self.reads.0[mark as usize / 64];
        word.set(word.get() | 1 << (mark % 64));
    }

    /// The marks of slots that have been read since the last call.
    pub(crate) fn take_reads(&mut self) -> ChoiceSet {
        ChoiceSet::from_words(self.reads.0.each_ref().map(Cell::take))
    }

    /// Notes that a run stopped at a hole.
    pub(crate) fn stop_at(&mut self, hole: u64) {
        self.hole = Some(hole);
    }

    /// The hole at which the last run stopped, if it stopped at one.
    pub(crate) fn take_hole(&mut self) -> Option<u64> {
        self.hole.take()
    }

    /// Clears the slots for which `is_gone` returns true.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(u64) -> bool) {
        // Every slot with an entry was changed at some time.
        for at in 0..self.log.len() {
            let byte = self.log[at].0;
            if is_gone(byte) {
                self.set(byte, 1, Choice::None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// A depth-first search sees the same as one that copies a plain map for each state.
        #[test]
        fn undoing_agrees_with_copies(steps in prop::collection::vec((0u64..600, 0u16..5, any::<bool>()), 1..200)) {
            let mut slots = Choices::default();
            let mut model: BTreeMap<u64, u16> = BTreeMap::new();
            let mut states = Vec::new();
            for (byte, entry, goes_back) in steps {
                if goes_back && let Some((moment, old)) = states.pop() {
                    slots.undo(moment);
                    model = old;
                } else {
                    states.push((slots.moment(), model.clone()));
                    slots.set(byte, 1, Choice::of(entry));
                    model.insert(byte, entry);
                }
                for byte in 0..600 {
                    prop_assert_eq!(slots.get(byte).entry(1), model.get(&byte).copied().unwrap_or(0));
                }
            }
        }

        /// The bits of a word are the bits of its slots, whatever the slots are.
        #[test]
        fn bits_are_those_of_slots(log_size in 0u32..4, chosen in prop::collection::vec(any::<bool>(), 8)) {
            let mut slots = Choices::default();
            let size = 1 << log_size;
            let mut expected = 0;
            for (at, _) in (0..8 / size).zip(chosen).filter(|it| it.1) {
                slots.set(512 + u64::from(at * size), size, Choice::Marked(at));
                expected |= (u64::MAX >> (64 - size * 8)) << (at * size * 8);
            }
            prop_assert_eq!(slots.bits(512), expected);
        }

        /// Freed slots are absent, and present again in the earlier state.
        #[test]
        fn undo_restores_removed_slots(bytes in prop::collection::btree_set(0u64..1000, 1..40)) {
            let mut slots = Choices::default();
            bytes.iter().for_each(|it| slots.set(*it, 1, Choice::Hole));
            let moment = slots.moment();
            slots.forget(|byte| byte % 2 == 0);
            for byte in &bytes {
                prop_assert_eq!(slots.get(*byte) == Choice::Hole, byte % 2 == 1);
            }
            slots.undo(moment);
            prop_assert!(bytes.iter().all(|it| slots.get(*it) == Choice::Hole));
        }
    }
}
