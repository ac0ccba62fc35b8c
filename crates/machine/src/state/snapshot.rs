//! Frozen states of the whole machine.

use super::frame::Frame;
use super::registers::Registers;
use super::value::Shadow;
use crate::memory::Version;
use std::cell::Cell;
use std::rc::Rc;

/// A frozen state of the whole machine.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) version: Version,
    pub(crate) stack: Box<[u64]>,
    pub(crate) shadows: Box<[Shadow]>,
    /// All but the frames.
    pub(crate) registers: Registers,
    /// Apart, so that going back needs no memory.
    pub(crate) frames: Box<[Frame]>,
    /// The position in the undo log of [`crate::choices::slots::Choices`].
    pub(crate) choices: usize,
    /// The size of stack, shadows and frames.
    pub(crate) _weight: Weight,
}

/// Words kept by an owner, counted as long as this value lives.
pub(crate) struct Weight {
    words: u64,
    kept: Rc<Cell<u64>>,
}

impl Weight {
    /// Counts so many words.
    pub(crate) fn new(words: u64, kept: &Rc<Cell<u64>>) -> Weight {
        kept.set(kept.get() + words);
        Weight { words, kept: kept.clone() }
    }

    /// Counts the words of a stack with its shadows and frames.
    pub(crate) fn of(stack: &[u64], shadows: &[Shadow], frames: &[Frame], kept: &Rc<Cell<u64>>) -> Weight {
        let bytes = size_of_val(stack) + size_of_val(shadows) + size_of_val(frames);
        Weight::new(bytes as u64 / 8, kept)
    }
}

impl Clone for Weight {
    fn clone(&self) -> Weight {
        Weight::new(self.words, &self.kept)
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        self.kept.set(self.kept.get().saturating_sub(self.words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_copy_is_counted_while_it_lives() {
        let kept = Rc::new(Cell::new(5));
        let one = Weight::new(10, &kept);
        let two = one.clone();
        assert_eq!(kept.get(), 25);
        drop(one);
        assert_eq!(kept.get(), 15);
        drop(two);
        assert_eq!(kept.get(), 5);
    }
}
