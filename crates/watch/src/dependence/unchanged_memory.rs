//! Memory that has not changed since before the tests.

use crate::old_value::words;
use cupping_machine::memory::Version;
use cupping_machine::{Addr, Machine};

/// The words that have changed since a version of the memory.
pub(crate) struct UnchangedMemory {
    top: Addr,
    /// The ranges in order; `None` if unknown.
    changed: Option<Vec<Addr>>,
}

impl UnchangedMemory {
    /// Compares the present memory with an ancestor version, of which `top` words were in use.
    pub(crate) fn since(machine: &Machine, version: &Version, top: Addr) -> UnchangedMemory {
        let changed = machine.words_changed_since(version).map(|mut words| {
            words.sort_unstable();
            words
        });
        UnchangedMemory { top, changed }
    }

    /// Whether an object existed then and has the same content.
    pub(super) fn is_object(&self, machine: &Machine, object: Addr) -> bool {
        self.are_words(object, words(machine, object).0)
    }

    /// Whether this many words from this address are unchanged.
    pub(super) fn are_words(&self, from: Addr, count: u32) -> bool {
        let Some(changed) = &self.changed else { return false };
        let at = changed.partition_point(|it| *it < from);
        from < self.top && changed.get(at).is_none_or(|it| *it >= from + count)
    }
}
