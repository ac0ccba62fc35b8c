//! `java.lang.Thread`.

use super::support::{NOTHING, ZERO, boolean, long, reference};
use super::{Args, Native, Outcome, VOID, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::threads::Why;

const CLASS: &str = "java/lang/Thread";

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "registerNatives", "()V", NOTHING),
    row(CLASS, "currentThread", "()Ljava/lang/Thread;", current),
    row(CLASS, "currentCarrierThread", "()Ljava/lang/Thread;", current),
    row(CLASS, "setCurrentThread", "(Ljava/lang/Thread;)V", |m, a| {
        m.registers.thread = a.reference(m, 1);
        Ok(VOID)
    }),
    row(CLASS, "start0", "()V", start),
    row(CLASS, "yield", "()V", |_, _| Ok(Outcome::Block(Why::Ready))),
    row(CLASS, "yield0", "()V", |_, _| Ok(Outcome::Block(Why::Ready))),
    row(CLASS, "onSpinWait", "()V", |_, _| Ok(Outcome::Block(Why::Ready))),
    row("jdk/internal/misc/Unsafe", "park", "(ZJ)V", park),
    row("jdk/internal/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V", |m, a| {
        match a.reference(m, 1) {
            0 => {}
            thread => m.unpark(thread),
        }
        Ok(VOID)
    }),
    row(CLASS, "sleep", "(J)V", |m, a| sleep(m, a.long(m, 0).saturating_mul(1_000_000))),
    row(CLASS, "sleepNanos0", "(J)V", |m, a| sleep(m, a.long(m, 0))),
    row(CLASS, "sleep0", "(J)V", |m, a| sleep(m, a.long(m, 0))),
    row(CLASS, "holdsLock", "(Ljava/lang/Object;)Z", |m, a| {
        let object = a.non_null(m, 0)?;
        boolean(m.holds_monitor(object))
    }),
    row(CLASS, "setPriority0", "(I)V", NOTHING),
    row(CLASS, "interrupt0", "()V", |m, a| {
        let thread = a.reference(m, 0);
        m.interrupt_stopped(thread);
        Ok(VOID)
    }),
    row(CLASS, "clearInterruptEvent", "()V", NOTHING),
    row(CLASS, "setNativeName", "(Ljava/lang/String;)V", NOTHING),
    row(CLASS, "scopedValueCache", "()[Ljava/lang/Object;", ZERO),
    row(CLASS, "setScopedValueCache", "([Ljava/lang/Object;)V", NOTHING),
    row(CLASS, "findScopedValueBindings", "()Ljava/lang/Object;", ZERO),
    row(CLASS, "ensureMaterializedForStackWalk", "(Ljava/lang/Object;)V", NOTHING),
    row(CLASS, "getNextThreadIdOffset", "()J", next_thread_id),
];

fn current(m: &mut Machine, _: &Args) -> Step<Outcome> {
    reference(m.registers.thread)
}

fn sleep(m: &mut Machine, nanos: i64) -> Step<Outcome> {
    if m.take_interrupt() {
        return Err(Trap::Raise("java/lang/InterruptedException", Some("sleep interrupted".into())));
    }
    Ok(Outcome::Block(Why::Sleeping(m.registers.clock.saturating_add(nanos.max(0) as u64))))
}

/// Threads of the JVM's own that only wait for its garbage collector.
const NEVER_RUN: [&str; 3] = [
    "java/lang/ref/Reference$ReferenceHandler",
    "java/lang/ref/Finalizer$FinalizerThread",
    "jdk/internal/misc/InnocuousThread",
];

fn start(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let thread = args.reference(m, 0);
    if NEVER_RUN.contains(&m.class_name_of(thread)) {
        m.set_thread_state(thread, 5, 1);
        return Ok(VOID);
    }
    m.start_thread(thread)?;
    Ok(VOID)
}

fn park(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (absolute, time) = (args.int(m, 1) != 0, args.long(m, 2));
    let thread = m.registers.thread;
    if m.registers.permits.remove(&thread).is_some() || m.named(thread, "interrupted") != 0 {
        return Ok(VOID);
    }
    let deadline = match (absolute, time) {
        (false, 0) => None,
        (false, nanos) => Some(m.registers.clock.saturating_add(nanos.max(0) as u64)),
        (true, millis) => {
            let since_boot = millis.saturating_sub(m.settings.start_millis).max(0);
            Some((since_boot as u64).saturating_mul(1_000_000))
        }
    };
    Ok(Outcome::Block(Why::Parked(deadline)))
}

impl Machine {
    /// Whether the running thread has been interrupted; it is not any more.
    pub(crate) fn take_interrupt(&mut self) -> bool {
        let thread = self.registers.thread;
        let interrupted = self.named(thread, "interrupted") != 0;
        if interrupted {
            self.set_named(thread, "interrupted", 0);
        }
        interrupted
    }
}

/// The address of the counter that `Thread.ThreadIdentifiers` takes numbers from.
fn next_thread_id(m: &mut Machine, _: &Args) -> Step<Outcome> {
    let class = m.load("[J")?;
    let counter: Addr = m.new_array(class, 1)?;
    m.pin(counter);
    m.memory.write(counter + crate::layout::ARRAY_HEADER, 3);
    long((counter + crate::layout::ARRAY_HEADER) as i64 * 8)
}
