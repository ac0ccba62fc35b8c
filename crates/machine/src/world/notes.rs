//! Records what a program did to the world, or learned about it.

use super::effect_set::EffectSet;
use crate::machine::Machine;
use cupping_case::Effect;

impl Machine {
    /// Records something that the program did to the world outside of the heap, or learned about it.
    pub(crate) fn note(&mut self, effect: Effect) {
        // Asked first, so that data shared by snapshots is copied only for new effects.
        if !self.registers.cold.disk.effects.contains(&effect) {
            self.registers.cold.disk.effects.insert(effect);
        }
    }
}

/// The effects recorded so far.
pub(super) fn recorded(machine: &Machine) -> &EffectSet {
    &machine.registers.cold.disk.effects
}

/// Forgets the recorded effects: those of booting belong to the machine.
pub(super) fn forget_recorded(machine: &mut Machine) {
    machine.registers.cold.disk.effects = EffectSet::default();
}

/// The path that a program means by this one.
pub(super) fn resolved_path(machine: &Machine, path: &str) -> String {
    let files = &machine.registers.cold.disk.files;
    String::from_utf8_lossy(&files.resolved(path.as_bytes(), false)).into_owned()
}
