//! Records what a program did to the world, or learned about it.

use super::Disk;
use super::descriptors::Asker;
use super::effect_set::EffectSet;
use crate::classes::ClassId;
use crate::machine::Machine;
use crate::state::Purpose;
use cupping_case::Effect;

/// The class with which the JDK looks for entropy: it lists the folder for temporary files, for one.
const ENTROPY: &str = "sun/security/provider/SeedGenerator";

impl Machine {
    /// The file system, for an operation on a path.
    ///
    /// A library whose initialiser asks once which system it runs on (`/etc/os-release`) does nothing that concerns
    /// the code under test: such looks at files of the system are not recorded, unless the class itself is under
    /// test. Neither are those of the JDK in search of entropy.
    pub(crate) fn disk(&mut self) -> &mut Disk {
        let is_beside = |class: ClassId| self.plans.is_beside_test(&self.class(class).name);
        let mut frames = self.registers.frames.iter();
        self.registers.cold.disk.asker = if self.looks_for_entropy() {
            Asker::Entropy
        } else if frames.any(|frame| matches!(frame.purpose, Purpose::Initializer(class) if is_beside(class)))
        {
            Asker::Library
        } else {
            Asker::Program
        };
        &mut self.registers.cold.disk
    }

    /// Whether the JDK is looking for entropy, without code of the program.
    pub(crate) fn looks_for_entropy(&self) -> bool {
        let frames = self.registers.frames.iter().rev();
        let mut classes = frames.map(|frame| self.class(self.method(frame.code.method).class));
        let found = classes.find(|class| !class.from_jdk || class.name.starts_with(ENTROPY));
        found.is_some_and(|class| class.from_jdk)
    }

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
