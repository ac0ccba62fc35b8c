//! Exceptions: raising them, their stack traces, and unwinding to a handler (JVMS §2.10, §6.5 `athrow`).

use crate::classes::{ClassId, MethodId};
use crate::exit::{Exit, Halt, Step, Trap};
use crate::heap::layout::InitState;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Purpose;
use cupping_classfile::descriptor;

/// The offset in a row for a method that the machine implements itself.
const NO_LINE: u32 = u32::MAX;

/// A row of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// The method.
    pub method: MethodId,
    /// Offset in its bytecode.
    pub offset: u32,
}

impl Machine {
    /// Handles an instruction that did not complete. `Some` if the run pauses or ends.
    pub(crate) fn handle_trap(&mut self, trap: Trap) -> Option<Exit> {
        match trap {
            Trap::Restart => {
                self.shadows.begin_instruction();
                None
            }
            Trap::Exit(exit) => {
                self.shadows.begin_instruction();
                Some(exit)
            }
            Trap::Block(why) => match self.block(why) {
                Ok(()) => None,
                Err(trap) => self.handle_trap(trap),
            },
            Trap::Unwind => {
                // The call takes its fuel again.
                self.registers.fuel = self.registers.fuel.saturating_add(1);
                self.shadows.begin_instruction();
                None
            }
            Trap::Throw(exception) => unwind(self, exception),
            Trap::NoMemory(words) if self.make_room(words) => {
                self.shadows.begin_instruction();
                None
            }
            // A single object that is larger than the heap is an error all the same.
            Trap::NoMemory(words) if self.halts_when_full && words <= u64::from(self.limits.heap_words) => {
                self.shadows.begin_instruction();
                Some(Exit::Halted(Halt::OutOfFuel))
            }
            Trap::NoMemory(_) => {
                let error = self.out_of_memory_error();
                self.registers.raised = error;
                unwind(self, error)
            }
            Trap::Raise(class, message) => self.raise(class, message.as_deref()),
            Trap::Missing(name) => {
                let cause = class_not_found(self, &name);
                raise_because(self, "java/lang/NoClassDefFoundError", Some(&name), cause)
            }
            Trap::Erroneous(class) => {
                let message = format!("Could not initialize class {}", self.external_name(class));
                let cause = self.registers.cold.init_failures.get(&class).copied();
                raise_because(self, "java/lang/NoClassDefFoundError", Some(&message), cause)
            }
        }
    }

    fn raise(&mut self, class: &str, message: Option<&str>) -> Option<Exit> {
        raise_because(self, class, message, None)
    }

    /// A new exception of this class as the JVM itself creates them, with the current stack trace.
    pub fn new_throwable(&mut self, class: &str, message: Option<&str>) -> Step<Addr> {
        new_throwable_in(self, class, message, None)
    }

    /// Records the current frames in an exception, without the `skip` innermost ones and with that of a native.
    pub(crate) fn fill_stack_trace(
        &mut self,
        exception: Addr,
        native: Option<MethodId>,
        skip: usize,
    ) -> Step<()> {
        let native = native.filter(|native| !self.is_hidden(self.method(*native).class));
        let mut rows: Vec<u64> =
            native.iter().map(|native| (native.0 as u64) << 32 | NO_LINE as u64).collect();
        for frame in self.registers.frames.iter().rev().skip(skip).take(1024) {
            if matches!(frame.purpose, Purpose::Entry | Purpose::Thread) {
                break;
            }
            if self.is_hidden(frame.code.class) || self.says_hidden(frame.code.method) {
                continue;
            }
            let mut offset = frame.code.offsets.get(frame.pc as usize).copied().unwrap_or(0);
            if let Some(callee) = rows.last() {
                let callee = MethodId((callee >> 32) as u32);
                offset = call_of_compact(self, frame.code.method, offset, callee);
            }
            rows.push((frame.code.method.0 as u64) << 32 | offset as u64);
        }
        if self.registers.variation != 0 {
            rows.extend(self.caller_of_tests()?);
        }
        let longs = self.load("[J")?;
        let array = self.new_array(longs, rows.len() as u32)?;
        for (index, row) in rows.iter().enumerate() {
            self.memory.write(array + crate::heap::layout::ARRAY_HEADER + index as u32, *row);
        }
        self.memory.write(exception + self.classes.well_known.throwable_backtrace, array as u64);
        self.memory.write(exception + self.classes.well_known.throwable_depth, rows.len() as u64);
        if self.classes.well_known.throwable_stack != 0 {
            let throwable = self.load("java/lang/Throwable")?;
            let unassigned = self.static_field(throwable, "UNASSIGNED_STACK").unwrap_or(0);
            self.memory.write(exception + self.classes.well_known.throwable_stack, unassigned);
        }
        Ok(())
    }

    /// A row for who calls the test: in a varied run somebody does, as whoever runs tests on the JVM.
    fn caller_of_tests(&mut self) -> Step<Option<u64>> {
        let thread = self.load("java/lang/Thread")?;
        let run = self.declared_method(thread, "run", "()V");
        Ok(run.map(|method| u64::from(method.0) << 32 | u64::from(NO_LINE)))
    }

    /// The stack trace recorded in an exception, innermost first.
    pub fn stack_trace(&self, exception: Addr) -> Vec<TraceRow> {
        self.backtrace_rows(self.field_ref(exception, self.classes.well_known.throwable_backtrace))
    }

    /// The rows of a `backtrace` created by [`Machine::fill_stack_trace`].
    pub(crate) fn backtrace_rows(&self, array: Addr) -> Vec<TraceRow> {
        if array == 0 {
            return Vec::new();
        }
        (0..self.array_length(array))
            .map(|i| {
                let row = self.memory.read(array + crate::heap::layout::ARRAY_HEADER + i);
                TraceRow { method: MethodId((row >> 32) as u32), offset: row as u32 }
            })
            .collect()
    }

    /// The source line of a bytecode offset, if the class file tells.
    pub fn line_of(&self, method: MethodId, offset: u32) -> Option<u32> {
        let loaded = self.method(method);
        if offset == NO_LINE {
            return None;
        }
        if let Some(replaced) = self.classes.replacement(method) {
            return replaced.line_at(offset).map(u32::from);
        }
        let file = self.class(loaded.class).file.as_ref()?;
        let code = file.code(file.methods.get(loaded.index)?).ok()??;
        code.line_at(offset).map(u32::from)
    }

    /// The message of an exception, if it has one.
    pub fn throwable_message(&self, exception: Addr) -> Option<Vec<u16>> {
        let message = self.field_ref(exception, self.classes.well_known.throwable_message);
        (message != 0).then(|| self.string_units(message))
    }
}

/// The exception of the class loader for a missing class.
fn class_not_found(machine: &mut Machine, name: &str) -> Option<Addr> {
    let element = match descriptor::element(name) {
        (element, 0) => element,
        (element, _) => descriptor::class_name(element).unwrap_or(element),
    };
    let is_class = !element.is_empty() && !element.contains(['.', '(', ';']);
    is_class
        .then(|| {
            machine.new_throwable("java/lang/ClassNotFoundException", Some(&element.replace('/', "."))).ok()
        })
        .flatten()
}

fn raise_because(
    machine: &mut Machine,
    class: &str,
    message: Option<&str>,
    cause: Option<Addr>,
) -> Option<Exit> {
    let native = machine.natives.raising();
    machine.natives.set_raising(None);
    match new_throwable_in(machine, class, message, native) {
        Ok(exception) => {
            if let Some(cause) = cause {
                machine.memory.write(exception + machine.classes.well_known.throwable_cause, cause as u64);
            }
            machine.registers.raised = exception;
            unwind(machine, exception)
        }
        Err(_) => Some(Exit::Halted(Halt::Unsupported(format!("cannot create a {class}")))),
    }
}

/// As [`Machine::new_throwable`], with the frame of a native on top of the stack trace.
fn new_throwable_in(
    machine: &mut Machine,
    class: &str,
    message: Option<&str>,
    native: Option<MethodId>,
) -> Step<Addr> {
    let class = machine.load(class)?;
    // An out-of-memory error needs a little memory too.
    let exception = machine.new_object(class)?;
    if let Some(message) = message {
        let text = machine.new_text(message)?;
        machine.memory.write(exception + machine.classes.well_known.throwable_message, text as u64);
    }
    machine.memory.write(exception + machine.classes.well_known.throwable_cause, exception as u64);
    let throwable = machine.load("java/lang/Throwable")?;
    for (field, sentinel) in
        [("stackTrace", "UNASSIGNED_STACK"), ("suppressedExceptions", "SUPPRESSED_SENTINEL")]
    {
        let value = machine.static_field(throwable, sentinel).unwrap_or(0);
        if let Some(offset) = machine.field_offset(throwable, field) {
            machine.memory.write(exception + offset, value);
        }
    }
    machine.fill_stack_trace(exception, native, 0)?;
    // The message of a null pointer exception is computed from the bytecode of its top frame, unless that frame
    // is a native's or hidden (see `npe_messages`).
    let in_bytecode = native.is_none()
        && machine.registers.frames.last().is_some_and(|frame| !machine.is_hidden(frame.code.class));
    if in_bytecode && let Some(offset) = machine.field_offset(class, "extendedMessageState") {
        machine.memory.write(exception + offset, 1);
    }
    Ok(exception)
}

/// The offset at which a method calls another one of `StringLatin1`, if the call at `offset` is of
/// `StringUTF16`: strings are never compact here, but the trace is that of a JVM with compact strings.
fn call_of_compact(machine: &Machine, method: MethodId, offset: u32, callee: MethodId) -> u32 {
    const COMPACT: &str = "java/lang/StringLatin1";
    let callee = machine.method(callee);
    if &*machine.class(callee.class).name != COMPACT {
        return offset;
    }
    let loaded = machine.method(method);
    let Some(file) = machine.class(loaded.class).file.as_ref() else { return offset };
    let Some(Ok(Some(code))) = file.methods.get(loaded.index).map(|m| file.code(m)) else {
        return offset;
    };
    let calls = |instruction: &cupping_classfile::Instruction| match instruction.operand {
        cupping_classfile::Operand::Constant(index) => matches!(
            file.constant(index),
            Ok(cupping_classfile::Constant::Method { class, name, descriptor, .. })
                if class == COMPACT && *name == *callee.name && *descriptor == *callee.descriptor
        ),
        _ => false,
    };
    let found = cupping_classfile::instructions(&code.bytecode).flatten().find(calls);
    found.map_or(offset, |instruction| instruction.pc)
}

/// Pops frames until a handler catches the exception. `Some` if none does.
fn unwind(machine: &mut Machine, mut exception: Addr) -> Option<Exit> {
    machine.finish_decisions();
    loop {
        let frame = machine.registers.frames.last()?;
        let (pc, code) = (frame.pc, frame.code.clone());
        let thrown = machine.class_of(exception);
        for handler in code.handlers.iter().filter(|h| h.start <= pc && pc < h.end) {
            let caught = match &handler.class_name {
                None => true,
                Some(name) => machine.catches(machine.method(code.method).class, name, thrown),
            };
            if caught {
                let frame = machine.current_mut();
                let slot = frame.base + code.max_locals as u32;
                frame.sp = slot + 1;
                frame.pc = handler.target;
                machine.stack.set(slot, exception as u64);
                machine.stack.set_shadow(slot, 0);
                return None;
            }
        }
        let popped = machine.registers.frames.pop()?;
        if popped.monitor != 0 {
            let _ = machine.leave_monitor(popped.monitor);
        }
        match popped.purpose {
            Purpose::Entry => {
                machine.registers.thrown = exception;
                return Some(Exit::Threw(exception));
            }
            Purpose::Initializer(class) => exception = fail_initialization(machine, class, exception),
            Purpose::Loading { linking } => {
                exception = machine.failed_answer(&popped, linking, exception);
            }
            Purpose::Thread => return machine.leave_thread(&popped, Some(exception)),
            Purpose::Call | Purpose::Discard => {}
            Purpose::Watched => {
                machine.report_exit(
                    popped.code.method,
                    popped.serial,
                    crate::watching::CallEnd::Threw(exception),
                );
            }
        }
    }
}

/// Keeps the error for later attempts to use the class (JDK-8048190): an `ExceptionInInitializerError` that has
/// the stack trace of the exception, and names it and the thread.
fn keep_failure(machine: &mut Machine, class: ClassId, exception: Addr) {
    let thrown = machine.external_name(machine.class_of(exception));
    let said = machine.throwable_message(exception);
    let said = said.map_or(String::new(), |m| format!(": {}", String::from_utf16_lossy(&m)));
    let thread = match machine.named(machine.registers.thread, "name") as Addr {
        0 => String::new(),
        name => machine.text(name),
    };
    let message = format!("Exception {thrown}{said} [in thread \"{thread}\"]");
    let Ok(kept) = machine.new_throwable("java/lang/ExceptionInInitializerError", Some(&message)) else {
        return;
    };
    for field in [machine.classes.well_known.throwable_backtrace, machine.classes.well_known.throwable_depth]
    {
        let value = machine.memory.read(exception + field);
        machine.memory.write(kept + field, value);
    }
    machine.memory.write(kept + machine.classes.well_known.throwable_cause, 0);
    machine.registers.cold.init_failures.insert(class, kept);
}

/// Marks the class erroneous; an exception that is not an `Error` is wrapped (JVMS §5.5 step 10).
fn fail_initialization(machine: &mut Machine, class: ClassId, exception: Addr) -> Addr {
    machine.set_init_state(class, InitState::Failed);
    keep_failure(machine, class, exception);
    let is_error = machine
        .load("java/lang/Error")
        .is_ok_and(|error| machine.is_subtype(machine.class_of(exception), error));
    if is_error {
        return exception;
    }
    match machine.new_throwable("java/lang/ExceptionInInitializerError", None) {
        Ok(wrapped) => {
            // Since JDK 12 the wrapped exception is the cause; the older field is kept in step.
            machine.memory.write(wrapped + machine.classes.well_known.throwable_cause, exception as u64);
            let class = machine.class_of(wrapped);
            if let Some(offset) = machine.field_offset(class, "exception") {
                machine.memory.write(wrapped + offset, exception as u64);
            }
            wrapped
        }
        Err(_) => exception,
    }
}
