//! Calls that need much more fuel than others, such as the first call of a sequence, which initialises classes. The
//! calls after them go on from the state that they left, so their work is done once.

use cupping_explore::InvocationEnd;
use cupping_machine::{Halt, MethodId};
use rustc_hash::FxHashMap;

/// How much more fuel such a call gets.
const FACTOR: u64 = 40;
/// How often a method may run out of this fuel, too.
const FAILURES: u32 = 1;

/// The methods that ran out of the fuel for long calls, and how often.
#[derive(Default)]
pub(crate) struct LongCalls {
    failures: FxHashMap<MethodId, u32>,
    /// Whether the current call gets more fuel.
    is_allowed: bool,
    /// Whether it ran out of the usual fuel, and may need more.
    has_run_out: bool,
}

impl LongCalls {
    /// Begins a call, which may get more fuel if it needs it.
    pub fn begin(&mut self, is_allowed: bool) {
        (self.is_allowed, self.has_run_out) = (is_allowed, false);
    }

    /// Whether the call needs more fuel than it was allowed.
    pub fn has_run_out(&self) -> bool {
        self.has_run_out
    }

    /// Whether a method may need more fuel.
    fn may_be_long(&self, method: MethodId) -> bool {
        self.failures.get(&method).is_none_or(|count| *count < FAILURES)
    }

    /// The limits on fuel to try for a method, the usual one first.
    pub fn limits(&self, method: MethodId, usual: u64) -> impl Iterator<Item = u64> + use<> {
        let is_long = self.is_allowed && self.may_be_long(method);
        [Some(usual), is_long.then_some(usual * FACTOR)].into_iter().flatten()
    }

    /// Notes that a call of a method ran out of this much fuel.
    pub fn ran_out(&mut self, method: MethodId, fuel: u64, usual: u64) {
        if fuel > usual {
            *self.failures.entry(method).or_default() += 1;
        } else {
            self.has_run_out |= !self.is_allowed && self.may_be_long(method);
        }
    }
}

/// Whether a call ran out of fuel.
pub(crate) fn is_out_of_fuel(ended: Option<&InvocationEnd>) -> bool {
    matches!(ended, Some(InvocationEnd::Halted(Halt::OutOfFuel)))
}
