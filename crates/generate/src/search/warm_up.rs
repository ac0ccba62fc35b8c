//! Classes that take long to initialise, because they read tables or compile patterns: they are initialised before the search
//! then, so that its runs need not do it within the limit that each of them has.

use super::Search;
use cupping_machine::{ClassId, InitState, Machine};

/// Instructions for a run that initialises classes, at most.
const FUEL: u64 = 100_000_000;

impl Search<'_> {
    /// Goes on with the run on which the machine is and that has used up its fuel, and initialises, in the state that every
    /// sequence starts from, the classes that it initialised; whether there were any. It is tried once.
    pub(super) fn warm_up(&mut self) -> bool {
        if self.is_warm {
            return false;
        }
        self.is_warm = true;
        self.machine.set_fuel(FUEL);
        // How it ends does not matter.
        self.machine.run();
        let used = FUEL - self.machine.fuel().min(FUEL);
        // That happens once, not for each path: a small part of it counts.
        self.work += used / 100;
        let after = initialised(self.machine);
        self.machine.restore(&self.base);
        let before = initialised(self.machine);
        let mut any = false;
        for class in after.into_iter().filter(|it| before.binary_search(it).is_err()) {
            self.machine.set_fuel(FUEL);
            any |= self.machine.initialize_class_now(class).is_ok();
        }
        if any {
            self.base = self.machine.snapshot();
            let hits = self.machine.registers.coverage.as_ref().clone();
            cupping_coverage::merge(&mut self.hits, &hits);
            self.goals = self.map.covered(&self.hits);
        }
        any
    }
}

/// The classes that are initialised, in the order in which they were loaded.
fn initialised(machine: &Machine) -> Vec<ClassId> {
    let all = machine.classes().iter().map(|class| class.id);
    all.filter(|id| machine.init_state(*id) == InitState::Initialized).collect()
}
