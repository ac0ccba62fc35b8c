//! Words written since a version of the memory, and which of them belong to objects.

use crate::heap::layout::HEAP_START;
use crate::machine::Machine;
use crate::memory::{Addr, Version};

impl Machine {
    /// Whether objects of that time, or static fields, have changed; the hash codes that strings cache do not
    /// count. There must have been no collection since. Also true if the version is not an ancestor of the
    /// present one.
    pub fn has_written_since(&self, version: &Version) -> bool {
        let Some(words) = self.memory.changes_since(version) else { return true };
        let hash = self.classes.well_known.string_hash;
        let is_hash = |word: Addr| {
            let string = word.checked_sub(hash);
            string
                .is_some_and(|it| self.memory.read(it) & 0xFFFF == u64::from(self.classes.well_known.string))
        };
        words.into_iter().any(|word| !is_hash(word))
    }

    /// The words in use at the time of a version that have changed since; `None` if the version is not an
    /// ancestor of the present one.
    pub fn words_changed_since(&self, version: &Version) -> Option<Vec<Addr>> {
        self.memory.changes_since(version)
    }

    /// Which of these words are addresses of objects, for slots of unknown type. A number that happens to be an
    /// address counts as one.
    pub fn objects_among(&self, words: &[u64]) -> Vec<bool> {
        let top = self.memory.used();
        let may_be = |word: u64| word >= u64::from(HEAP_START) && word < u64::from(top);
        if !words.iter().any(|word| may_be(*word)) {
            return vec![false; words.len()];
        }
        let starts = self.starts_of_objects();
        words.iter().map(|word| may_be(*word) && starts.contains(*word as Addr)).collect()
    }

    /// Locals and operand stack of the frame that has made the innermost call, without the arguments of the
    /// call; and how many of these are locals.
    pub fn slots_of_caller(&self) -> (Vec<u64>, usize) {
        let frames = &self.registers.frames;
        let Some([caller, callee]) = frames.last_chunk::<2>() else { return Default::default() };
        let words = (caller.base..callee.base).map(|at| self.stack.get(at)).collect();
        (words, caller.code.max_locals as usize)
    }
}
