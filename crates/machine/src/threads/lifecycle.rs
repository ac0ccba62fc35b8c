//! Threads from their start to their end.

use super::stopped_thread::{StopReason, StoppedThread, status};
use crate::classes::MethodId;
use crate::exit::{Exit, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Frame, Purpose, Value};
use crate::threads::{fields, races, schedule, turns};
use std::rc::Rc;

impl Machine {
    /// `Thread.start`: the thread can run from now on.
    pub(crate) fn start_thread(&mut self, thread: Addr, system: bool) -> Step<()> {
        let run = thread_method(self, thread, "run", "()V")?;
        if self.registers.cold.stopped.len() + 1 >= self.limits.threads {
            let message = "unable to create native thread: possibly out of memory or process/resource limits \
                           reached";
            return Err(Trap::Raise("java/lang/OutOfMemoryError", Some(message.into())));
        }
        let number = unused_thread_number(self);
        self.set_thread_state(thread, status::RUNNABLE, 1);
        let frames = std::mem::take(&mut self.registers.frames);
        let (kept, kept_shadow) = (self.stack.get(0), self.stack.shadow(0));
        let entered = self.enter(run, &[Value::reference(thread)]);
        let mut own = std::mem::replace(&mut self.registers.frames, frames);
        let stack = self.stack.copy(0..1);
        self.stack.set(0, kept);
        self.stack.set_shadow(0, kept_shadow);
        entered?;
        own[0].purpose = Purpose::Thread;
        fields::stopped_mut(self).push(StoppedThread {
            thread,
            number,
            why: StopReason::Ready,
            system,
            frames: own,
            stack,
            shadows: Box::default(),
            interrupted: false,
        });
        turns::start_turn(self);
        if !system && races::runs_started_thread_first(self) {
            turns::end_turn(self);
        }
        Ok(())
    }

    /// Starts the JDK's threads that wait for cleared references, if there are some now.
    pub(crate) fn wake_reference_handlers(&mut self) {
        if self.registers.cold.pending_references == 0 {
            return;
        }
        for thread in std::mem::take(&mut self.registers.cold.dormant).iter() {
            // The references stay pending if there is no room for another thread.
            if self.start_thread(*thread, true).is_err() {
                Rc::make_mut(&mut self.registers.cold.dormant).push(*thread);
            }
        }
    }

    /// Sets `threadStatus` (as JVMTI numbers it) and `eetop`, which says whether the thread is alive.
    pub(crate) fn set_thread_state(&mut self, thread: Addr, status: u64, alive: u64) {
        fields::set_thread_status(self, thread, status);
        self.set_named(thread, "eetop", alive);
    }

    /// Continues after the bottom frame of a thread has returned or thrown, in the JVM's order:
    /// `dispatchUncaughtException`, `exit`, the end.
    pub(crate) fn leave_thread(&mut self, left: &Frame, exception: Option<Addr>) -> Option<Exit> {
        let thread = self.registers.thread;
        let name = self.method(left.code.method).name.clone();
        if let ("dispatchUncaughtException", Some(dropped)) = (&*name, exception) {
            self.report_dropped(thread, dropped);
        }
        let next = match (&*name, exception) {
            ("run", Some(exception)) => {
                let method =
                    thread_method(self, thread, "dispatchUncaughtException", "(Ljava/lang/Throwable;)V");
                method.and_then(|m| self.enter(m, &[thread, exception].map(Value::reference)))
            }
            ("exit", _) => return end_thread(self, thread),
            _ => thread_method(self, thread, "exit", "()V")
                .and_then(|m| self.enter(m, &[Value::reference(thread)])),
        };
        match next {
            Ok(()) => {
                self.current_mut().purpose = Purpose::Thread;
                None
            }
            Err(Trap::Exit(exit)) => Some(exit),
            Err(_) => end_thread(self, thread),
        }
    }

    /// Runs the threads that `main` left behind, until all but daemons have ended.
    pub fn run_threads(&mut self) -> Exit {
        let started = self.push_barrier().and_then(|()| self.block(StopReason::Idle));
        match started {
            Ok(()) => self.run(),
            Err(trap) => match self.handle_trap(trap) {
                Some(exit) => exit,
                None => self.run(),
            },
        }
    }
}

/// The least number that no thread has.
fn unused_thread_number(machine: &Machine) -> u32 {
    let mut used: Vec<u32> = machine.registers.cold.stopped.iter().map(|s| s.number).collect();
    used.push(machine.registers.thread_number);
    used.sort_unstable();
    (1..).zip(&used).find(|(n, used)| n != *used).map_or(used.len() as u32 + 1, |(n, _)| n)
}

fn thread_method(machine: &mut Machine, thread: Addr, name: &str, descriptor: &str) -> Step<MethodId> {
    let class = machine.class_of(thread);
    let declared = machine.jdk_method("java/lang/Thread", name, descriptor)?;
    Ok(machine.select(class, declared))
}

fn end_thread(machine: &mut Machine, thread: Addr) -> Option<Exit> {
    machine.set_thread_state(thread, status::TERMINATED, 0);
    machine.notify_waiting(thread, true);
    match schedule::run_next(machine) {
        Ok(()) => None,
        Err(trap) => machine.handle_trap(trap),
    }
}
