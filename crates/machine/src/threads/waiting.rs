//! Events that let a waiting thread continue: `notify`, `unpark`, `interrupt`.

use super::{StopReason, StoppedThread};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::threads::{fields, turns};

impl Machine {
    /// Lets threads that wait on an object continue: one, or all.
    pub(crate) fn notify_waiting(&mut self, object: Addr, all: bool) {
        let waits = |s: &StoppedThread| matches!(s.why, StopReason::Waiting { object: on, notified: false, .. } if on == object);
        let waiting: Vec<usize> = self
            .registers
            .cold
            .stopped
            .iter()
            .enumerate()
            .filter(|(_, s)| waits(s))
            .map(|(at, _)| at)
            .collect();
        for at in waiting.into_iter().take(if all { usize::MAX } else { 1 }) {
            make_ready(self, at);
        }
    }

    /// `LockSupport.unpark`: the thread continues, or its next `park` does not wait. Returns whether the running thread
    /// loses its turn to it.
    pub(crate) fn unpark(&mut self, thread: Addr) -> bool {
        let parked = self
            .registers
            .cold
            .stopped
            .iter()
            .position(|s| s.thread == thread && matches!(s.why, StopReason::Parked(_)));
        match parked {
            Some(at) => {
                make_ready(self, at);
                turns::favours_woken(self)
            }
            None => {
                self.registers.cold.permits.insert(thread, ());
                false
            }
        }
    }

    /// `Thread.interrupt` of a thread that is stopped.
    pub(crate) fn interrupt_stopped(&mut self, thread: Addr) {
        let Some(at) = self.registers.cold.stopped.iter().position(|s| s.thread == thread) else { return };
        match self.registers.cold.stopped[at].why {
            StopReason::Parked(_) => make_ready(self, at),
            StopReason::Sleeping(_) | StopReason::Waiting { notified: false, .. } => {
                fields::stopped_mut(self)[at].interrupted = true;
                make_ready(self, at);
            }
            // A thread that has already been notified keeps its notification, and stays interrupted.
            _ => {}
        }
    }
}

/// The event that a thread waited for has occurred; it may still have to wait for the monitor.
fn make_ready(machine: &mut Machine, at: usize) {
    let stopped = &mut fields::stopped_mut(machine)[at];
    match &mut stopped.why {
        StopReason::Waiting { notified, deadline, .. } => {
            *notified = true;
            *deadline = None;
        }
        why => *why = StopReason::Ready,
    }
    let (thread, status) = (stopped.thread, stopped.why.status());
    fields::set_thread_status(machine, thread, status);
}
