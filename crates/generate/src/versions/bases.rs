//! The states from which tests start.

use cupping_machine::{ClassId, Machine, Snapshot};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Fuel of a class initialiser.
pub(super) const FUEL: u64 = 5_000_000;

/// The states before tests.
#[derive(Clone)]
pub struct Bases {
    /// The state in which no class under test is initialised.
    pub booted: Rc<Snapshot>,
    /// The state from which tests of the original start.
    pub original: Rc<Snapshot>,
    /// Classes that were initialised before only since tests would take long to do so. Images leave their tables out.
    pub settled: Rc<BTreeSet<ClassId>>,
}

impl Bases {
    /// States in which nothing was settled.
    pub fn new(booted: Snapshot, original: Snapshot) -> Bases {
        Bases { booted: Rc::new(booted), original: Rc::new(original), settled: Rc::default() }
    }

    /// Whether the initialiser of a class can run again, within the fuel that its versions have. The machine's
    /// state is changed.
    pub fn can_initialise(&self, machine: &mut Machine, class: ClassId) -> bool {
        machine.restore(&self.booted);
        machine.set_fuel(FUEL);
        machine.initialize_class_now(class).is_ok()
    }
}
