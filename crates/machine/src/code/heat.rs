//! The compilation state of code, and its sampling.

use std::cell::{Cell, RefCell};

/// A loop or call is sampled whenever the fuel is a multiple of this power of two.
pub(crate) const SAMPLE: u64 = 1 << 10;

/// The state of compilation of a method's code.
#[derive(Debug, Default)]
pub(crate) struct Heat {
    /// Samples so far.
    pub(crate) samples: Cell<u32>,
    /// Calls by compiled code so far.
    pub(crate) calls: Cell<u32>,
    /// The number of the compiled function, from 1; 0 for none.
    pub(crate) function: Cell<u32>,
    /// How often it has been compiled.
    pub(crate) versions: Cell<u32>,
    /// Whether it is not compiled any more.
    pub(crate) is_given_up: Cell<bool>,
    /// Where the interpreter enters it.
    pub(crate) entered: Cell<EntryState>,
    /// Other instructions that the interpreter often returns to without finding an entry, in order.
    pub(crate) wanted: RefCell<Vec<u32>>,
}

/// Where the interpreter enters compiled code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EntryState {
    #[default]
    Nowhere,
    /// Not at the beginning: calls return almost at once.
    Inside,
    Everywhere,
}

impl Heat {
    /// Whether the interpreter may find an entry at this instruction.
    #[inline(always)]
    pub(crate) fn has_entry(&self, pc: usize) -> bool {
        self.entered.get() as u8 > (pc == 0) as u8
    }
}
