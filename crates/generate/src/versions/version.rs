//! A version of a program.

use cupping_classfile::Code;
use cupping_machine::{Machine, MethodId};

/// A program in which one method has another body.
#[derive(Clone, Debug)]
pub struct Version {
    /// The method.
    pub method: MethodId,
    /// Its body.
    pub body: Code,
}

impl Version {
    /// Makes the machine run this version. Invocations that are under way are not affected.
    pub fn install(&self, machine: &mut Machine) {
        machine.replace_code(self.method, Some(self.body.clone()));
    }

    /// Makes the machine run the original again.
    pub fn remove(&self, machine: &mut Machine) {
        machine.replace_code(self.method, None);
    }

    /// Does something on this version.
    pub fn on<R>(&self, machine: &mut Machine, act: impl FnOnce(&mut Machine) -> R) -> R {
        self.install(machine);
        let result = act(machine);
        self.remove(machine);
        result
    }
}
