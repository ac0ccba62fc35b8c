//! The threads that a run leaves behind, and which of them do nothing more.

use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Frame;
use crate::threads::{StopReason, StoppedThread};
use cupping_case::Effect;

/// The class of thread pools.
const POOL: &str = "java/util/concurrent/ThreadPoolExecutor";

/// The threads of the program that have not ended.
pub(super) fn threads_left(machine: &Machine) -> Vec<Effect> {
    let stopped = machine.registers.cold.stopped.iter();
    let left = stopped
        .filter(|it| !it.system && it.thread != machine.registers.thread && it.why != StopReason::Idle);
    let name = |thread: Addr| match machine.named(thread, "name") as Addr {
        0 => String::new(),
        name => machine.text(name),
    };
    let of = |it: &StoppedThread| Effect::Thread {
        name: name(it.thread).into(),
        waits: waits_for_others(machine, it),
    };
    left.map(of).collect()
}

/// Whether a thread does nothing more unless another thread acts.
fn waits_for_others(machine: &Machine, stopped: &StoppedThread) -> bool {
    match stopped.why {
        StopReason::Entering(_)
        | StopReason::References
        | StopReason::Idle
        | StopReason::Initializing(_)
        | StopReason::Parked(None) => true,
        StopReason::Waiting { deadline, notified, .. } => {
            deadline.is_none() && !notified || is_cancelled_timer(machine, stopped)
        }
        StopReason::Parked(Some(_)) => is_idle_worker(machine, stopped),
        StopReason::Ready => {
            is_worker_without_work(machine, stopped)
                || is_done(machine, stopped)
                || is_cancelled_timer(machine, stopped)
        }
        StopReason::Sleeping(_) | StopReason::Receiving { deadline: Some(_), .. } => false,
        StopReason::Receiving { deadline: None, .. } => true,
    }
}

/// Whether a thread is a worker of a `ForkJoinPool` without a task.
fn is_worker_without_work(machine: &Machine, stopped: &StoppedThread) -> bool {
    const TASK: &str = "java/util/concurrent/ForkJoinTask";
    if !machine.class_name_of(stopped.thread).starts_with("java/util/concurrent/ForkJoinWorkerThread") {
        return false;
    }
    let mut classes = stopped.frames.iter().map(|it| machine.class(machine.method(it.code.method).class));
    let is_working = classes.any(|class| !class.from_jdk || &*class.name == TASK);
    let pool = machine.named(stopped.thread, "pool") as Addr;
    let queues = if pool == 0 { 0 } else { machine.named(pool, "queues") as Addr };
    let length = if queues == 0 { 0 } else { machine.array_length(queues) };
    let mut queues = (0..length).map(|at| machine.element_ref(queues, at)).filter(|queue| *queue != 0);
    !is_working && queues.all(|queue| machine.named(queue, "base") == machine.named(queue, "top"))
}

/// Whether a thread in a timed park is a pool worker, which ends if it gets no work until then.
fn is_idle_worker(machine: &Machine, stopped: &StoppedThread) -> bool {
    let mut is_worker = false;
    for frame in &stopped.frames {
        let method = machine.method(frame.code.method);
        match (&*machine.class(method.class).name, &*method.name) {
            ("java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue", _) => return false,
            ("java/util/concurrent/ThreadPoolExecutor", "getTask")
            | ("java/util/concurrent/ForkJoinPool", "awaitWork") => is_worker = true,
            _ => {}
        }
    }
    is_worker
}

/// Whether a thread is a worker of a pool that has run its task, and will find no other.
fn is_done(machine: &Machine, stopped: &StoppedThread) -> bool {
    if !is_in_jdk(machine, stopped) {
        return false;
    }
    let of_pool = |name: &str| {
        stopped.frames.iter().find(|frame| {
            let method = machine.method(frame.code.method);
            &*method.name == name && &*machine.class(method.class).name == POOL
        })
    };
    let Some(frame) = of_pool("runWorker") else { return false };
    // The locals are the pool, its worker, the thread and the task.
    let local = |at: usize| stopped.stack.get(frame.base as usize + at).map_or(0, |slot| *slot as Addr);
    let (pool, worker, task) = (local(0), local(1), local(3));
    if pool == 0 || worker == 0 || machine.named(worker, "firstTask") != 0 {
        return false;
    }
    let queue = machine.named(pool, "workQueue") as Addr;
    if of_pool("getTask").is_some() {
        // It may have taken a task from the queue already, unless it still waits there.
        return waits_at_queue(machine, stopped) && is_empty(machine, queue, false);
    }
    (task == 0 || has_run(machine, task)) && is_empty(machine, queue, true)
}

/// Whether no code of the program is running in a thread.
fn is_in_jdk(machine: &Machine, stopped: &StoppedThread) -> bool {
    stopped.frames.iter().all(|frame| machine.class(machine.method(frame.code.method).class).from_jdk)
}

/// Whether a thread is about to wait at a queue, or was woken there and has taken nothing.
fn waits_at_queue(machine: &Machine, stopped: &StoppedThread) -> bool {
    const WAITS: [&str; 3] = ["await", "awaitNanos", "lockInterruptibly"];
    stopped.frames.iter().any(|frame| WAITS.contains(&&*machine.method(frame.code.method).name))
}

/// Whether the code of a task has been run: the state of a `FutureTask` is 0 until then. Of other tasks that is not
/// known.
fn has_run(machine: &Machine, task: Addr) -> bool {
    const FUTURES: [&str; 2] = [
        "java/util/concurrent/FutureTask",
        "java/util/concurrent/ScheduledThreadPoolExecutor$ScheduledFutureTask",
    ];
    FUTURES.contains(&machine.class_name_of(task)) && machine.named(task, "state") as u32 != 0
}

/// Whether the queue of a pool holds no task. One without capacity hands tasks over to those who wait at it, which is
/// the case unless `is_alone`.
fn is_empty(machine: &Machine, queue: Addr, is_alone: bool) -> bool {
    if queue == 0 {
        return false;
    }
    match machine.class_name_of(queue) {
        "java/util/concurrent/SynchronousQueue" => is_alone,
        "java/util/concurrent/LinkedBlockingQueue" => {
            let count = machine.named(queue, "count") as Addr;
            count != 0 && machine.named(count, "value") as u32 == 0
        }
        "java/util/concurrent/ArrayBlockingQueue" | "java/util/concurrent/LinkedBlockingDeque" => {
            machine.named(queue, "count") as u32 == 0
        }
        "java/util/concurrent/PriorityBlockingQueue"
        | "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue" => {
            machine.named(queue, "size") as u32 == 0
        }
        _ => false,
    }
}

/// Whether a thread is that of a `Timer` without tasks, which was told to end. It may have taken a task already, unless
/// it has not begun or waits for one.
fn is_cancelled_timer(machine: &Machine, stopped: &StoppedThread) -> bool {
    let timer = stopped.thread;
    let is_of = |frame: &Frame| &*machine.method(frame.code.method).name == "mainLoop";
    let may_have_task = stopped.why == StopReason::Ready && stopped.frames.iter().any(is_of);
    if machine.class_name_of(timer) != "java/util/TimerThread" || may_have_task {
        return false;
    }
    let queue = machine.named(timer, "queue") as Addr;
    queue != 0
        && machine.named(queue, "size") as u32 == 0
        && machine.named(timer, "newTasksMayBeScheduled") as u32 == 0
}
