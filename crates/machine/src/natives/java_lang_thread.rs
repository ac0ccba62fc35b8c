//! `java.lang.Thread`.

use super::support::{NOTHING, ZERO, boolean, long, reference};
use super::{Args, Native, NativeOutcome, VOID, quick, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::unsafe_memory;
use crate::threads::StopReason;
use std::rc::Rc;

const CLASS: &str = "java/lang/Thread";

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "registerNatives", "()V", NOTHING),
    quick(row(CLASS, "currentThread", "()Ljava/lang/Thread;", current)),
    quick(row(CLASS, "currentCarrierThread", "()Ljava/lang/Thread;", current)),
    row(CLASS, "setCurrentThread", "(Ljava/lang/Thread;)V", |m, a| {
        m.registers.thread = a.reference(m, 1);
        Ok(VOID)
    }),
    row(CLASS, "start0", "()V", start),
    row(CLASS, "yield", "()V", |_, _| Ok(NativeOutcome::Block(StopReason::Ready))),
    row(CLASS, "yield0", "()V", |_, _| Ok(NativeOutcome::Block(StopReason::Ready))),
    row(CLASS, "onSpinWait", "()V", |_, _| Ok(NativeOutcome::Block(StopReason::Ready))),
    row("jdk/internal/misc/Unsafe", "park", "(ZJ)V", park),
    row("jdk/internal/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V", |m, a| {
        let thread = a.reference(m, 1);
        let loses_turn = thread != 0 && m.unpark(thread);
        Ok(if loses_turn { NativeOutcome::Block(StopReason::Ready) } else { VOID })
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
    // Bindings are looked up each time.
    row("java/lang/ScopedValue$Cache", "put", "(Ljava/lang/ScopedValue;Ljava/lang/Object;)V", NOTHING),
    row(CLASS, "findScopedValueBindings", "()Ljava/lang/Object;", ZERO),
    row(CLASS, "ensureMaterializedForStackWalk", "(Ljava/lang/Object;)V", NOTHING),
    row(CLASS, "getThreads", "()[Ljava/lang/Thread;", |m, _| {
        let threads = m.all_threads();
        reference(m.reference_array("java/lang/Thread", &threads)?)
    }),
    row(CLASS, "dumpThreads", "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;", dump_threads),
    row(CLASS, "getStackTrace0", "()Ljava/lang/Object;", |m, a| {
        let thread = a.reference(m, 0);
        reference(m.trace_elements(thread)?)
    }),
    row(CLASS, "getNextThreadIdOffset", "()J", next_thread_id),
];

fn current(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    reference(m.registers.thread)
}

fn sleep(m: &mut Machine, nanos: i64) -> Step<NativeOutcome> {
    if take_interrupt(m) {
        return Err(Trap::Raise("java/lang/InterruptedException", Some("sleep interrupted".into())));
    }
    Ok(NativeOutcome::Block(StopReason::Sleeping(m.now().saturating_add(nanos.max(0) as u64))))
}

fn start(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let thread = args.reference(m, 0);
    match m.class_name_of(thread) {
        // `finalize` is never run.
        "java/lang/ref/Finalizer$FinalizerThread" => m.set_thread_state(thread, 5, 1),
        // Waits for cleared references.
        "java/lang/ref/Reference$ReferenceHandler" => keep_dormant(m, thread),
        // Other threads of this class work for the JDK: on non-blocking I/O, for example.
        "jdk/internal/misc/InnocuousThread" if is_cleaner(m, thread) => keep_dormant(m, thread),
        _ => {
            // What it does in which order differs from run to run.
            m.registers.volatile_reads += 1;
            m.start_thread(thread, false)?;
        }
    }
    Ok(VOID)
}

/// Keeps a thread dormant: it starts when references have been cleared, and nobody waits for it.
fn keep_dormant(m: &mut Machine, thread: Addr) {
    m.set_thread_state(thread, 5, 1);
    Rc::make_mut(&mut m.registers.cold.dormant).push(thread);
}

/// Whether a thread runs the actions of a `Cleaner`.
fn is_cleaner(m: &Machine, thread: Addr) -> bool {
    let holder = m.named(thread, "holder") as Addr;
    let task = if holder != 0 { m.named(holder, "task") } else { m.named(thread, "target") } as Addr;
    task != 0 && m.class_name_of(task) == "jdk/internal/ref/CleanerImpl"
}

fn park(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (absolute, time) = (args.int(m, 1) != 0, args.long(m, 2));
    let thread = m.registers.thread;
    if m.registers.cold.permits.remove(&thread).is_some() || m.named(thread, "interrupted") != 0 {
        return Ok(VOID);
    }
    let deadline = match (absolute, time) {
        (false, 0) => None,
        (false, nanos) => Some(m.now().saturating_add(nanos.max(0) as u64)),
        (true, millis) => {
            let since_boot = millis.saturating_sub(m.environment.options.start_millis).max(0);
            Some((since_boot as u64).saturating_mul(1_000_000))
        }
    };
    Ok(NativeOutcome::Block(StopReason::Parked(deadline)))
}

/// Whether the running thread has been interrupted; clears the flag.
pub(super) fn take_interrupt(m: &mut Machine) -> bool {
    let thread = m.registers.thread;
    let interrupted = m.named(thread, "interrupted") != 0;
    if interrupted {
        m.set_named(thread, "interrupted", 0);
    }
    interrupted
}

fn dump_threads(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let threads = args.non_null(m, 0)?;
    let mut traces = Vec::new();
    for index in 0..m.array_length(threads) {
        traces.push(match m.element_ref(threads, index) {
            0 => 0,
            thread => m.trace_elements(thread)?,
        });
    }
    reference(m.reference_array("[Ljava/lang/StackTraceElement;", &traces)?)
}

/// The address of the counter that `Thread.ThreadIdentifiers` takes numbers from.
fn next_thread_id(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let class = m.load("[J")?;
    let counter: Addr = m.new_array(class, 1)?;
    m.memory.write(counter + crate::heap::layout::ARRAY_HEADER, 3);
    long(unsafe_memory::give_out(m, counter) as i64)
}
