//! Warm-up: initialises slow classes, which read tables or compile patterns, before the search, so that their
//! initialisers do not exceed the limit of individual runs.

use super::Search;
use crate::statics::initialised;

/// Fuel of a run that initialises classes.
const FUEL: u64 = 100_000_000;

impl Search<'_> {
    /// Continues the current run, which has used up its fuel, and initialises the same classes in the starting
    /// state of all sequences; returns whether there were any. Happens only once.
    pub(super) fn warm_up(&mut self) -> bool {
        if self.is_warm {
            return false;
        }
        self.is_warm = true;
        self.machine.set_fuel(FUEL);
        // How it ends does not matter.
        self.machine.run();
        let used = FUEL - self.machine.fuel().min(FUEL);
        // It happens once rather than per path, so only a fraction is charged.
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
            let hits = self.machine.registers().coverage.as_ref().clone();
            self.cover(&hits);
        }
        any
    }
}
