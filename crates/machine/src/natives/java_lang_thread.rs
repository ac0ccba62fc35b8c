//! `java.lang.Thread`.

use super::support::{NOTHING, ONE, ZERO, boolean, long, reference};
use super::{Args, Native, Outcome, VOID, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;

const CLASS: &str = "java/lang/Thread";

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "registerNatives", "()V", NOTHING),
    row(CLASS, "currentThread", "()Ljava/lang/Thread;", current),
    row(CLASS, "currentCarrierThread", "()Ljava/lang/Thread;", current),
    row(CLASS, "setCurrentThread", "(Ljava/lang/Thread;)V", |m, a| {
        m.registers.thread = a.reference(m, 1);
        Ok(VOID)
    }),
    row(CLASS, "start0", "()V", NOTHING),
    row(CLASS, "yield", "()V", NOTHING),
    row(CLASS, "yield0", "()V", NOTHING),
    row(CLASS, "onSpinWait", "()V", NOTHING),
    row(CLASS, "sleep", "(J)V", |m, a| sleep(m, a.long(m, 0).saturating_mul(1_000_000))),
    row(CLASS, "sleepNanos0", "(J)V", |m, a| sleep(m, a.long(m, 0))),
    row(CLASS, "sleep0", "(J)V", |m, a| sleep(m, a.long(m, 0))),
    row(CLASS, "holdsLock", "(Ljava/lang/Object;)Z", ONE),
    row(CLASS, "setPriority0", "(I)V", NOTHING),
    row(CLASS, "interrupt0", "()V", NOTHING),
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
    let _ = boolean;
    m.registers.clock = m.registers.clock.saturating_add(nanos.max(0) as u64);
    Ok(VOID)
}

/// The address of the counter that `Thread.ThreadIdentifiers` takes numbers from.
fn next_thread_id(m: &mut Machine, _: &Args) -> Step<Outcome> {
    let class = m.load("[J")?;
    let counter: Addr = m.new_array(class, 1)?;
    m.memory.write(counter + crate::layout::ARRAY_HEADER, 3);
    long((counter + crate::layout::ARRAY_HEADER) as i64 * 8)
}
