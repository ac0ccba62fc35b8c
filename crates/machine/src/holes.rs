//! Fields and elements that have no value yet: whoever explores all values chooses one when it is first read.
//!
//! A hole is a shadow that names no term. Reading it ends the run; the instruction runs again when the hole has been
//! filled ([`Machine::set_field`], [`Machine::set_element_value`]) and [`Machine::run`] is called again.

use crate::exit::Trap;
use crate::machine::Machine;
use crate::state::Shadow;

/// The shadow of a slot of memory without a value.
pub const HOLE: Shadow = Shadow::MAX;

impl Machine {
    /// Makes the slot of `size` bytes at this byte address a hole.
    pub fn dig(&mut self, byte: u64, size: u32) {
        self.set_heap_shadow(byte, size, HOLE);
    }

    /// Whether the slot at this byte address is a hole.
    pub fn is_hole(&self, byte: u64) -> bool {
        self.heap_shadow(byte) == HOLE
    }

    /// The byte address of the hole for which the last run stopped, if it did for one.
    pub fn take_hole(&mut self) -> Option<u64> {
        self.hole.take()
    }

    /// Stops the run at a hole.
    #[cold]
    pub(crate) fn meet_hole(&mut self, byte: u64) -> Trap {
        self.hole = Some(byte);
        Trap::unsupported("a field without a value")
    }
}
