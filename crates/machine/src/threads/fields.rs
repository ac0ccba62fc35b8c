//! Saved state of threads that do not run, and the fields of their `Thread` objects.

use super::stopped_thread::StoppedThread;
use crate::machine::Machine;
use crate::memory::Addr;
use std::rc::Rc;

/// The threads that do not run.
pub(super) fn stopped_mut(machine: &mut Machine) -> &mut Vec<StoppedThread> {
    Rc::make_mut(&mut machine.registers.cold.stopped)
}

/// A field that newer JDKs keep in the thread's `holder`.
pub(super) fn thread_field(machine: &Machine, thread: Addr, name: &str) -> u64 {
    let holder = machine.named(thread, "holder") as Addr;
    machine.named(if holder != 0 { holder } else { thread }, name)
}

/// Sets `threadStatus`, as JVMTI numbers it.
pub(super) fn set_thread_status(machine: &mut Machine, thread: Addr, status: u64) {
    let holder = machine.named(thread, "holder") as Addr;
    machine.set_named(if holder != 0 { holder } else { thread }, "threadStatus", status);
}
