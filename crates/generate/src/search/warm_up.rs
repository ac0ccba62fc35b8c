//! Warm-up: initialises slow classes, which read tables or compile patterns, before the search, so that their
//! initialisers do not exceed the limit of individual runs.

use super::Search;
use crate::statics::initialised;
use crate::work::FUEL_OF_LONG_RUNS;
use cupping_explore::spent;

/// Most fuel of a run that initialises classes; it takes no longer than the budget.
const FUEL: u64 = 100_000_000;

impl Search<'_> {
    /// Continues the current run, which has used up its fuel, and initialises the same classes in the starting
    /// state of all sequences; returns whether there were any. Happens only once.
    pub(super) fn warm_up(&mut self) -> bool {
        if self.is_warm {
            return false;
        }
        self.is_warm = true;
        let begun = spent(self.machine);
        let fuel = FUEL.min(self.options.budget.as_micros() as u64 * FUEL_OF_LONG_RUNS);
        self.machine.set_fuel(fuel);
        // How it ends does not matter.
        self.machine.run();
        let after = initialised(self.machine);
        self.machine.restore(&self.base);
        let before = initialised(self.machine);
        let mut any = false;
        // All of them together: a library may have thousands of classes that need what is too long.
        let (mut left, mut spent_before) = (fuel, spent(self.machine));
        for class in after.into_iter().filter(|it| before.binary_search(it).is_err()) {
            self.machine.set_fuel(left);
            any |= self.machine.initialize_class_now(class).is_ok();
            let spent_now = spent(self.machine);
            left = left.saturating_sub(spent_now - std::mem::replace(&mut spent_before, spent_now));
            if left == 0 {
                break;
            }
        }
        self.charge_run(begun);
        if any {
            self.base = self.machine.snapshot();
            let hits = self.machine.registers().coverage.as_ref().clone();
            self.cover(&hits);
        }
        any
    }
}
