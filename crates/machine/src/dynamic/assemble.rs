//! An assembler for code that the machine generates.
//!
//! It emits decoded instructions ([`Insn`]) with all operands resolved, and tracks the height of the operand
//! stack. Jumps occur only where the operand stack is empty, or where [`Assembler::bind_at`] states its height
//! for both sides.

use crate::classes::{ClassId, Kind, MethodId};
use crate::code::heights::{Change, Flow, heights, is_conditional_jump};
use crate::code::{CallSite, Code, CodeSlot, Handler, Insn, Op};
use crate::dynamic::recipe::Recipe;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use std::cell::RefCell;

/// A place in the code, perhaps not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label(usize);

/// How a method is invoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvocationKind {
    /// A static call, without receiver.
    Static,
    /// Exactly this method.
    Direct,
    /// Whatever overrides it in the receiver's class.
    Virtual,
}

/// Code under construction.
pub(crate) struct Assembler {
    insns: Vec<Insn>,
    /// The effect of each instruction on the operand stack.
    changes: Vec<Change>,
    wide: Vec<u64>,
    calls: Vec<CallSite>,
    handlers: Vec<(Label, Label, Label, Option<Box<str>>)>,
    labels: Vec<u32>,
    recipes: Vec<Recipe>,
    /// First local of each parameter, receiver included.
    parameters: Vec<(u16, Kind)>,
    locals: u16,
    depth: u16,
    deepest: u16,
}

impl Assembler {
    /// Code with these parameters, receiver included.
    pub(crate) fn new(parameters: &[Kind]) -> Assembler {
        let mut assembler = Assembler {
            insns: Vec::new(),
            changes: Vec::new(),
            wide: Vec::new(),
            calls: Vec::new(),
            handlers: Vec::new(),
            labels: Vec::new(),
            recipes: Vec::new(),
            parameters: Vec::new(),
            locals: 0,
            depth: 0,
            deepest: 0,
        };
        for kind in parameters {
            let local = assembler.local(*kind);
            assembler.parameters.push((local, *kind));
        }
        assembler
    }

    /// Code of an instance method with these parameters.
    pub(crate) fn instance(parameters: &[Kind]) -> Assembler {
        let all: Vec<Kind> = [Kind::Reference].into_iter().chain(parameters.iter().copied()).collect();
        Assembler::new(&all)
    }

    /// A new local.
    pub(crate) fn local(&mut self, kind: Kind) -> u16 {
        let local = self.locals;
        self.locals += kind.slots();
        local
    }

    fn emit(&mut self, op: Op, a: u16, b: i32, change: Change) {
        self.insns.push(Insn { op, a, b });
        self.changes.push(change);
        self.depth = change.after(self.depth).unwrap_or(0);
        self.deepest = self.deepest.max(self.depth);
    }

    /// Emits an operation whose effect on the operand stack follows from its opcode.
    fn emit_op(&mut self, op: Op, a: u16, b: i32) {
        self.emit(op, a, b, Change::of(op));
    }

    /// An instruction without operands.
    pub(crate) fn op(&mut self, op: Op) {
        self.emit_op(op, 0, 0);
    }

    /// Pushes an int.
    pub(crate) fn int(&mut self, value: i32) {
        self.emit_op(Op::IConst, 0, value);
    }

    /// Pushes a long, or a double by its bits.
    pub(crate) fn wide(&mut self, bits: u64) {
        self.wide.push(bits);
        self.emit_op(Op::LConst, 0, self.wide.len() as i32 - 1);
    }

    /// Pushes the zero of a kind.
    pub(crate) fn zero(&mut self, kind: Kind) {
        match kind {
            Kind::Reference => self.op(Op::AConstNull),
            Kind::Long | Kind::Double => self.wide(0),
            Kind::Void => {}
            _ => self.int(0),
        }
    }

    /// Pushes a constant reference.
    pub(crate) fn constant(&mut self, recipe: Recipe) {
        self.recipes.push(recipe);
        self.emit(Op::Ldc, 0, self.recipes.len() as i32 - 1, Change::new(0, 1));
    }

    /// Pushes a string.
    pub(crate) fn text(&mut self, text: &str) {
        self.constant(Recipe::Text(text.encode_utf16().collect()));
    }

    /// Pushes a local.
    pub(crate) fn load(&mut self, local: u16, kind: Kind) {
        if kind.slots() == 2 {
            self.emit_op(Op::Load2, local, 0);
        } else {
            self.emit_op(Op::Load1, local, 0);
        }
    }

    /// Pops into a local.
    pub(crate) fn store(&mut self, local: u16, kind: Kind) {
        if kind.slots() == 2 {
            self.emit_op(Op::Store2, local, 0);
        } else {
            self.emit_op(Op::Store1, local, 0);
        }
    }

    /// Pushes a parameter (0 is the receiver of an instance method).
    pub(crate) fn parameter(&mut self, index: usize) {
        let (local, kind) = self.parameters[index];
        self.load(local, kind);
    }

    /// Pushes `this`.
    pub(crate) fn this(&mut self) {
        self.parameter(0);
    }

    /// Pops a value of this kind.
    pub(crate) fn pop(&mut self, kind: Kind) {
        match kind.slots() {
            0 => {}
            1 => self.op(Op::Pop),
            _ => self.op(Op::Pop2),
        }
    }

    /// `getfield`.
    pub(crate) fn get_field(&mut self, offset: u16, kind: Kind) {
        let op = if kind.slots() == 2 { Op::GetField2 } else { Op::GetField1 };
        self.emit(op, offset, 0, Change::new(1, kind.slots()));
    }

    /// `putfield`.
    pub(crate) fn put_field(&mut self, offset: u16, kind: Kind) {
        let change = Change::new(1 + kind.slots(), 0);
        match kind {
            Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short => {
                self.emit(Op::PutFieldNarrow, offset, kind as i32, change);
            }
            Kind::Long | Kind::Double => self.emit(Op::PutField2, offset, 0, change),
            _ => self.emit(Op::PutField1, offset, 0, change),
        }
    }

    /// `getstatic`.
    pub(crate) fn get_static(&mut self, class: ClassId, offset: u16, kind: Kind) {
        let op = if kind.slots() == 2 { Op::GetStatic2 } else { Op::GetStatic1 };
        self.emit(op, offset, class.0 as i32, Change::new(0, kind.slots()));
    }

    /// `putstatic`.
    pub(crate) fn put_static(&mut self, class: ClassId, offset: u16, kind: Kind) {
        let change = Change::new(kind.slots(), 0);
        let class = class.0 as i32;
        match kind {
            Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short => {
                self.emit(Op::PutStaticNarrow, offset, class << 4 | kind as i32, change);
            }
            Kind::Long | Kind::Double => self.emit(Op::PutStatic2, offset, class, change),
            _ => self.emit(Op::PutStatic1, offset, class, change),
        }
    }

    /// `new`.
    pub(crate) fn new_object(&mut self, class: ClassId) {
        self.emit_op(Op::New, 0, class.0 as i32);
    }

    /// `newarray` of an array class.
    pub(crate) fn new_array(&mut self, array: ClassId) {
        self.emit_op(Op::NewArray, 0, array.0 as i32);
    }

    /// `checkcast`.
    pub(crate) fn cast(&mut self, class: ClassId) {
        self.emit_op(Op::CheckCast, 0, class.0 as i32);
    }

    /// `instanceof`.
    pub(crate) fn instance_of(&mut self, class: ClassId) {
        self.emit_op(Op::InstanceOf, 0, class.0 as i32);
    }

    /// Element of an array of this kind.
    pub(crate) fn array_load(&mut self, kind: Kind) {
        let op = match kind {
            Kind::Boolean | Kind::Byte => Op::BALoad,
            Kind::Char => Op::CALoad,
            Kind::Short => Op::SALoad,
            Kind::Int => Op::IALoad,
            Kind::Long => Op::LALoad,
            Kind::Float => Op::FALoad,
            Kind::Double => Op::DALoad,
            _ => Op::AALoad,
        };
        self.op(op);
    }

    /// Store into an array of this kind.
    pub(crate) fn array_store(&mut self, kind: Kind) {
        let op = match kind {
            Kind::Boolean | Kind::Byte => Op::BAStore,
            Kind::Char => Op::CAStore,
            Kind::Short => Op::SAStore,
            Kind::Int => Op::IAStore,
            Kind::Long => Op::LAStore,
            Kind::Float => Op::FAStore,
            Kind::Double => Op::DAStore,
            _ => Op::AAStore,
        };
        self.op(op);
    }

    /// Returns a value of this kind.
    pub(crate) fn ret(&mut self, kind: Kind) {
        let op = match kind.slots() {
            0 => Op::Return,
            1 => Op::Return1,
            _ => Op::Return2,
        };
        self.op(op);
    }

    /// A label to be bound later.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() - 1)
    }

    /// A label for the next instruction.
    pub(crate) fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    /// Binds a label to the next instruction; the operand stack is unchanged.
    pub(crate) fn bind(&mut self, label: Label) {
        self.labels[label.0] = self.insns.len() as u32;
    }

    /// Binds a label that is reached with this many slots on the operand stack.
    pub(crate) fn bind_at(&mut self, label: Label, depth: u16) {
        self.bind(label);
        self.depth = depth;
        self.deepest = self.deepest.max(depth);
    }

    /// A jump; targets are labels until [`Assembler::finish`].
    pub(crate) fn jump(&mut self, op: Op, label: Label) {
        self.emit_op(op, 0, label.0 as i32);
    }

    /// Exceptions of this class in `start..end` go to `target`.
    pub(crate) fn handler(&mut self, start: Label, end: Label, target: Label, class: Option<&str>) {
        self.handlers.push((start, end, target, class.map(Box::from)));
    }

    /// Invokes a loaded method.
    pub(crate) fn invoke(&mut self, machine: &Machine, method: MethodId, call: InvocationKind) {
        let loaded = machine.method(method);
        let (op, a) = match call {
            InvocationKind::Static => (Op::InvokeStatic, 0),
            InvocationKind::Direct => (Op::InvokeDirect, 0),
            InvocationKind::Virtual if loaded.is_private() => (Op::InvokeDirect, 0),
            InvocationKind::Virtual => match loaded.virtual_index.map(u16::try_from) {
                Some(Ok(slot)) => (Op::InvokeVirtual, slot),
                _ => (Op::InvokeInterface, 0),
            },
        };
        let argument_slots = loaded.argument_slots;
        self.calls.push(CallSite { method, argument_slots, cached: None });
        let change = Change::new(argument_slots, loaded.result.slots());
        self.emit(op, a, self.calls.len() as i32 - 1, change);
    }

    /// Invokes a method by name.
    ///
    /// # Errors
    /// `NoSuchMethodError` and missing classes.
    pub(crate) fn invoke_named(
        &mut self,
        machine: &mut Machine,
        call: InvocationKind,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Step<()> {
        let class = machine.load(class)?;
        let Some(method) = machine.find_method(class, name, descriptor) else {
            let message = format!("{}.{name}{descriptor}", machine.class(class).name);
            return Err(Trap::Raise("java/lang/NoSuchMethodError", Some(message)));
        };
        self.invoke(machine, method, call);
        Ok(())
    }

    /// `new` of a class by name.
    pub(crate) fn new_object_of(&mut self, machine: &mut Machine, class: &str) -> Step<()> {
        let class = machine.load(class)?;
        self.new_object(class);
        Ok(())
    }

    /// The finished code, whose constants are numbered from `first_recipe` on.
    pub(crate) fn finish(self, method: MethodId, class: ClassId, first_recipe: usize) -> (Code, Vec<Recipe>) {
        let mut insns = self.insns;
        // As in decoded bytecode, execution past the end must not leave the array.
        insns.push(Insn { op: Op::Trap, a: 0, b: 0 });
        for insn in &mut insns {
            if insn.op == Op::Goto || is_conditional_jump(insn.op) {
                insn.b = self.labels[insn.b as usize] as i32;
            } else if insn.op == Op::Ldc {
                insn.b += first_recipe as i32;
            }
        }
        let at = |label: Label| self.labels[label.0];
        let handlers: Box<[Handler]> = self
            .handlers
            .iter()
            .map(|(start, end, target, class)| Handler {
                start: at(*start),
                end: at(*end),
                target: at(*target),
                class_name: class.clone(),
            })
            .collect();
        let mut changes = self.changes;
        changes.push(Change::NONE);
        let flow = Flow { switches: &[], handlers: &handlers, max_stack: self.deepest + 2 };
        let heights = heights(&insns, &changes, &flow);
        debug_assert!(heights.is_ok(), "{heights:?} in {insns:?}");
        let heights = heights.unwrap_or_else(|_| vec![0; insns.len()]);
        let tops = heights.into_iter().map(|height| self.locals as u32 + height as u32);
        let code = Code {
            method,
            class,
            offsets: vec![0; insns.len()].into(),
            insns: insns.into_iter().zip(tops).map(|(insn, top)| CodeSlot::new(insn, top)).collect(),
            max_locals: self.locals,
            max_stack: self.deepest + 2,
            handlers,
            wide: self.wide.into(),
            switches: Box::default(),
            checks: Box::default(),
            calls: RefCell::new(self.calls),
            heat: Default::default(),
        };
        code.fuse();
        (code, self.recipes)
    }
}
