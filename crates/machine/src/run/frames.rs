//! Frames: entering methods, natives, and entry from outside.

use crate::classes::{ClassId, Kind, MethodId};
use crate::code::decode::{DecoderInput, Marks, decode};
use crate::code::{CallSite, Code, CodeSlot, Insn, Op};
use crate::exit::{Step, Trap};
use crate::machine::{Machine, MethodBody, Schedule};
use crate::natives::{Args, NativeOutcome};
use crate::state::{Frame, Purpose, STACK_RESERVE, STACK_SLOTS, Value};
use cupping_classfile::{Action, Invocation, Opcode};
use std::cell::RefCell;
use std::rc::Rc;

impl Machine {
    /// The decoded code of a method, or `None` if it has none.
    pub fn code(&mut self, method: MethodId) -> Step<Option<Rc<Code>>> {
        match &self.method(method).body {
            MethodBody::Code(code) => Ok(Some(code.clone())),
            MethodBody::Bytecode => {
                // A class is usually linked before it is initialised; unlinked code must not run.
                self.link_class(self.method(method).class)?;
                let code = Rc::new(decode_method(self, method)?);
                code.fuse();
                self.classes.method_mut(method).body = MethodBody::Code(code.clone());
                Ok(Some(code))
            }
            _ => Ok(None),
        }
    }

    /// Pushes a frame whose arguments are already in the slots from `base`.
    pub(crate) fn push_frame(
        &mut self,
        method: MethodId,
        base: u32,
        purpose: Purpose,
        symbolic: bool,
    ) -> Step<()> {
        let code = match &self.method(method).body {
            MethodBody::Code(code) => code.clone(),
            _ => match self.code(method)? {
                Some(code) => code,
                None => {
                    let receiver = receiver_at(self, method, base);
                    return Err(no_code(self, method, receiver));
                }
            },
        };
        push_code(self, code, self.method(method).argument_slots as u32, base, purpose, symbolic)
    }

    /// Invokes a method whose arguments are on the operand stack of the current frame from slot `args`.
    /// On success the frame is entered, or the result pushed and the caller's pc advanced.
    #[inline]
    pub(crate) fn invoke(&mut self, method: MethodId, args: u32) -> Step<()> {
        let caller_symbolic = self.current().symbolic;
        let loaded = self.method(method);
        let slots = loaded.argument_slots as u32;
        let symbolic = caller_symbolic && (args..args + slots).any(|slot| self.stack.shadow(slot) != 0);
        match &loaded.body {
            MethodBody::Code(code) => {
                let code = code.clone();
                if loaded.is_synchronized() | loaded.watched {
                    return invoke_with_care(self, method, code, args, slots, symbolic);
                }
                self.current_mut().sp = args;
                match push_code(self, code, slots, args, Purpose::Call, symbolic) {
                    Ok(()) => Ok(()),
                    Err(trap) => {
                        self.current_mut().sp = args + slots;
                        Err(trap)
                    }
                }
            }
            MethodBody::Native(native) => {
                let native = *native;
                invoke_native(self, method, native, args, slots, symbolic)
            }
            MethodBody::Bytecode => {
                self.code(method)?;
                self.invoke(method, args)
            }
            MethodBody::Missing | MethodBody::Abstract => {
                let receiver = receiver_at(self, method, args);
                Err(no_code(self, method, receiver))
            }
        }
    }

    /// Pushes a result on the current frame, which starts to have shadows if the result has one.
    pub(crate) fn push_result(&mut self, value: Value, kind: Kind) {
        if kind == Kind::Void {
            return;
        }
        if value.shadow != 0 {
            self.make_symbolic();
        }
        let frame = self.current_mut();
        let (slot, symbolic) = (frame.sp, frame.symbolic);
        frame.sp += kind.slots() as u32;
        self.stack.set(slot, value.bits);
        if symbolic {
            self.stack.set_shadow(slot, value.shadow);
            if kind.slots() == 2 {
                self.stack.set_shadow(slot + 1, 0);
            }
        }
    }

    /// Lets the current frame have shadows; until now it had none.
    pub(crate) fn make_symbolic(&mut self) {
        let Some(frame) = self.registers.frames.last_mut() else { return };
        if frame.symbolic {
            return;
        }
        frame.symbolic = true;
        let end = frame.base as usize + frame.code.max_locals as usize + frame.code.max_stack as usize + 4;
        let start = frame.base as usize;
        for slot in start..end {
            self.stack.set_shadow(slot as u32, 0);
        }
    }

    /// Checks whether the current frame still has shadows; if it has none, marks it as concrete and returns
    /// true.
    pub(crate) fn mark_concrete_frame(&mut self) -> bool {
        let Some(frame) = self.registers.frames.last_mut() else { return false };
        let calm = (frame.base..frame.sp).all(|slot| self.stack.shadow(slot) == 0);
        frame.symbolic &= !calm;
        calm
    }

    #[inline]
    pub(crate) fn current(&self) -> &Frame {
        self.registers.frames.last().expect("a machine that runs has a frame")
    }

    #[inline]
    pub(crate) fn current_mut(&mut self) -> &mut Frame {
        self.registers.frames.last_mut().expect("a machine that runs has a frame")
    }

    /// Prepares the invocation of a method from outside; [`Machine::run`] then runs it. Instance methods
    /// are run exactly as given: select the overriding one first.
    pub fn enter(&mut self, method: MethodId, arguments: &[Value]) -> Step<()> {
        let loaded = self.method(method);
        let (slots, class, result) = (loaded.argument_slots, loaded.class, loaded.result);
        let op = if loaded.is_static() { Op::InvokeStatic } else { Op::InvokeDirect };
        let back = match result.slots() {
            0 => Op::Return,
            1 => Op::Return1,
            _ => Op::Return2,
        };
        let insns = [Insn { op, a: 0, b: 0 }, Insn { op: back, a: 0, b: 0 }];
        let tops = [slots as u32, result.slots() as u32];
        let stub = Code {
            method,
            class,
            insns: insns.into_iter().zip(tops).map(|(insn, top)| CodeSlot::new(insn, top)).collect(),
            offsets: [0, 0].into(),
            max_locals: 0,
            max_stack: slots + 2,
            handlers: Box::default(),
            wide: Box::default(),
            switches: Box::default(),
            checks: Box::default(),
            calls: RefCell::new(vec![CallSite { method, argument_slots: slots, cached: None }]),
            heat: Default::default(),
        };
        let base = self.stack_top() as u32;
        push_code(self, Rc::new(stub), 0, base, Purpose::Entry, false)?;
        self.current_mut().sp = base + slots as u32;
        place_arguments(self, method, base, arguments);
        Ok(())
    }

    /// The class against whose constant pool the current code is resolved.
    pub(crate) fn current_class(&self) -> ClassId {
        self.current().code.class
    }
}

fn decode_method(machine: &Machine, method: MethodId) -> Step<Code> {
    let loaded = machine.method(method);
    let class = machine.class(loaded.class);
    let verify_error = |why: String| {
        Trap::Raise("java/lang/VerifyError", Some(format!("{}.{}: {why}", class.name, loaded.name)))
    };
    let file = class.file.as_ref().ok_or_else(|| verify_error("no class file".into()))?;
    let replaced = machine.classes.replacement(method);
    let code = match (replaced, file.code(&file.methods[loaded.index])) {
        (Some(code), _) | (None, Ok(Some(code))) => code,
        (None, Ok(None)) => return Err(verify_error("no code".into())),
        (None, Err(error)) => return Err(verify_error(error.to_string())),
    };
    let constants = machine.classes.constants_of_replacement(method).unwrap_or(loaded.class);
    let pool = machine.class(constants).file.as_ref().unwrap_or(file);
    let source = DecoderInput {
        file: pool,
        record_flows: (machine.limits.record_flows && !class.from_jdk)
            || (machine.limits.record_library_flows && crate::recording::data_flow::is_library(&class.name)),
        declaring: &|class, name, descriptor| machine.declaring_class(class, name, descriptor),
        marks_turns: machine.limits.schedule == Schedule::Races,
        from_jdk: class.from_jdk,
        bytes: &code.bytecode,
        max_locals: code.max_locals.max(loaded.argument_slots),
        max_stack: code.max_stack,
        handlers: code
            .exception_table
            .iter()
            .map(|h| {
                let class_name = h.catch_type.as_ref().map(|n| Box::from(&**n));
                (h.start as u32, h.end as u32, h.handler as u32, class_name)
            })
            .collect(),
    };
    let key = (class.name.clone(), loaded.index);
    let probes = machine.plans.probes(&key).filter(|_| replaced.is_none());
    let places = machine.plans.places(&key).filter(|_| replaced.is_none());
    let marks = Marks { probes, contents: machine.plans.contents(&key), places };
    decode(method, constants, &source, marks).map_err(|error| verify_error(error.to_string()))
}

/// Pushes a frame for this code. Inlined, so that the frame is not assembled in memory first, which would stall
/// the copy.
#[inline(always)]
fn push_code(
    machine: &mut Machine,
    code: Rc<Code>,
    arguments: u32,
    base: u32,
    purpose: Purpose,
    symbolic: bool,
) -> Step<()> {
    let top = base + code.max_locals as u32;
    let too_deep = top as usize + code.max_stack as usize + STACK_RESERVE > STACK_SLOTS;
    if too_deep || machine.registers.frames.len() >= machine.limits.frames {
        return Err(Trap::Raise("java/lang/StackOverflowError", None));
    }
    // Remains of earlier frames must neither keep objects alive nor be taken for shadows.
    for slot in base + arguments..top {
        machine.stack.set(slot, 0);
    }
    if symbolic {
        for slot in base + arguments..top {
            machine.stack.set_shadow(slot, 0);
        }
    }
    let serial = machine.registers.frame_count;
    machine.registers.frame_count = serial.wrapping_add(1);
    let is_initializing = matches!(purpose, Purpose::Initializer(_)) || machine.is_initializing();
    machine.registers.frames.push(Frame {
        code,
        pc: 0,
        base,
        sp: top,
        symbolic,
        purpose,
        is_initializing,
        monitor: 0,
        serial,
    });
    Ok(())
}

/// Whether the current instruction is `invokeinterface` in its class file.
fn calls_by_interface(machine: &Machine) -> bool {
    let Some(frame) = machine.registers.frames.last() else { return false };
    let loaded = machine.method(frame.code.method);
    let offset = frame.code.offsets.get(frame.pc as usize).copied().unwrap_or(u32::MAX);
    let file = machine.class(loaded.class).file.as_ref();
    let own = || file.and_then(|file| file.code(file.methods.get(loaded.index)?).ok()?);
    machine
        .classes
        .replacement(frame.code.method)
        .or_else(own)
        .and_then(|code| Opcode::from_byte(*code.bytecode.get(offset as usize)?))
        .is_some_and(|opcode| opcode.action() == Action::Invoke(Invocation::Interface))
}

/// The receiver of a call whose arguments begin at this slot.
fn receiver_at(machine: &Machine, method: MethodId, args: u32) -> Option<crate::Addr> {
    (!machine.method(method).is_static()).then(|| machine.stack.get(args) as crate::Addr)
}

fn no_code(machine: &mut Machine, method: MethodId, receiver: Option<crate::Addr>) -> Trap {
    let name = machine.method_name(method);
    match machine.method(method).body {
        MethodBody::Missing => {
            machine.natives.note_missing(name.clone());
            machine.note_unknown_native(method);
            let shown = format!("'{}'", machine.external_method(method));
            Trap::Raise("java/lang/UnsatisfiedLinkError", Some(shown))
        }
        _ => {
            let receiver = receiver.filter(|object| *object != 0).map(|object| machine.class_of(object));
            let by_interface = calls_by_interface(machine);
            machine.abstract_method_error(method, receiver, by_interface)
        }
    }
}

/// Invokes a method that is synchronized or watched.
fn invoke_with_care(
    machine: &mut Machine,
    method: MethodId,
    code: Rc<Code>,
    args: u32,
    slots: u32,
    symbolic: bool,
) -> Step<()> {
    if machine.method(method).is_synchronized() {
        let frames = machine.registers.frames.len();
        invoke_synchronized(machine, method, code, args, slots, symbolic)?;
        // It may have to wait for the monitor: then it is invoked again.
        let is_in = machine.registers.frames.len() == frames + 1
            && machine
                .registers
                .frames
                .last()
                .is_some_and(|frame| frame.code.method == method && frame.pc == 0);
        if is_in && machine.method(method).watched {
            machine.report_entry(method);
        }
        return Ok(());
    }
    machine.current_mut().sp = args;
    match push_code(machine, code, slots, args, Purpose::Call, symbolic) {
        Ok(()) => {
            machine.report_entry(method);
            Ok(())
        }
        Err(trap) => {
            machine.current_mut().sp = args + slots;
            Err(trap)
        }
    }
}

/// Invokes a synchronized method. It first enters the monitor, for which the thread may have to wait.
fn invoke_synchronized(
    machine: &mut Machine,
    method: MethodId,
    code: Rc<Code>,
    args: u32,
    slots: u32,
    symbolic: bool,
) -> Step<()> {
    let (class, is_static) = (machine.method(method).class, machine.method(method).is_static());
    let receiver = machine.stack.get(args) as crate::memory::Addr;
    let object = machine.monitor_of(class, is_static, receiver)?;
    if machine.is_due_before_monitor(object) {
        return machine.block(crate::threads::StopReason::Ready);
    }
    if !machine.try_enter(object) {
        return machine.block(crate::threads::StopReason::Entering(object));
    }
    machine.current_mut().sp = args;
    match push_code(machine, code, slots, args, Purpose::Call, symbolic) {
        Ok(()) => {
            machine.current_mut().monitor = object;
            Ok(())
        }
        Err(trap) => {
            machine.current_mut().sp = args + slots;
            machine.leave_monitor(object)?;
            Err(trap)
        }
    }
}

fn invoke_native(
    machine: &mut Machine,
    method: MethodId,
    native: crate::natives::NativeFn,
    args: u32,
    slots: u32,
    symbolic: bool,
) -> Step<()> {
    if symbolic && !native.symbolic {
        concretize_arguments(machine, method, args)?;
    }
    if machine.listener.is_on() && machine.listener.scope().natives {
        machine.report_native_call(method, args);
    }
    let outcome = match (native.run)(machine, &Args { base: args, symbolic, method }) {
        Err(trap @ Trap::Raise(..)) => {
            machine.natives.set_raising(Some(method));
            return Err(trap);
        }
        other => other?,
    };
    machine.finish_decisions();
    match outcome {
        NativeOutcome::Value(value) => {
            let kind = machine.method(method).result;
            machine.current_mut().sp = args;
            machine.push_result(value, kind);
            machine.current_mut().pc += 1;
            Ok(())
        }
        NativeOutcome::Block(why) => {
            machine.current_mut().sp = args;
            machine.current_mut().pc += 1;
            machine.block(why)
        }
        NativeOutcome::Call(target, arguments) => {
            debug_assert!(slots as usize + STACK_RESERVE > arguments.len());
            place_arguments(machine, target, args, &arguments);
            let slots = machine.method(target).argument_slots as u32;
            machine.current_mut().sp = args + slots;
            machine.invoke(target, args)
        }
        NativeOutcome::Forward(target) => {
            debug_assert_eq!(machine.method(target).argument_slots as u32, slots);
            machine.invoke(target, args)
        }
    }
}

/// Concretizes the symbolic arguments of a method that does not support symbols.
fn concretize_arguments(machine: &mut Machine, method: MethodId, args: u32) -> Step<()> {
    let mut slot = args + !machine.method(method).is_static() as u32;
    for kind in machine.method(method).parameters.clone() {
        let shadow = machine.stack.shadow(slot);
        if shadow != 0 {
            let bits = machine.stack.get(slot);
            machine.concretize(Value { bits, shadow }, kind)?;
        }
        slot += kind.slots() as u32;
    }
    Ok(())
}

/// Writes arguments (receiver first) into the slots from `base`. Shadows are written too.
fn place_arguments(machine: &mut Machine, method: MethodId, base: u32, arguments: &[Value]) {
    if arguments.iter().any(|a| a.shadow != 0) {
        machine.make_symbolic();
    }
    let loaded = machine.method(method);
    let receiver = (!loaded.is_static()).then_some(Kind::Reference);
    let kinds: Vec<Kind> = receiver.into_iter().chain(loaded.parameters.iter().copied()).collect();
    let mut slot = base;
    for (kind, value) in kinds.into_iter().zip(arguments) {
        machine.stack.set(slot, value.bits);
        machine.stack.set_shadow(slot, value.shadow);
        if kind.slots() == 2 {
            machine.stack.set_shadow(slot + 1, 0);
        }
        slot += kind.slots() as u32;
    }
}

impl Machine {
    /// Pushes an entry frame that only returns: code that runs above it, such as static initialisers, ends
    /// there.
    pub(crate) fn push_barrier(&mut self) -> Step<()> {
        let object = ClassId(self.classes.well_known.object);
        let stub = Code {
            method: MethodId(0),
            class: object,
            insns: [CodeSlot::new(Insn { op: Op::Return, a: 0, b: 0 }, 0)].into(),
            offsets: [0].into(),
            max_locals: 0,
            max_stack: 2,
            handlers: Box::default(),
            wide: Box::default(),
            switches: Box::default(),
            checks: Box::default(),
            calls: RefCell::default(),
            heat: Default::default(),
        };
        let base = self.stack_top() as u32;
        push_code(self, Rc::new(stub), 0, base, Purpose::Entry, false)
    }
}
