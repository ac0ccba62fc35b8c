//! Taking note of what a program did to the world, or learned of it.

use super::effect_set::EffectSet;
use crate::machine::Machine;
use cupping_case::Effect;

impl Machine {
    /// Records something that the program did to the world outside the heap, or learned of it.
    pub(crate) fn note(&mut self, effect: Effect) {
        // Asked first, so that what snapshots share is copied only for what is new.
        if !self.registers.cold.disk.effects.contains(&effect) {
            self.registers.cold.disk.effects.insert(effect);
        }
    }
}

/// What has been recorded so far.
pub(super) fn recorded(machine: &Machine) -> &EffectSet {
    &machine.registers.cold.disk.effects
}

/// Forgets it: what booting did is the machine's own.
pub(super) fn forget_recorded(machine: &mut Machine) {
    machine.registers.cold.disk.effects = EffectSet::default();
}

/// The path that a program means by this one.
pub(super) fn resolved_path(machine: &Machine, path: &str) -> String {
    let files = &machine.registers.cold.disk.files;
    String::from_utf8_lossy(&files.resolved(path.as_bytes(), false)).into_owned()
}
