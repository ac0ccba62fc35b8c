//! Another program, in which every class of the class path may differ.

use super::alternative::Alternative;
use super::bases::Bases;
use super::translation::translated;
use crate::library_caches::caches_of;
use crate::plan::Plan;
use crate::statics::initialised;
use cupping_machine::{ClassId, InitState, Machine, Snapshot, SpaceId, Step, Trap};
use std::rc::Rc;

/// Fuel of the initialiser of a class. Some read long tables.
const FUEL: u64 = 200_000_000;

/// Another version of the whole program, in a class space of its own.
#[derive(Clone)]
pub struct ProgramVersion {
    space: SpaceId,
    /// The class under test, in that space.
    class: ClassId,
    /// The state before all sequences.
    base: Rc<Snapshot>,
    /// The reads of clock and chance that its initialisers depend on.
    volatile_reads: u32,
    /// Whether the initialiser of the class throws.
    is_broken: bool,
}

impl ProgramVersion {
    /// Initialises the class of this name in a space, from the state in which no class under test is initialised. If
    /// its initialiser throws, it is left to the sequences, the first call of which throws then. The machine's state
    /// is changed, and it is in the first program afterwards.
    ///
    /// # Errors
    /// The version has no such class, or its initialiser does not end; the text says why.
    pub fn new(
        machine: &mut Machine,
        space: SpaceId,
        booted: &Snapshot,
        class: &str,
    ) -> Result<ProgramVersion, String> {
        machine.restore(booted);
        machine.enter_space(space);
        // Reads during the JDK's boot do not concern the tests.
        machine.forget_entropy_reads();
        let made = Self::in_current_space(machine, space, class);
        let made = made.map_err(|trap| machine.describe_trap(&trap));
        machine.enter_space(SpaceId::default());
        made
    }

    fn in_current_space(machine: &mut Machine, space: SpaceId, class: &str) -> Step<ProgramVersion> {
        let class = machine.load(class)?;
        let before = machine.snapshot();
        machine.set_fuel(FUEL);
        let is_broken = match machine.initialize_class_now(class) {
            Ok(()) => false,
            Err(Trap::Throw(_)) => true,
            Err(other) => return Err(other),
        };
        if is_broken {
            machine.restore(&before);
        }
        let volatile_reads = machine.registers().entropy_reads;
        machine.set_volatile_reads(volatile_reads);
        Ok(ProgramVersion { space, class, base: Rc::new(machine.snapshot()), volatile_reads, is_broken })
    }

    /// Whether the initialiser of the class throws.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Initialises the classes that are initialised in a state of the first program, so that sequences need not, and
    /// fills the caches of the JDK. The machine's state is changed.
    pub fn warm_up(&mut self, machine: &mut Machine, like: &Snapshot) {
        machine.restore(like);
        let wanted = initialised(machine);
        self.restore(machine);
        let known = initialised(machine);
        for id in wanted.into_iter().filter(|it| known.binary_search(it).is_err()) {
            let class = machine.class(id);
            let (name, from_jdk) = (class.name.clone(), class.from_jdk);
            let here = if from_jdk { Some(id) } else { machine.load(&name).ok() };
            let Some(here) = here.filter(|it| machine.init_state(*it) != InitState::Initialized) else {
                continue;
            };
            self.adopt(machine, false, |machine| machine.initialize_class_now(here));
            for cache in caches_of(&name).filter(|_| from_jdk) {
                self.adopt(machine, true, |machine| cache.fill(machine, here));
            }
        }
        machine.enter_space(SpaceId::default());
    }

    /// Runs a step on the state before all sequences. The state stays as it is if the step fails, or depends on the
    /// clock or on chance. A cache may read the clock while it is filled, but does not depend on it.
    fn adopt(&mut self, machine: &mut Machine, is_cache: bool, step: impl FnOnce(&mut Machine) -> Step<()>) {
        let entropy = machine.registers().entropy_reads;
        machine.set_fuel(FUEL);
        let is_done = step(machine).is_ok();
        if is_done && (is_cache || machine.registers().entropy_reads == entropy) {
            machine.set_volatile_reads(self.volatile_reads);
            self.base = Rc::new(machine.snapshot());
        }
        self.restore(machine);
    }

    fn restore(&self, machine: &mut Machine) {
        machine.restore(&self.base);
        machine.enter_space(self.space);
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
