//! Stacks of threads, for Java code that asks for them and for display.

use super::StoppedThread;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::run::exceptions::TraceRow;
use crate::state::{Frame, Purpose};

impl Machine {
    /// The `Thread` objects of all live threads, oldest first as far as known.
    pub(crate) fn all_threads(&self) -> Vec<Addr> {
        let mut rows: Vec<(u32, Addr)> =
            self.registers.cold.stopped.iter().map(|s| (s.number, s.thread)).collect();
        rows.push((self.registers.thread_number, self.registers.thread));
        rows.sort_unstable();
        let dormant = self.registers.cold.dormant.iter().copied();
        rows.into_iter().map(|(_, thread)| thread).chain(dormant).collect()
    }

    /// A `StackTraceElement[]` of a thread; 0 if it has no frames.
    pub(crate) fn trace_elements(&mut self, thread: Addr) -> Step<Addr> {
        let rows: Vec<TraceRow> = shown_frames(self, frames_of(self, thread)).map(row_of).collect();
        if rows.is_empty() {
            return Ok(0);
        }
        let class = self.load("java/lang/StackTraceElement")?;
        let mut elements = Vec::with_capacity(rows.len());
        for row in &rows {
            let element = self.new_object(class)?;
            self.fill_stack_trace_element(element, row)?;
            elements.push(element);
        }
        self.reference_array("java/lang/StackTraceElement", &elements)
    }

    /// Prints HotSpot's message about an exception that a handler of uncaught exceptions threw, which is lost.
    pub(crate) fn report_dropped(&mut self, thread: Addr, exception: Addr) {
        let class = self.class_name_of(exception).replace('/', ".");
        let name = thread_name(self, thread);
        let text =
            format!("\nException: {class} thrown from the UncaughtExceptionHandler in thread \"{name}\"\n");
        self.print(2, text.as_bytes());
    }
}

/// The frames of a thread, if it is alive and has some.
fn frames_of(machine: &Machine, thread: Addr) -> &[Frame] {
    if thread == machine.registers.thread {
        return &machine.registers.frames;
    }
    machine.registers.cold.stopped.iter().find(|s| s.thread == thread).map_or(&[], |s| &s.frames)
}

fn row_of(frame: &Frame) -> TraceRow {
    let offset = frame.code.offsets.get(frame.pc as usize).copied().unwrap_or(0);
    TraceRow { method: frame.code.method, offset }
}

/// The frames that a stack trace shows, innermost first.
pub(super) fn shown_frames<'a>(machine: &'a Machine, frames: &'a [Frame]) -> impl Iterator<Item = &'a Frame> {
    let own = |frame: &&Frame| !matches!(frame.purpose, Purpose::Entry | Purpose::Thread);
    frames.iter().rev().take_while(own).filter(|frame| !machine.is_hidden(frame.code.class))
}

/// A frame as a line of a stack trace: `java.util.Vector.add(Vector.java:12)`.
pub(super) fn describe_frame(machine: &Machine, frame: &Frame) -> String {
    let row = row_of(frame);
    let method = machine.method(row.method);
    let class = machine.class(method.class);
    let file = class.file.as_ref().and_then(|file| file.source_file.clone());
    let place = match (file, machine.line_of(row.method, row.offset)) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_string(),
        (None, _) => "Unknown Source".into(),
    };
    let module =
        crate::classes::modules::module_of(machine, method.class).map_or(String::new(), |m| format!("{m}/"));
    format!("{module}{}.{}({place})", class.name.replace('/', "."), method.name)
}

pub(super) fn thread_name(machine: &Machine, thread: Addr) -> String {
    match machine.named(thread, "name") as Addr {
        0 => String::new(),
        name => machine.text(name),
    }
}

/// Threads other than the JDK's own, by number.
pub(super) fn programs_threads(machine: &Machine) -> Vec<&StoppedThread> {
    let mut threads: Vec<&StoppedThread> =
        machine.registers.cold.stopped.iter().filter(|s| !s.system).collect();
    threads.sort_by_key(|s| s.number);
    threads
}
