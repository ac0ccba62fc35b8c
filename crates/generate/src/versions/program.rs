//! Another program, in which every class of the class path may differ.

use super::alternative::Alternative;
use super::bases::{Bases, FUEL};
use super::translation::translated;
use crate::plan::Plan;
use cupping_machine::{ClassId, Machine, Snapshot, SpaceId};
use std::rc::Rc;

/// Another version of the whole program, in a class space of its own.
pub struct ProgramVersion {
    space: SpaceId,
    /// The class under test, in that space.
    class: ClassId,
    /// The state before all sequences.
    base: Rc<Snapshot>,
}

impl ProgramVersion {
    /// Initialises the class of this name in a space, from the state in which no class under test is initialised. The
    /// machine's state is changed, and it is in the first program afterwards.
    ///
    /// # Errors
    /// The version has no such class, or it cannot be initialised; the text says why.
    pub fn new(
        machine: &mut Machine,
        space: SpaceId,
        booted: &Snapshot,
        class: &str,
    ) -> Result<ProgramVersion, String> {
        machine.restore(booted);
        machine.enter_space(space);
        machine.set_fuel(FUEL);
        // Reads during the JDK's boot do not concern the tests.
        machine.forget_entropy_reads();
        let made = machine.load(class).and_then(|id| machine.initialize_class_now(id).map(|()| id));
        let made = made.map_err(|trap| machine.describe_trap(&trap)).map(|class| {
            machine.set_volatile_reads(machine.registers().entropy_reads);
            ProgramVersion { space, class, base: Rc::new(machine.snapshot()) }
        });
        machine.enter_space(SpaceId::default());
        made
    }

    /// The class under test in this version.
    pub fn class(&self) -> ClassId {
        self.class
    }

    /// Does something on this version.
    pub fn on<R>(&self, machine: &mut Machine, act: impl FnOnce(&mut Machine) -> R) -> R {
        self.install(machine);
        let result = act(machine);
        self.remove(machine);
        result
    }

    /// The state before all sequences.
    pub fn start(&self) -> &Snapshot {
        &self.base
    }
}

impl Alternative for ProgramVersion {
    fn base(&self, _: &mut Machine, _: &Bases) -> Option<Rc<Snapshot>> {
        Some(self.base.clone())
    }

    fn install(&self, machine: &mut Machine) {
        machine.enter_space(self.space);
    }

    fn remove(&self, machine: &mut Machine) {
        machine.enter_space(SpaceId::default());
    }

    fn plan(&self, machine: &mut Machine, plan: &Rc<Plan>) -> Option<Rc<Plan>> {
        translated(machine, plan).map(Rc::new)
    }

    fn has_own_base(&self) -> bool {
        false
    }
}
