//! Threads: one runs at a time. It goes on until it blocks or ends, or until its turn is over; see [`schedule`] for
//! who is next. All of this depends on nothing but the program and the seed, so runs stay deterministic.
//!
//! A thread that is not running is its frames and its slots of the stack, kept aside.

mod deadlock;
mod dump;
pub(crate) mod monitors;
mod safepoint;
mod schedule;
mod waiting;

use crate::classes::{ClassId, MethodId};
use crate::exit::{Exit, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Frame, Purpose, Shadow, Value};
use std::rc::Rc;

/// What a thread that is not running waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing: it can go on.
    Ready,
    /// That no other thread keeps the program alive.
    Idle,
    /// The monitor of this object.
    Entering(Addr),
    /// `Object.wait`: to be notified, or for the deadline; then for the monitor, to be entered so often.
    Waiting {
        /// The object.
        object: Addr,
        /// How often it held the monitor.
        count: u32,
        /// Nanoseconds on the virtual clock.
        deadline: Option<u64>,
        /// Whether it has been notified: only the monitor is missing.
        notified: bool,
    },
    /// `LockSupport.park`, perhaps with a deadline.
    Parked(Option<u64>),
    /// `Thread.sleep`.
    Sleeping(u64),
    /// That another thread has initialised this class.
    Initializing(ClassId),
    /// That references have been cleared: the JDK's reference handler.
    References,
}

/// A thread that is not running.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// The `Thread` object.
    pub thread: Addr,
    /// What it is known by in monitors.
    pub number: u32,
    /// What it waits for.
    pub why: Why,
    /// Whether it is one of the JDK's own, which do nothing for a program by themselves.
    pub system: bool,
    pub(crate) frames: Vec<Frame>,
    pub(crate) stack: Box<[u64]>,
    shadows: Box<[Shadow]>,
    /// Whether it is to see an `InterruptedException` when it goes on.
    interrupted: bool,
}

/// States of threads as JVMTI numbers them.
mod status {
    pub(super) const TERMINATED: u64 = 0x2;
    pub(super) const RUNNABLE: u64 = 0x5;
    pub(super) const BLOCKED: u64 = 0x401;
    pub(super) const WAITING: u64 = 0x191;
    pub(super) const WAITING_TIMED: u64 = 0x1A1;
    pub(super) const PARKED: u64 = 0x291;
    pub(super) const PARKED_TIMED: u64 = 0x2A1;
    pub(super) const SLEEPING: u64 = 0xE1;
}

impl Why {
    /// The state of a thread that waits so.
    fn status(&self) -> u64 {
        match self {
            Why::Ready | Why::Idle | Why::Initializing(_) | Why::References => status::RUNNABLE,
            Why::Entering(_) | Why::Waiting { notified: true, .. } => status::BLOCKED,
            Why::Waiting { deadline: None, .. } => status::WAITING,
            Why::Waiting { deadline: Some(_), .. } => status::WAITING_TIMED,
            Why::Parked(None) => status::PARKED,
            Why::Parked(Some(_)) => status::PARKED_TIMED,
            Why::Sleeping(_) => status::SLEEPING,
        }
    }

    /// When it goes on in any case, on the virtual clock.
    fn deadline(&self) -> Option<u64> {
        match self {
            Why::Waiting { deadline, .. } | Why::Parked(deadline) => *deadline,
            Why::Sleeping(deadline) => Some(*deadline),
            _ => None,
        }
    }
}

impl Machine {
    /// `Thread.start`: the thread can run from now on.
    pub(crate) fn start_thread(&mut self, thread: Addr, system: bool) -> Step<()> {
        let run = self.thread_method(thread, "run", "()V")?;
        if self.registers.seldom.stopped.len() + 1 >= self.limits.threads {
            let message = "unable to create native thread: possibly out of memory or process/resource limits \
                           reached";
            return Err(Trap::Raise("java/lang/OutOfMemoryError", Some(message.into())));
        }
        let number = self.unused_thread_number();
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
        self.stopped_mut().push(Stopped {
            thread,
            number,
            why: Why::Ready,
            system,
            frames: own,
            stack,
            shadows: Box::default(),
            interrupted: false,
        });
        self.start_turn();
        Ok(())
    }

    /// Starts the threads of the JDK that have waited for cleared references, if there are some now.
    pub(crate) fn wake_reference_handlers(&mut self) {
        if self.registers.seldom.pending_references == 0 {
            return;
        }
        for thread in std::mem::take(&mut self.registers.seldom.dormant).iter() {
            // Without room for one more thread the references stay pending.
            if self.start_thread(*thread, true).is_err() {
                Rc::make_mut(&mut self.registers.seldom.dormant).push(*thread);
            }
        }
    }

    /// The least number that no thread has.
    fn unused_thread_number(&self) -> u32 {
        let mut used: Vec<u32> = self.registers.seldom.stopped.iter().map(|s| s.number).collect();
        used.push(self.registers.thread_number);
        used.sort_unstable();
        (1..).zip(&used).find(|(n, used)| n != *used).map_or(used.len() as u32 + 1, |(n, _)| n)
    }

    fn stopped_mut(&mut self) -> &mut Vec<Stopped> {
        Rc::make_mut(&mut self.registers.seldom.stopped)
    }

    fn thread_method(&mut self, thread: Addr, name: &str, descriptor: &str) -> Step<MethodId> {
        let class = self.class_of(thread);
        let declared = self.jdk_method("java/lang/Thread", name, descriptor)?;
        Ok(self.select(class, declared))
    }

    /// A field that newer JDKs keep in the thread's `holder`.
    fn thread_field(&self, thread: Addr, name: &str) -> u64 {
        let holder = self.named(thread, "holder") as Addr;
        self.named(if holder != 0 { holder } else { thread }, name)
    }

    /// Sets `threadStatus` (as JVMTI numbers it) and `eetop`, which says whether the thread is alive.
    pub(crate) fn set_thread_state(&mut self, thread: Addr, status: u64, alive: u64) {
        self.set_thread_status(thread, status);
        self.set_named(thread, "eetop", alive);
    }

    fn set_thread_status(&mut self, thread: Addr, status: u64) {
        let holder = self.named(thread, "holder") as Addr;
        self.set_named(if holder != 0 { holder } else { thread }, "threadStatus", status);
    }

    /// The bottom frame of a thread has gone, perhaps by an exception: what comes next for it, in the JVM's
    /// order: `dispatchUncaughtException`, `exit`, the end.
    pub(crate) fn leave_thread(&mut self, left: &Frame, exception: Option<Addr>) -> Option<Exit> {
        let thread = self.registers.thread;
        let name = self.method(left.code.method).name.clone();
        if let ("dispatchUncaughtException", Some(dropped)) = (&*name, exception) {
            self.report_dropped(thread, dropped);
        }
        let next = match (&*name, exception) {
            ("run", Some(exception)) => {
                let method =
                    self.thread_method(thread, "dispatchUncaughtException", "(Ljava/lang/Throwable;)V");
                method.and_then(|m| self.enter(m, &[thread, exception].map(Value::reference)))
            }
            ("exit", _) => return self.end_thread(thread),
            _ => self
                .thread_method(thread, "exit", "()V")
                .and_then(|m| self.enter(m, &[Value::reference(thread)])),
        };
        match next {
            Ok(()) => {
                self.current_mut().purpose = Purpose::Thread;
                None
            }
            Err(Trap::Exit(exit)) => Some(exit),
            Err(_) => self.end_thread(thread),
        }
    }

    fn end_thread(&mut self, thread: Addr) -> Option<Exit> {
        self.set_thread_state(thread, status::TERMINATED, 0);
        self.notify_waiting(thread, true);
        match self.run_next() {
            Ok(()) => None,
            Err(trap) => self.handle_trap(trap),
        }
    }

    /// Runs the threads that `main` left behind, until all but daemons have ended.
    pub fn run_threads(&mut self) -> Exit {
        let started = self.push_barrier().and_then(|()| self.block(Why::Idle));
        match started {
            Ok(()) => self.run(),
            Err(trap) => match self.handle_trap(trap) {
                Some(exit) => exit,
                None => self.run(),
            },
        }
    }
}
