//! `java.lang.management`: facts about the machine. There is one collector with one pool, the heap; the CPU
//! time of a thread is the time of the virtual clock.

use super::support::{MINUS_ONE_LONG, NOTHING, ONE, ZERO, int, long, reference};
use super::{Args, Native, NativeOutcome, VOID, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::java_lang_system;
use crate::state::Value;

const VM: &str = "sun/management/VMManagementImpl";
const MEMORY: &str = "sun/management/MemoryImpl";
const POOL: &str = "sun/management/MemoryPoolImpl";
const MANAGER: &str = "sun/management/MemoryManagerImpl";
const COLLECTOR: &str = "sun/management/GarbageCollectorImpl";
const THREAD: &str = "sun/management/ThreadImpl";
const SYSTEM: &str = "com/sun/management/internal/OperatingSystemImpl";
const POOLS: &str = "()[Ljava/lang/management/MemoryPoolMXBean;";
const MANAGERS: &str = "()[Ljava/lang/management/MemoryManagerMXBean;";
const USAGE: &str = "()Ljava/lang/management/MemoryUsage;";
/// First feature version whose management interface has version 4.0.
const NEW_VERSION: u16 = 21;
/// The management features that the JVM declares and that are supported here.
const SUPPORTED: [&str; 7] = [
    "compTimeMonitoringSupport",
    "currentThreadCpuTimeSupport",
    "otherThreadCpuTimeSupport",
    "threadContentionMonitoringSupport",
    "objectMonitorUsageSupport",
    "synchronizerUsageSupport",
    "threadAllocatedMemorySupport",
];
/// Field offsets of states of `Thread.State` by bits of `threadStatus`; the first match applies.
const STATES: [(u64, &str); 6] = [
    (0x4, "RUNNABLE"),
    (0x400, "BLOCKED"),
    (0x10, "WAITING"),
    (0x20, "TIMED_WAITING"),
    (0x2, "TERMINATED"),
    (0x1, "RUNNABLE"),
];

pub(super) const NATIVES: &[Native] = &[
    row(VM, "getVersion0", "()Ljava/lang/String;", |m, _| {
        let version = if m.program.jdk().feature_version() < NEW_VERSION { "3.0" } else { "4.0" };
        reference(m.new_text(version)?)
    }),
    row(VM, "initOptionalSupportFields", "()V", |m, _| {
        let class = m.load(VM)?;
        for name in SUPPORTED {
            m.set_static_field(class, name, 1)?;
        }
        Ok(VOID)
    }),
    row(VM, "isThreadContentionMonitoringEnabled", "()Z", ZERO),
    row(VM, "isThreadCpuTimeEnabled", "()Z", ONE),
    row(VM, "isThreadAllocatedMemoryEnabled", "()Z", ONE),
    row(VM, "getTotalClassCount", "()J", |m, _| long(m.classes().len() as i64)),
    row(VM, "getUnloadedClassCount", "()J", ZERO),
    row(VM, "getVerboseClass", "()Z", ZERO),
    row(VM, "getVerboseGC", "()Z", ZERO),
    row(VM, "getProcessId", "()I", ONE),
    row(VM, "getVmArguments0", "()[Ljava/lang/String;", |m, _| reference(m.string_array::<&str>(&[])?)),
    row(VM, "getStartupTime", "()J", |m, _| long(m.environment.options.start_millis)),
    row(VM, "getUptime0", "()J", |m, _| long(java_lang_system::look(m) / 1_000_000)),
    row(VM, "getAvailableProcessors", "()I", ONE),
    row(VM, "getTotalCompileTime", "()J", ZERO),
    row(VM, "getTotalThreadCount", "()J", |m, _| long(m.all_threads().len() as i64)),
    row(VM, "getLiveThreadCount", "()I", |m, _| int(m.all_threads().len() as i32)),
    row(VM, "getPeakThreadCount", "()I", |m, _| int(m.all_threads().len() as i32)),
    row(VM, "getDaemonThreadCount", "()I", |m, _| {
        let threads = m.all_threads();
        int(threads.iter().filter(|thread| thread_field(m, **thread, "daemon") != 0).count() as i32)
    }),
    row("sun/management/ClassLoadingImpl", "setVerboseClass", "(Z)V", NOTHING),
    row(MEMORY, "getMemoryPools0", POOLS, pools),
    row(MEMORY, "getMemoryManagers0", MANAGERS, managers),
    row(MEMORY, "getMemoryUsage0", "(Z)Ljava/lang/management/MemoryUsage;", |m, a| {
        usage(m, a.int(m, 1) != 0)
    }),
    row(MEMORY, "setVerboseGC", "(Z)V", NOTHING),
    row(MANAGER, "getMemoryPools0", POOLS, pools),
    row(POOL, "getMemoryManagers0", MANAGERS, managers),
    row(POOL, "getUsage0", USAGE, |m, _| usage(m, true)),
    row(POOL, "getPeakUsage0", USAGE, |m, _| usage(m, true)),
    row(POOL, "getCollectionUsage0", USAGE, |m, _| usage(m, true)),
    row(POOL, "resetPeakUsage0", "()V", NOTHING),
    row(COLLECTOR, "getCollectionCount", "()J", ZERO),
    row(COLLECTOR, "getCollectionTime", "()J", ZERO),
    row(THREAD, "getThreads", "()[Ljava/lang/Thread;", |m, _| {
        let threads = m.all_threads();
        reference(m.reference_array("java/lang/Thread", &threads)?)
    }),
    row(THREAD, "getThreadInfo1", "([JI[Ljava/lang/management/ThreadInfo;)V", |m, a| {
        let (ids, depth, infos) = (a.non_null(m, 0)?, a.int(m, 1), a.non_null(m, 2)?);
        for index in 0..m.array_length(ids) {
            let id = m.element(ids, index, crate::classes::Kind::Long);
            let known = m.all_threads().into_iter().find(|thread| m.named(*thread, "tid") == id);
            let info = known.map_or(Ok(0), |thread| thread_info(m, thread, depth != 0))?;
            m.set_element_ref(infos, index, info);
        }
        Ok(VOID)
    }),
    row(THREAD, "dumpThreads0", "([JZZI)[Ljava/lang/management/ThreadInfo;", |m, a| {
        let wanted = match a.reference(m, 0) {
            0 => None,
            ids => Some(
                (0..m.array_length(ids)).map(|i| m.element(ids, i, crate::classes::Kind::Long)).collect(),
            ),
        };
        let is_wanted = |wanted: &Option<Vec<u64>>, id| wanted.as_ref().is_none_or(|ids| ids.contains(&id));
        let mut infos = Vec::new();
        for thread in m.all_threads() {
            if is_wanted(&wanted, m.named(thread, "tid")) {
                infos.push(thread_info(m, thread, a.int(m, 3) != 0)?);
            }
        }
        reference(m.reference_array("java/lang/management/ThreadInfo", &infos)?)
    }),
    row(THREAD, "getThreadTotalCpuTime0", "(J)J", |m, _| long(m.now() as i64)),
    row(THREAD, "getThreadUserCpuTime0", "(J)J", |m, _| long(m.now() as i64)),
    row(THREAD, "getThreadAllocatedMemory0", "(J)J", allocated),
    row(THREAD, "getTotalThreadAllocatedMemory", "()J", allocated),
    row(THREAD, "setThreadCpuTimeEnabled0", "(Z)V", NOTHING),
    row(THREAD, "setThreadAllocatedMemoryEnabled0", "(Z)V", NOTHING),
    row(THREAD, "setThreadContentionMonitoringEnabled0", "(Z)V", NOTHING),
    row(THREAD, "findMonitorDeadlockedThreads0", "()[Ljava/lang/Thread;", ZERO),
    row(THREAD, "findDeadlockedThreads0", "()[Ljava/lang/Thread;", ZERO),
    row(THREAD, "resetPeakThreadCount0", "()V", NOTHING),
    row(THREAD, "resetContentionTimes0", "(J)V", NOTHING),
    row(SYSTEM, "initialize0", "()V", NOTHING),
    row(SYSTEM, "getCommittedVirtualMemorySize0", "()J", allocated),
    row(SYSTEM, "getFreeMemorySize0", "()J", |m, _| {
        long(heap_bytes(m).saturating_sub(m.words_in_use() as i64 * 8))
    }),
    row(SYSTEM, "getTotalMemorySize0", "()J", |m, _| long(heap_bytes(m))),
    row(SYSTEM, "getFreeSwapSpaceSize0", "()J", ZERO),
    row(SYSTEM, "getTotalSwapSpaceSize0", "()J", ZERO),
    row(SYSTEM, "getProcessCpuTime0", "()J", |m, _| long(m.now() as i64)),
    row(SYSTEM, "getProcessCpuLoad0", "()D", unknown_load),
    row(SYSTEM, "getCpuLoad0", "()D", unknown_load),
    row(SYSTEM, "getOpenFileDescriptorCount0", "()J", MINUS_ONE_LONG),
    row(SYSTEM, "getMaxFileDescriptorCount0", "()J", MINUS_ONE_LONG),
    row("com/sun/management/internal/Flag", "initialize", "()V", NOTHING),
    row("com/sun/management/internal/Flag", "getAllFlagNames", "()[Ljava/lang/String;", |m, _| {
        reference(m.string_array::<&str>(&[])?)
    }),
    row("com/sun/management/internal/Flag", "getInternalFlagCount", "()I", ZERO),
    row("sun/management/BaseOperatingSystemImpl", "getSystemLoadAverage", "()D", unknown_load),
];

/// Bytes that the heap may take.
fn heap_bytes(m: &Machine) -> i64 {
    i64::from(m.limits.heap_words) * 8
}

fn allocated(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    long(m.words_in_use() as i64 * 8)
}

fn unknown_load(_: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    super::support::double(-1.0)
}

/// The memory in use: all of it is heap.
fn usage(m: &mut Machine, heap: bool) -> Step<NativeOutcome> {
    let class = m.load("java/lang/management/MemoryUsage")?;
    let usage = m.new_object(class)?;
    let (used, most) = if heap { (m.words_in_use() * 8, heap_bytes(m)) } else { (0, -1) };
    for (name, value) in [("used", used), ("committed", used), ("max", most as u64)] {
        m.set_named(usage, name, value);
    }
    reference(usage)
}

/// The one pool. Thresholds are not supported.
fn pools(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let class = m.load(POOL)?;
    m.ensure_initialized(class)?;
    let pool = m.new_object(class)?;
    let name = m.intern_text("Heap")?;
    m.set_named(pool, "name", name as u64);
    for flag in ["isHeap", "isValid"] {
        m.set_named(pool, flag, 1);
    }
    for threshold in ["usageThreshold", "collectionThreshold"] {
        m.set_named(pool, threshold, -1i64 as u64);
    }
    reference(m.reference_array("java/lang/management/MemoryPoolMXBean", &[pool])?)
}

/// The one collector.
fn managers(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let class = m.load("com/sun/management/internal/GarbageCollectorExtImpl")?;
    m.ensure_initialized(class)?;
    let collector = m.new_object(class)?;
    let name = m.intern_text("Mark Sweep")?;
    m.set_named(collector, "name", name as u64);
    m.set_named(collector, "isValid", 1);
    reference(m.reference_array("java/lang/management/MemoryManagerMXBean", &[collector])?)
}

/// A field that JDKs since 19 keep in the thread's `holder`.
fn thread_field(m: &Machine, thread: Addr, name: &str) -> u64 {
    let holder = m.named(thread, "holder") as Addr;
    m.named(if holder != 0 { holder } else { thread }, name)
}

/// A `ThreadInfo`, without the monitors and locks that the thread holds.
fn thread_info(m: &mut Machine, thread: Addr, with_stack: bool) -> Step<Addr> {
    let states = m.load("java/lang/Thread$State")?;
    m.ensure_initialized(states)?;
    let class = m.load("java/lang/management/ThreadInfo")?;
    m.ensure_initialized(class)?;
    let info = m.new_object(class)?;
    let status = thread_field(m, thread, "threadStatus");
    let state = STATES.iter().find(|(bits, _)| status & bits != 0).map_or("NEW", |(_, state)| state);
    let state = m.static_field(states, state).unwrap_or(0);
    let stack = if with_stack { m.trace_elements(thread)? } else { 0 };
    let stack = if stack == 0 { m.reference_array("java/lang/StackTraceElement", &[])? } else { stack };
    let monitors = m.reference_array("java/lang/management/MonitorInfo", &[])?;
    let locks = m.reference_array("java/lang/management/LockInfo", &[])?;
    let fields = [
        ("threadName", m.named(thread, "name")),
        ("threadId", m.named(thread, "tid")),
        ("blockedTime", -1i64 as u64),
        ("waitedTime", -1i64 as u64),
        ("lockOwnerId", -1i64 as u64),
        ("daemon", thread_field(m, thread, "daemon")),
        ("priority", thread_field(m, thread, "priority")),
        ("threadState", state),
        ("stackTrace", Value::reference(stack).bits),
        ("lockedMonitors", Value::reference(monitors).bits),
        ("lockedSynchronizers", Value::reference(locks).bits),
    ];
    for (name, value) in fields {
        m.set_named(info, name, value);
    }
    Ok(info)
}
