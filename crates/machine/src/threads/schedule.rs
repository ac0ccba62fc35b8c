//! Scheduling: the order in which threads take turns.
//!
//! Without a seed, threads take turns in the order in which they became runnable, for [`RunLimits::quantum`]
//! backward jumps and calls each. With [`RunLimits::schedule_seed`] or in a varied run, a generator whose state is
//! part of the run draws the length of each turn and the next thread: equal seeds give equal runs, other seeds other
//! interleavings. Under [`Schedule::Races`] turns also end where threads meet (see [`races`](super::races)).
//!
//! The clock is virtual: it advances a little with executed code, and to the next deadline when every thread
//! waits.
//!
//! [`RunLimits::quantum`]: crate::RunLimits::quantum
//! [`RunLimits::schedule_seed`]: crate::RunLimits::schedule_seed
//! [`Schedule::Races`]: crate::Schedule::Races

use super::stopped_thread::{StopReason, StoppedThread, status};
use crate::exit::{Exit, Halt, Step, Trap};
use crate::heap::layout::InitState;
use crate::machine::{Machine, Schedule};
use crate::threads::{deadlock, fields, monitors, turns};

/// Nanoseconds that the clock moves with each backward jump or call.
const TICK_NANOS: u64 = 10;

impl Machine {
    /// The virtual clock in nanoseconds. It moves with what is executed, and when all threads wait for it.
    pub fn now(&self) -> u64 {
        let executed = self.registers.fuel_given.saturating_sub(self.fuel());
        self.registers.clock.saturating_add(executed.saturating_mul(TICK_NANOS))
    }

    /// Stops the running thread for this reason and lets the next one run.
    ///
    /// # Errors
    ///
    /// [`Trap::Exit`] if no thread can run; an exception for the thread that continues.
    pub(crate) fn block(&mut self, why: StopReason) -> Step<()> {
        if self.registers.cold.stopped.is_empty() && matches!(why, StopReason::Ready | StopReason::Idle) {
            return Ok(());
        }
        if self.compiler.is_inside() {
            return Err(Trap::Block(why));
        }
        let (used, thread) = (self.stack_top(), self.registers.thread);
        if why != StopReason::Ready {
            fields::set_thread_status(self, thread, why.status());
        }
        let running = StoppedThread {
            thread,
            number: self.registers.thread_number,
            why,
            system: self.registers.thread_is_system,
            frames: std::mem::take(&mut self.registers.frames),
            stack: self.stack.copy(0..used),
            shadows: self.stack.copy_shadows(0..used),
            interrupted: false,
        };
        fields::stopped_mut(self).push(running);
        run_next(self)
    }
}

/// Advances the clock to a time that is not in the past.
fn wait_until(machine: &mut Machine, time: u64) {
    let missing = time.saturating_sub(machine.now());
    machine.registers.clock = machine.registers.clock.saturating_add(missing);
}

/// At a safepoint: passes the turn to another thread, if this one's is over and another can run.
pub(super) fn end_turn_if_due(machine: &mut Machine) -> Step<()> {
    if turns::quantum(machine) == 0
        || machine.registers.cold.stopped.is_empty()
        || machine.fuel() > machine.registers.turn_ends
    {
        turns::set_next_event(machine);
        return Ok(());
    }
    let now = machine.now();
    if machine.registers.cold.stopped.iter().any(|s| can_run(machine, s, now)) {
        return machine.block(StopReason::Ready);
    }
    turns::start_turn(machine);
    Ok(())
}

/// Resumes a runnable thread; if there is none, the one with the earliest deadline.
pub(super) fn run_next(machine: &mut Machine) -> Step<()> {
    let Some(at) = choose(machine) else {
        return Err(Trap::Exit(Exit::Halted(Halt::Deadlock(deadlock::describe_deadlock(machine)))));
    };
    let next = fields::stopped_mut(machine).remove(at);
    let StoppedThread { thread, number, why, system, frames, stack, shadows, interrupted } = next;
    machine.registers.thread = thread;
    machine.registers.thread_number = number;
    machine.registers.thread_is_system = system;
    machine.registers.frames = frames;
    machine.stack.restore(&stack);
    machine.stack.restore_shadows(&shadows);
    if let Some(deadline) = why.deadline() {
        wait_until(machine, deadline);
    }
    if !matches!(why, StopReason::Ready | StopReason::Idle) {
        fields::set_thread_status(machine, thread, status::RUNNABLE);
    }
    turns::start_turn(machine);
    if let StopReason::Waiting { object, count, .. } = why {
        monitors::take_monitor(machine, object, count);
    }
    if !interrupted {
        return Ok(());
    }
    // The call that blocked has returned already, but throws.
    machine.set_named(thread, "interrupted", 0);
    machine.current_mut().pc -= 1;
    let message = matches!(why, StopReason::Ready).then(|| "sleep interrupted".to_owned());
    Err(Trap::Raise("java/lang/InterruptedException", message))
}

/// The index of the next thread in the list of stopped threads.
fn choose(machine: &mut Machine) -> Option<usize> {
    let stopped = machine.registers.cold.stopped.clone();
    let idle = stopped.iter().position(|s| s.why == StopReason::Idle);
    if idle.is_some() && !stopped.iter().any(|s| s.why != StopReason::Idle && keeps_alive(machine, s)) {
        // Only daemons are left, and the program is over.
        return idle;
    }
    let now = machine.now();
    // Handlers of references come first, according to their priority.
    if let Some(at) = stopped.iter().position(|s| s.why == StopReason::References && can_run(machine, s, now))
    {
        return Some(at);
    }
    // If turns end at accesses, or for those that were woken, the thread that lost its turn comes last.
    let is_drawn = turns::schedule_seed(machine).is_some() && !turns::favours_woken(machine);
    if is_drawn && machine.limits.schedule == Schedule::Turns {
        let able: Vec<usize> = (0..stopped.len()).filter(|at| can_run(machine, &stopped[*at], now)).collect();
        if !able.is_empty() {
            return Some(able[turns::draw(machine, able.len() as u64) as usize]);
        }
    } else if let Some(at) = stopped.iter().position(|s| can_run(machine, s, now)) {
        return Some(at);
    }
    // A JDK thread that wakes every minute does not count: the program may still be stuck.
    let timed = stopped.iter().enumerate().filter(|(_, s)| could_end_wait(machine, s));
    let timed = timed.filter_map(|(at, s)| Some((s.why.deadline()?, at)));
    let alive = timed.clone().any(|(_, at)| !stopped[at].system);
    if alive { timed.min().map(|(_, at)| at) } else { None }
}

/// Whether a thread could continue once its deadline has passed.
fn could_end_wait(machine: &Machine, stopped: &StoppedThread) -> bool {
    match stopped.why {
        StopReason::Waiting { object, .. } => monitors::may_enter(machine, object, stopped.number),
        _ => true,
    }
}

/// Whether this thread keeps the program alive.
fn keeps_alive(machine: &Machine, stopped: &StoppedThread) -> bool {
    !stopped.system && fields::thread_field(machine, stopped.thread, "daemon") == 0
}

fn can_run(machine: &Machine, stopped: &StoppedThread, now: u64) -> bool {
    let due = stopped.why.deadline().is_some_and(|deadline| deadline <= now);
    match stopped.why {
        StopReason::Ready => true,
        StopReason::Entering(object) => monitors::may_enter(machine, object, stopped.number),
        StopReason::Waiting { object, notified, .. } => {
            (notified || due) && monitors::may_enter(machine, object, stopped.number)
        }
        StopReason::Parked(_) | StopReason::Sleeping(_) => due,
        StopReason::Receiving { descriptor, .. } => {
            due || machine.registers.cold.network.is_readable(descriptor)
        }
        StopReason::Initializing(class) => machine.init_state(class) != InitState::InProgress,
        StopReason::References => machine.registers.cold.pending_references != 0,
        StopReason::Idle => false,
    }
}
