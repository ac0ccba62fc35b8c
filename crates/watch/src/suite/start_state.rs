//! The state in which each test starts.
//!
//! If a test is the first to use a class, it initialises the class in the middle of a call, and the call seems to
//! depend on a state without the class. A program has initialised most of its classes already. So classes that a
//! test initialises are initialised before that test and all later ones, in the same order.

use cupping_machine::memory::Version;
use cupping_machine::{Addr, ClassId, InitState, Machine, Snapshot};
use std::collections::BTreeSet;

/// A state with initialised classes.
pub(super) struct Start {
    pub(super) state: Snapshot,
    pub(super) memory: Version,
    /// The first address that is free.
    pub(super) top: Addr,
    /// Classes that are initialised, or cannot be.
    tried: BTreeSet<ClassId>,
}

impl Start {
    pub(super) fn new(machine: &mut Machine) -> Start {
        let state = machine.snapshot();
        Start {
            state,
            memory: machine.memory_version(),
            top: machine.memory().used(),
            tried: BTreeSet::new(),
        }
    }

    /// Initialises the classes that a test has initialised; returns whether there were any. The resulting state is
    /// unspecified.
    pub(super) fn grow(&mut self, machine: &mut Machine, mut counts: impl FnMut(&str) -> bool) -> bool {
        /// Limit on the calls and backward jumps of all initialisers.
        const FUEL: u64 = 50_000_000;
        let classes = machine.classes().iter();
        let new = classes.filter(|it| !it.from_jdk && it.file.is_some() && counts(&it.name));
        let new = new.filter(|it| machine.init_state(it.id) == InitState::Initialized);
        let new: Vec<ClassId> = new.map(|it| it.id).filter(|it| !self.tried.contains(it)).collect();
        if new.is_empty() {
            return false;
        }
        self.tried.extend(&new);
        machine.restore(&self.state);
        let mut has_grown = false;
        for class in new {
            if machine.init_state(class) != InitState::Uninitialized {
                continue;
            }
            machine.set_fuel(FUEL);
            if machine.initialize_class_now(class).is_err() {
                machine.restore(&self.state);
                continue;
            }
            has_grown = true;
            self.state = machine.snapshot();
        }
        self.memory = machine.memory_version();
        self.top = machine.memory().used();
        has_grown
    }
}
