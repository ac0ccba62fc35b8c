//! Safepoints: backward jumps and calls, where the whole state of a run is in frames, registers and memory.
//!
//! The instruction loop counts [`Registers::fuel`](crate::Registers::fuel) down and comes here at 0, so that
//! these events cost it nothing else: the end of the budget, a collection, the turn of another thread. For the
//! last two, the budget is kept in two parts: `fuel` is left until the next event, `fuel_beyond` after it.

use crate::exit::{Exit, Halt};
use crate::machine::Machine;
use crate::threads::{schedule, turns};

impl Machine {
    /// Backward jumps and calls left before the run is stopped.
    pub fn fuel(&self) -> u64 {
        self.registers.fuel.saturating_add(self.registers.fuel_beyond)
    }

    /// Sets how many backward jumps and calls may be made before the run is stopped.
    pub fn set_fuel(&mut self, fuel: u64) {
        self.registers.clock = self.now();
        self.registers.fuel = fuel;
        self.registers.fuel_beyond = 0;
        self.registers.fuel_given = fuel;
        turns::start_turn(self);
    }

    /// Sets a function that is called now and then while code runs, and says whether the run should end. The
    /// run then ends as if its fuel were used up. Without the function, a run depends only on program, input
    /// and seed.
    pub fn end_when(&mut self, interrupted: fn() -> bool) {
        self.environment.set_interrupted(interrupted);
        turns::set_next_event(self);
    }

    /// Lets the next backward jump or call be a safepoint.
    pub(crate) fn request_safepoint(&mut self) {
        let left = self.fuel();
        if self.registers.fuel > 1 {
            self.registers.fuel = 1;
            self.registers.fuel_beyond = left - 1;
        }
    }

    /// Takes fuel for work beside jumps and calls, such as a long copy. The run ends at the next safepoint if there is
    /// none left.
    pub(crate) fn take_fuel(&mut self, fuel: u64) {
        let left = self.fuel().saturating_sub(fuel).max(1);
        self.registers.fuel = self.registers.fuel.min(left);
        self.registers.fuel_beyond = left - self.registers.fuel;
    }

    /// Performs what is due when `fuel` has been used up; `back` of it is given back. `Some` if the run ends.
    #[cold]
    pub(crate) fn safepoint(&mut self, back: u64) -> Option<Exit> {
        let left = std::mem::take(&mut self.registers.fuel_beyond);
        if left == 0 || self.environment.is_interrupted() {
            return Some(Exit::Halted(Halt::OutOfFuel));
        }
        self.registers.fuel = left.saturating_add(back);
        self.collect_if_due();
        match schedule::end_turn_if_due(self) {
            Ok(()) => None,
            Err(trap) => self.handle_trap(trap),
        }
    }
}
