//! Whose turn it is.
//!
//! Without a seed, threads take turns in the order in which they became able to run, for [`Limits::quantum`] backward
//! jumps and calls each. With [`Limits::schedule_seed`], a generator whose state is part of the run draws the length
//! of each turn and who is next: other seeds, other interleavings; the same seed, the same run.
//!
//! The clock is virtual: it moves a little with what is executed, and to the next deadline when every thread waits.
//!
//! [`Limits::quantum`]: crate::Limits::quantum
//! [`Limits::schedule_seed`]: crate::Limits::schedule_seed

use super::stopped::{Stopped, Why, status};
use crate::exit::{Exit, Halt, Step, Trap};
use crate::heap::layout::InitState;
use crate::machine::Machine;

/// Nanoseconds that the clock moves with each backward jump or call.
const TICK_NANOS: u64 = 10;

/// Backward jumps and calls after which it is asked whether the run is to end.
const ASKED_EACH: u64 = 1 << 20;

impl Machine {
    /// The virtual clock in nanoseconds.
    pub(crate) fn now(&self) -> u64 {
        let executed = self.registers.fuel_given.saturating_sub(self.fuel());
        self.registers.clock.saturating_add(executed.saturating_mul(TICK_NANOS))
    }

    /// Moves the clock to a time that is not before now.
    fn wait_until(&mut self, time: u64) {
        let missing = time.saturating_sub(self.now());
        self.registers.clock = self.registers.clock.saturating_add(missing);
    }

    /// Begins a turn of the running thread. It ends by itself only if there are other threads.
    pub(crate) fn start_turn(&mut self) {
        let quantum = self.limits.quantum as u64;
        let length = match self.limits.schedule_seed {
            // From a quarter of it to nearly twice it, and now and then very short: races are short.
            Some(_) => match self.draw(8) {
                0 => 1 + self.draw(quantum / 64 + 1),
                _ => quantum / 4 + self.draw(quantum * 3 / 2 + 1),
            },
            None => quantum,
        };
        let left = self.fuel();
        self.registers.turn_ends = left.saturating_sub(length.max(1));
        self.set_next_event();
    }

    /// Lets the loop come to a safepoint when the turn ends.
    pub(crate) fn set_next_event(&mut self) {
        let left = self.fuel();
        let alone = self.registers.cold.stopped.is_empty() || self.limits.quantum == 0;
        // A call that is run again after its safepoint takes 1 once more: with less than 2 it would never be run.
        let turn = if alone { left } else { left.saturating_sub(self.registers.turn_ends).max(2) };
        let turn = if self.environment.may_be_interrupted() { turn.min(ASKED_EACH) } else { turn };
        self.registers.fuel = turn.min(left);
        self.registers.fuel_beyond = left - self.registers.fuel;
    }

    /// At a safepoint: gives the turn to another thread, if this one's is over and another can run.
    pub(crate) fn end_turn_if_due(&mut self) -> Step<()> {
        if self.limits.quantum == 0
            || self.registers.cold.stopped.is_empty()
            || self.fuel() > self.registers.turn_ends
        {
            self.set_next_event();
            return Ok(());
        }
        let now = self.now();
        if self.registers.cold.stopped.iter().any(|s| self.can_run(s, now)) {
            return self.block(Why::Ready);
        }
        self.start_turn();
        Ok(())
    }

    /// A number below `bound` from the generator of the schedule (SplitMix64).
    fn draw(&mut self, bound: u64) -> u64 {
        self.registers.schedule = self.registers.schedule.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.registers.schedule ^ self.limits.schedule_seed.unwrap_or(0).rotate_left(32);
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) % bound.max(1)
    }

    /// Stops the running thread for this reason and lets the next one run.
    ///
    /// # Errors
    /// [`Trap::Exit`] when no thread can run; an exception that the thread going on is to see.
    pub(crate) fn block(&mut self, why: Why) -> Step<()> {
        if self.registers.cold.stopped.is_empty() && matches!(why, Why::Ready | Why::Idle) {
            return Ok(());
        }
        let (used, thread) = (self.stack_top(), self.registers.thread);
        if why != Why::Ready {
            self.set_thread_status(thread, why.status());
        }
        let running = Stopped {
            thread,
            number: self.registers.thread_number,
            why,
            system: self.registers.thread_is_system,
            frames: std::mem::take(&mut self.registers.frames),
            stack: self.stack.copy(0..used),
            shadows: self.stack.copy_shadows(0..used),
            interrupted: false,
        };
        self.stopped_mut().push(running);
        self.run_next()
    }

    /// Takes up a thread that can run; if none can, the one with the earliest deadline.
    pub(super) fn run_next(&mut self) -> Step<()> {
        let Some(at) = self.choose() else {
            return Err(Trap::Exit(Exit::Halted(Halt::Deadlock(self.describe_deadlock()))));
        };
        let next = self.stopped_mut().remove(at);
        let Stopped { thread, number, why, system, frames, stack, shadows, interrupted } = next;
        self.registers.thread = thread;
        self.registers.thread_number = number;
        self.registers.thread_is_system = system;
        self.registers.frames = frames;
        self.stack.restore(&stack);
        self.stack.restore_shadows(&shadows);
        if let Some(deadline) = why.deadline() {
            self.wait_until(deadline);
        }
        if !matches!(why, Why::Ready | Why::Idle) {
            self.set_thread_status(thread, status::RUNNABLE);
        }
        self.start_turn();
        if let Why::Waiting { object, count, .. } = why {
            self.take_monitor(object, count);
        }
        if !interrupted {
            return Ok(());
        }
        // The call that blocked has returned already, but throws.
        self.set_named(thread, "interrupted", 0);
        self.current_mut().pc -= 1;
        let message = matches!(why, Why::Ready).then(|| "sleep interrupted".to_owned());
        Err(Trap::Raise("java/lang/InterruptedException", message))
    }

    /// The place in the list of stopped threads of the one to run.
    fn choose(&mut self) -> Option<usize> {
        let stopped = self.registers.cold.stopped.clone();
        let idle = stopped.iter().position(|s| s.why == Why::Idle);
        if idle.is_some() && !stopped.iter().any(|s| s.why != Why::Idle && self.keeps_alive(s)) {
            // Only daemons are left, and the program is over.
            return idle;
        }
        let now = self.now();
        // Handlers of references first, as their priority says.
        if let Some(at) = stopped.iter().position(|s| s.why == Why::References && self.can_run(s, now)) {
            return Some(at);
        }
        if self.limits.schedule_seed.is_some() {
            let able: Vec<usize> = (0..stopped.len()).filter(|at| self.can_run(&stopped[*at], now)).collect();
            if !able.is_empty() {
                return Some(able[self.draw(able.len() as u64) as usize]);
            }
        } else if let Some(at) = stopped.iter().position(|s| self.can_run(s, now)) {
            return Some(at);
        }
        // A thread of the JDK that wakes every minute does not keep a program from being stuck.
        let timed = stopped.iter().enumerate().filter(|(_, s)| self.could_end_wait(s));
        let timed = timed.filter_map(|(at, s)| Some((s.why.deadline()?, at)));
        let alive = timed.clone().any(|(_, at)| !stopped[at].system);
        if alive { timed.min().map(|(_, at)| at) } else { None }
    }

    /// Whether a thread could go on once its deadline has come.
    fn could_end_wait(&self, stopped: &Stopped) -> bool {
        match stopped.why {
            Why::Waiting { object, .. } => self.may_enter(object, stopped.number),
            _ => true,
        }
    }

    /// Whether the program is not over as long as this thread lives.
    fn keeps_alive(&self, stopped: &Stopped) -> bool {
        !stopped.system && self.thread_field(stopped.thread, "daemon") == 0
    }

    fn can_run(&self, stopped: &Stopped, now: u64) -> bool {
        let due = stopped.why.deadline().is_some_and(|deadline| deadline <= now);
        match stopped.why {
            Why::Ready => true,
            Why::Entering(object) => self.may_enter(object, stopped.number),
            Why::Waiting { object, notified, .. } => {
                (notified || due) && self.may_enter(object, stopped.number)
            }
            Why::Parked(_) | Why::Sleeping(_) => due,
            Why::Initializing(class) => self.init_state(class) != InitState::InProgress,
            Why::References => self.registers.cold.pending_references != 0,
            Why::Idle => false,
        }
    }
}
