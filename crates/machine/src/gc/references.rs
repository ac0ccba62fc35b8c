//! `java.lang.ref`: references whose referent is dead are cleared and handed to the JDK's reference handler.
//!
//! Weak and phantom references behave alike here: `finalize` is never run, so nothing can resurrect an object.
//! The pending references are linked by their field `discovered`, as the class library expects.

use super::bitmap::Bitmap;
use crate::machine::Machine;
use crate::memory::Addr;

/// Clears those of `references` whose referent is not alive.
pub(super) fn clear_references(machine: &mut Machine, references: &[Addr], live: &Bitmap) {
    for reference in references {
        let referent = machine.named(*reference, "referent");
        if referent == 0 || live.contains(referent as Addr) {
            continue;
        }
        machine.set_named(*reference, "referent", 0);
        let pending = machine.registers.cold.pending_references;
        // The handler expects that the last one refers to nothing.
        machine.set_named(*reference, "discovered", pending as u64);
        machine.registers.cold.pending_references = *reference;
    }
}
