//! Changed methods that run while a class is initialised.
//!
//! If one throws there and nothing catches it, the class cannot be used, and no call of it begins that could be
//! compared. As every test of the class would see that, such a method needs no triple of its own.

use super::super::running_call::RunningCall;
use super::super::state::WatcherState;
use cupping_machine::{Machine, WatchedCall};

/// Limit on the stack frames between a call and the initialiser.
const MOST_FRAMES: usize = 256;

impl WatcherState {
    /// The call of a method without triples, if it is going to make an initialiser fail that did not fail before.
    pub(in crate::watcher) fn failing_initialization(
        &mut self,
        machine: &mut Machine,
        call: WatchedCall,
    ) -> Option<Box<RunningCall>> {
        self.options.earlier.as_ref()?;
        if !self.is_replaced(machine, call.method) || !is_within_initializer(machine) {
            return None;
        }
        let mut running = self.without_triples(machine, call);
        running.changed = self.compare_versions(machine, &running).filter(|it| it.is_new_exception);
        running.changed.as_ref()?;
        self.begin_without_triples(machine, &mut running);
        Some(running)
    }
}

/// Whether the call of the innermost frame is made for a static initialiser, and no frame up to that handles
/// exceptions.
fn is_within_initializer(machine: &Machine) -> bool {
    for frame in machine.registers().frames.iter().rev().skip(1).take(MOST_FRAMES) {
        if frame.code.handlers.iter().any(|it| (it.start..it.end).contains(&frame.pc)) {
            return false;
        }
        if &*machine.method(frame.code.method).name == "<clinit>" {
            return true;
        }
    }
    false
}
