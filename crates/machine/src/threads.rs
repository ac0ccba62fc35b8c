//! Threads: one runs at a time, until it blocks or ends; then the next that can run takes over, in the order
//! in which they stopped. The order depends on nothing but the program, so runs stay deterministic.
//!
//! A thread that is not running is its frames and its slots of the stack, kept aside. Sleeping moves the
//! virtual clock forward once nothing else can run.

use crate::class::MethodId;
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Frame, Purpose, Shadow, Value};
use std::rc::Rc;

/// What a thread that is not running waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing: it can go on.
    Ready,
    /// That every other thread has ended or is blocked for good.
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
    pub(crate) frames: Vec<Frame>,
    pub(crate) stack: Box<[u64]>,
    shadows: Box<[Shadow]>,
    /// Whether it is to see an `InterruptedException` when it goes on.
    interrupted: bool,
}

impl Machine {
    /// `Thread.start`: the thread can run from now on, when the running one stops.
    pub(crate) fn start_thread(&mut self, thread: Addr) -> Step<()> {
        let run = self.thread_method(thread, "run", "()V")?;
        if self.registers.stopped.len() + 1 >= self.limits.threads {
            let message = "unable to create native thread: possibly out of memory or process/resource limits \
                           reached";
            return Err(Trap::Raise("java/lang/OutOfMemoryError", Some(message.into())));
        }
        let number = self.unused_thread_number();
        self.set_thread_state(thread, 5, 1);
        let frames = std::mem::take(&mut self.registers.frames);
        let (kept, kept_shadow) = (self.stack.get(0), self.stack_shadows.get(0));
        let entered = self.enter(run, &[Value::reference(thread)]);
        let mut own = std::mem::replace(&mut self.registers.frames, frames);
        let stack = self.stack.copy(0..1);
        self.stack.set(0, kept);
        self.stack_shadows.set(0, kept_shadow);
        entered?;
        own[0].purpose = Purpose::Thread;
        self.stopped_mut().push(Stopped {
            thread,
            number,
            why: Why::Ready,
            frames: own,
            stack,
            shadows: Box::default(),
            interrupted: false,
        });
        Ok(())
    }

    /// The least number that no thread has.
    fn unused_thread_number(&self) -> u32 {
        let mut used: Vec<u32> = self.registers.stopped.iter().map(|s| s.number).collect();
        used.push(self.registers.thread_number);
        used.sort_unstable();
        (1..).zip(&used).find(|(n, used)| n != *used).map_or(used.len() as u32 + 1, |(n, _)| n)
    }

    fn stopped_mut(&mut self) -> &mut Vec<Stopped> {
        Rc::make_mut(&mut self.registers.stopped)
    }

    fn thread_method(&mut self, thread: Addr, name: &str, descriptor: &str) -> Step<MethodId> {
        let class = self.class_of(thread);
        let declared = self.jdk_method("java/lang/Thread", name, descriptor)?;
        Ok(self.select(class, declared))
    }

    /// Sets `threadStatus` (as JVMTI numbers it) and `eetop`, which says whether the thread is alive.
    pub(crate) fn set_thread_state(&mut self, thread: Addr, status: u64, alive: u64) {
        let holder = self.named(thread, "holder") as Addr;
        self.set_named(if holder != 0 { holder } else { thread }, "threadStatus", status);
        self.set_named(thread, "eetop", alive);
    }

    /// Stops the running thread for this reason and lets the next one run.
    ///
    /// # Errors
    /// [`Trap::Exit`] when no thread can run; an exception that the thread going on is to see.
    pub(crate) fn block(&mut self, why: Why) -> Step<()> {
        if self.registers.stopped.is_empty() {
            // Alone: the wait is over at its deadline, or never.
            let deadline = match why {
                Why::Ready | Why::Idle => return Ok(()),
                Why::Sleeping(deadline) => Some(deadline),
                Why::Parked(deadline) | Why::Waiting { deadline, .. } => deadline,
                Why::Entering(_) => None,
            };
            let Some(deadline) = deadline else { return Err(stuck()) };
            self.registers.clock = self.registers.clock.max(deadline);
            if let Why::Waiting { object, count, .. } = why {
                self.take_monitor(object, count);
            }
            return Ok(());
        }
        let used = self.stack_top();
        let running = Stopped {
            thread: self.registers.thread,
            number: self.registers.thread_number,
            why,
            frames: std::mem::take(&mut self.registers.frames),
            stack: self.stack.copy(0..used),
            shadows: self.stack_shadows.copy(0..used),
            interrupted: false,
        };
        self.stopped_mut().push(running);
        self.run_next()
    }

    /// Takes up the first thread that can run; if none can, the one with the earliest deadline.
    fn run_next(&mut self) -> Step<()> {
        let ready = self.registers.stopped.iter().position(|s| self.can_run(s));
        let chosen = ready.or_else(|| {
            let rows = self.registers.stopped.iter().enumerate();
            let timed = rows.filter_map(|(at, s)| Some((deadline_of(&s.why)?, at)));
            timed.min().map(|(_, at)| at)
        });
        let chosen = chosen.or_else(|| self.registers.stopped.iter().position(|s| s.why == Why::Idle));
        let Some(at) = chosen else { return Err(stuck()) };
        let next = self.stopped_mut().remove(at);
        let Stopped { thread, number, why, frames, stack, shadows, interrupted } = next;
        self.registers.thread = thread;
        self.registers.thread_number = number;
        self.registers.frames = frames;
        self.stack.restore(&stack);
        self.stack_shadows.restore(&shadows);
        if let Some(deadline) = deadline_of(&why) {
            self.registers.clock = self.registers.clock.max(deadline);
        }
        if let Why::Waiting { object, count, .. } = why {
            self.take_monitor(object, count);
        }
        if !interrupted {
            return Ok(());
        }
        // The call that blocked has returned already, but throws.
        self.set_named(thread, "interrupted", 0);
        self.current_mut().pc -= 1;
        Err(Trap::Raise("java/lang/InterruptedException", None))
    }

    fn can_run(&self, stopped: &Stopped) -> bool {
        match stopped.why {
            Why::Ready => true,
            Why::Entering(object) | Why::Waiting { object, notified: true, .. } => {
                self.may_enter(object, stopped.number)
            }
            _ => false,
        }
    }

    /// Lets threads that wait on an object go on: one, or all.
    pub(crate) fn notify_waiting(&mut self, object: Addr, all: bool) {
        for stopped in self.stopped_mut() {
            match stopped.why {
                Why::Waiting { object: waited, notified: false, .. } if waited == object => {
                    make_ready(stopped);
                    if !all {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// `LockSupport.unpark`: the thread goes on, or its next `park` does not wait.
    pub(crate) fn unpark(&mut self, thread: Addr) {
        let parked =
            self.registers.stopped.iter().position(|s| s.thread == thread && matches!(s.why, Why::Parked(_)));
        match parked {
            Some(at) => self.stopped_mut()[at].why = Why::Ready,
            None => {
                self.registers.permits.insert(thread, ());
            }
        }
    }

    /// `Thread.interrupt` of a thread that is stopped.
    pub(crate) fn interrupt_stopped(&mut self, thread: Addr) {
        let Some(at) = self.registers.stopped.iter().position(|s| s.thread == thread) else { return };
        let stopped = &mut self.stopped_mut()[at];
        match stopped.why {
            Why::Parked(_) => stopped.why = Why::Ready,
            Why::Sleeping(_) | Why::Waiting { .. } => {
                stopped.interrupted = true;
                make_ready(stopped);
            }
            Why::Ready | Why::Idle | Why::Entering(_) => {}
        }
    }

    /// The bottom frame of a thread has gone, perhaps by an exception: what comes next for it, in the JVM's
    /// order: `dispatchUncaughtException`, `exit`, the end.
    pub(crate) fn leave_thread(&mut self, left: &Frame, exception: Option<Addr>) -> Option<Exit> {
        let thread = self.registers.thread;
        let name = self.method(left.code.method).name.clone();
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
        self.set_thread_state(thread, 2, 0);
        self.notify_waiting(thread, true);
        match self.run_next() {
            Ok(()) => None,
            Err(trap) => self.handle_trap(trap),
        }
    }

    /// Runs the threads that `main` left behind, until all have ended or wait for good.
    pub fn run_threads(&mut self) -> Exit {
        let started = self.push_barrier().and_then(|()| self.block(Why::Idle));
        match started {
            Ok(()) => self.run(),
            Err(trap) => self.handle_trap(trap).unwrap_or(Exit::Halted(Halt::OutOfFuel)),
        }
    }
}

/// What `Object.wait` or `Thread.sleep` waited for has come; the monitor may still have to be waited for.
fn make_ready(stopped: &mut Stopped) {
    match &mut stopped.why {
        Why::Waiting { notified, deadline, .. } => {
            *notified = true;
            *deadline = None;
        }
        why => *why = Why::Ready,
    }
}

fn deadline_of(why: &Why) -> Option<u64> {
    match why {
        Why::Waiting { deadline, .. } | Why::Parked(deadline) => *deadline,
        Why::Sleeping(deadline) => Some(*deadline),
        _ => None,
    }
}

/// All threads wait for each other: on a JVM, the program would hang.
fn stuck() -> Trap {
    Trap::Exit(Exit::Halted(Halt::OutOfFuel))
}
