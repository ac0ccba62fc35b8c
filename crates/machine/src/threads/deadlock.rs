//! The report of a deadlock, in the form of `jstack`: the cycle of threads that wait for each other, if there is one,
//! then every thread with its stack.

use super::{StopReason, StoppedThread};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::threads::{dump, monitors};
use std::fmt::Write;

/// The report that no thread can run, once all of them have stopped.
pub(super) fn describe_deadlock(machine: &Machine) -> String {
    let threads = dump::programs_threads(machine);
    let mut text = String::new();
    if let Some(cycle) = cycle(machine, &threads) {
        text += "Found one Java-level deadlock:\n=============================\n";
        for thread in &cycle {
            let _ = write!(
                text,
                "\"{}\":\n  {}",
                dump::thread_name(machine, thread.thread),
                waits_for(machine, thread)
            );
            if let Some(owner) = holder_of(machine, thread) {
                let _ = write!(text, ",\n  which is held by \"{}\"", dump::thread_name(machine, owner));
            }
            text.push('\n');
        }
        text += "\nJava stack information for the threads listed above:\n";
        text += "===================================================\n";
        for thread in &cycle {
            describe_stack(machine, thread, &mut text);
        }
        let others: Vec<&&StoppedThread> =
            threads.iter().filter(|t| cycle.iter().all(|c| c.number != t.number)).collect();
        if !others.is_empty() {
            text += "\nOther threads:\n==============\n";
        }
        for thread in others {
            describe_stack(machine, thread, &mut text);
        }
    } else {
        text += "No thread can run: each waits for another.\n";
        for thread in threads {
            describe_stack(machine, thread, &mut text);
        }
    }
    text
}

/// Threads of which each waits for the next, and the last for the first, starting with the oldest.
fn cycle<'a>(machine: &Machine, threads: &[&'a StoppedThread]) -> Option<Vec<&'a StoppedThread>> {
    let next = |thread: &StoppedThread| {
        let owner = holder_of(machine, thread)?;
        threads.iter().find(|t| t.thread == owner).copied()
    };
    for first in threads {
        let mut path = vec![*first];
        while let Some(owner) = path.last().and_then(|thread| next(thread)) {
            if owner.number == first.number {
                return Some(path);
            }
            if path.iter().any(|t| t.number == owner.number) {
                break;
            }
            path.push(owner);
        }
    }
    None
}

/// The `Thread` that has what this one waits for.
fn holder_of(machine: &Machine, waiting: &StoppedThread) -> Option<Addr> {
    let by_number =
        |number: u32| machine.registers.cold.stopped.iter().find(|s| s.number == number).map(|s| s.thread);
    match waiting.why {
        StopReason::Entering(object) | StopReason::Waiting { object, notified: true, .. } => {
            by_number(monitors::monitor(machine, object).0)
        }
        StopReason::Initializing(class) => by_number(machine.initializer_of(class)),
        StopReason::Parked(_) => {
            // A lock of `java.util.concurrent` names its owner.
            let blocker = machine.named(waiting.thread, "parkBlocker") as Addr;
            let owner = if blocker == 0 { 0 } else { machine.named(blocker, "exclusiveOwnerThread") as Addr };
            (owner != 0).then_some(owner)
        }
        _ => None,
    }
}

fn waits_for(machine: &Machine, thread: &StoppedThread) -> String {
    match thread.why {
        StopReason::Entering(object) | StopReason::Waiting { object, notified: true, .. } => {
            format!("waiting to lock monitor of {}", describe_object(machine, object))
        }
        StopReason::Waiting { object, .. } => {
            format!("waiting to be notified on {}", describe_object(machine, object))
        }
        StopReason::Parked(_) => match machine.named(thread.thread, "parkBlocker") as Addr {
            0 => "parked until it gets a permit".into(),
            blocker if holder_of(machine, thread).is_some() => {
                format!("waiting for ownable synchronizer {}", describe_object(machine, blocker))
            }
            blocker => format!("parked to wait for {}", describe_object(machine, blocker)),
        },
        StopReason::Initializing(class) => {
            format!("waiting for the initialisation of {}", machine.class(class).name.replace('/', "."))
        }
        StopReason::Sleeping(_) => "sleeping".into(),
        StopReason::Receiving { .. } => "waiting for input from a socket".into(),
        StopReason::Ready => "able to run".into(),
        StopReason::Idle => "waiting for the other threads to end".into(),
        StopReason::References => "waiting for cleared references".into(),
    }
}

/// `<0x000000000000abc8> (a java.lang.Object)`.
fn describe_object(machine: &Machine, object: Addr) -> String {
    let mut name = machine.class_name_of(object).replace('/', ".");
    if name == "java.lang.Class" {
        let class = machine.class(machine.class_of_mirror(object)).name.replace('/', ".");
        name = format!("java.lang.Class for {class}");
    }
    format!("<{:#018x}> (a {name})", object as u64 * 8)
}

fn describe_stack(machine: &Machine, thread: &StoppedThread, text: &mut String) {
    let _ = writeln!(text, "\"{}\":", dump::thread_name(machine, thread.thread));
    let mut held = held_monitors(machine, thread);
    for (depth, frame) in dump::shown_frames(machine, &thread.frames).enumerate() {
        let _ = writeln!(text, "\tat {}", dump::describe_frame(machine, frame));
        if depth == 0 && thread.why != StopReason::Ready {
            let _ = writeln!(text, "\t- {}", waits_for(machine, thread));
        }
        // An object that several frames refer to is listed at the outermost one, which locked it first.
        held.retain(|(serial, object)| {
            if *serial == frame.serial {
                let _ = writeln!(text, "\t- locked {}", describe_object(machine, *object));
            }
            *serial != frame.serial
        });
    }
}

/// The monitors that a stopped thread holds, each with the serial of the outermost frame that refers to it.
fn held_monitors(machine: &Machine, thread: &StoppedThread) -> Vec<(u32, Addr)> {
    let starts = machine.starts_of_objects();
    let mut held: Vec<(u32, Addr)> = Vec::new();
    for frame in &thread.frames {
        let end = (frame.sp as usize).min(thread.stack.len());
        let slots = thread.stack.get(frame.base as usize..end).unwrap_or(&[]);
        for word in slots.iter().copied().chain([frame.monitor as u64]) {
            let Ok(object) = Addr::try_from(word) else { continue };
            let known = held.iter().any(|(_, other)| *other == object);
            if !known && starts.contains(object) && monitors::monitor(machine, object).0 == thread.number {
                held.push((frame.serial, object));
            }
        }
    }
    held
}
