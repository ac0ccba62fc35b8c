//! Translates the decoded code of a method to machine code.
//!
//! Locals and operands live in variables of Cranelift, that is, in registers. If an instruction meets anything
//! out of the ordinary (null, an index out of bounds, a shadow, a safepoint, an exception), compiled code ends
//! *before* it: an exit writes locals and operands to their slots, and the interpreter runs the instruction. So
//! everything that can fail, decide or wait is implemented once, in the interpreter, and results are the same
//! to the last bit.

use super::context::{Cells, Record};
use super::helpers::{HELPERS, Helper};
use super::offsets::at;
use super::reps::{Blocks, Rep, Reps, Successors, next};
use crate::code::{Code, CodeSlot};
use crate::machine::Machine;
use cranelift_codegen::ir::types::{F32, F64, I32, I64};
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, AliasRegionData, Block, FuncRef, InstBuilder, MemFlagsData, SigRef, Signature,
    StackSlot, StackSlotData, StackSlotKind, Type, Value,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, Variable};
use std::mem::size_of;

/// A slot of the operand stack as it is held; `None` is the second slot of a long or double.
pub(super) type Operand = Option<(Value, Rep)>;

/// The state before an instruction, for its exit.
pub(super) struct Exit {
    pub(super) block: Block,
    pub(super) pc: u32,
    pub(super) locals: Vec<Option<Rep>>,
    pub(super) stack: Vec<Operand>,
}

/// A frame to be written back because a call out of it did not return: only the slots below the call's
/// arguments.
pub(super) struct Unwinding {
    pub(super) block: Block,
    pub(super) locals: Vec<Option<Rep>>,
    pub(super) stack: Vec<Operand>,
}

/// The translation of one method.
pub(super) struct Translation<'a, 'f> {
    pub(super) b: FunctionBuilder<'f>,
    pub(super) machine: &'a Machine,
    pub(super) code: &'a Code,
    pub(super) blocks: &'a Blocks,
    /// Whether memory may hold shadows.
    pub(super) guarded: bool,
    pub(super) function: u32,
    pub(super) helpers: Vec<Option<FuncRef>>,
    pub(super) import: &'a mut dyn FnMut(Helper, &mut cranelift_codegen::ir::Function) -> FuncRef,
    pub(super) cells: &'a mut Cells,
    pub(super) method_signature: SigRef,
    pub(super) vm: Value,
    pub(super) base: Value,
    /// Address of the first local.
    pub(super) frame: Value,
    pub(super) depth: Value,
    pub(super) entry: Value,
    pub(super) record: StackSlot,
    /// Whether the code calls anything that can inspect frames.
    pub(super) calls: bool,
    pub(super) words: Variable,
    pub(super) fuel: Variable,
    pub(super) local_variables: Vec<[Option<Variable>; 4]>,
    pub(super) stack_variables: Vec<[Option<Variable>; 4]>,
    pub(super) targets: Vec<Option<Block>>,
    pub(super) locals: Vec<Option<Rep>>,
    pub(super) stack: Vec<Operand>,
    pub(super) pc: u32,
    pub(super) exits: Vec<Exit>,
    /// The exit of the instruction being translated, if it has one already.
    pub(super) exit: Option<Block>,
    pub(super) unwindings: Vec<Unwinding>,
    /// Objects whose addresses have been checked in this block.
    pub(super) checked: Vec<Value>,
    pub(super) leave: Block,
    /// Whether the code after the current instruction is unreachable.
    pub(super) ended: bool,
}

/// Flags of an access to memory of the machine that cannot fail.
pub(super) fn flags(region: Region) -> MemFlagsData {
    MemFlagsData::trusted().with_alias_region(Some(AliasRegion::from_u32(region as u32)))
}

/// Disjoint parts of the host's memory: an access to one does not affect another.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub(super) enum Region {
    Heap,
    Machine,
    Table,
}

/// Memory of Java's objects.
pub(super) const HEAP: Region = Region::Heap;
/// Fields of the machine.
pub(super) const VM: Region = Region::Machine;
/// Slots, tables and cells.
pub(super) const TABLE: Region = Region::Table;

/// The signature of compiled methods: machine, first slot, frames below, and entry; state and result.
pub(super) fn method_signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([AbiParam::new(I64); 4]);
    signature.returns.extend([AbiParam::new(I64); 2]);
    signature
}

fn type_of(rep: Rep) -> Type {
    match rep {
        Rep::Int => I32,
        Rep::Word => I64,
        Rep::Float => F32,
        Rep::Double => F64,
    }
}

/// What a translation is made from.
pub(super) struct TranslationInput<'a> {
    pub(super) machine: &'a Machine,
    pub(super) code: &'a Code,
    pub(super) blocks: &'a Blocks,
    pub(super) guarded: bool,
    pub(super) function: u32,
    pub(super) config: TargetFrontendConfig,
}

impl<'a, 'f> Translation<'a, 'f> {
    /// Translates the method into the function under construction.
    pub(super) fn run(
        mut b: FunctionBuilder<'f>,
        source: TranslationInput<'a>,
        import: &'a mut dyn FnMut(Helper, &mut cranelift_codegen::ir::Function) -> FuncRef,
        cells: &'a mut Cells,
    ) {
        let TranslationInput { machine, code, blocks, guarded, function, config } = source;
        for region in [HEAP, VM, TABLE] {
            let data = AliasRegionData { user_id: region as u32, description: format!("{region:?}").into() };
            b.func.dfg.alias_regions.insert(data);
        }
        let start = b.create_block();
        b.append_block_params_for_function_params(start);
        b.switch_to_block(start);
        let [vm, base, depth, entry] = [0, 1, 2, 3].map(|at| b.block_params(start)[at]);
        let (words, fuel) = (b.declare_var(I64), b.declare_var(I64));
        let slots = b.ins().load(I64, flags(VM).with_readonly(), vm, at::SLOTS);
        let offset = b.ins().ishl_imm_u(base, 3);
        let frame = b.ins().iadd(slots, offset);
        let convention = b.func.signature.call_conv;
        let method_signature = b.import_signature(method_signature(convention));
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size_of::<Record>() as u32, 3);
        let record = b.create_sized_stack_slot(data);
        let leave = b.create_block();
        b.append_block_param(leave, I64);
        b.set_cold_block(leave);
        let targets =
            blocks.starts.iter().map(|start| start.as_ref().map(|_| b.create_block())).collect::<Vec<_>>();
        let calls = code.insns.iter().any(|place| super::reps::sees_frames(place.insn().op));
        let mut it = Translation {
            b,
            machine,
            code,
            blocks,
            guarded,
            function,
            helpers: vec![None; HELPERS.len()],
            import,
            cells,
            method_signature,
            vm,
            base,
            frame,
            depth,
            entry,
            record,
            calls,
            words,
            fuel,
            local_variables: vec![[None; 4]; code.max_locals as usize],
            stack_variables: Vec::new(),
            targets,
            locals: Vec::new(),
            stack: Vec::new(),
            pc: 0,
            exits: Vec::new(),
            exit: None,
            unwindings: Vec::new(),
            checked: Vec::new(),
            leave,
            ended: false,
        };
        it.enter();
        for at in 0..code.insns.len() {
            if it.targets[at].is_some() {
                it.block(at as u32);
            }
        }
        it.write_exits();
        it.b.seal_all_blocks();
        it.b.finalize(config);
    }

    /// Translates one basic block.
    pub(super) fn block(&mut self, first: u32) {
        let (Some(block), Some(reps)) =
            (self.targets[first as usize], self.blocks.starts[first as usize].clone())
        else {
            return;
        };
        self.b.switch_to_block(block);
        self.checked.clear();
        self.locals = reps.locals.clone();
        self.stack = Vec::new();
        for (at, rep) in reps.stack.iter().enumerate() {
            let operand = rep.map(|rep| {
                let variable = self.stack_variable(at, rep);
                (self.b.use_var(variable), rep)
            });
            self.stack.push(operand);
        }
        let mut at = first;
        loop {
            let place = &self.code.insns[at as usize];
            self.pc = at;
            self.exit = None;
            self.ended = false;
            debug_assert_eq!(place.top as usize, self.code.max_locals as usize + self.stack.len(), "at {at}");
            self.instruction(place);
            if self.ended {
                return;
            }
            at = self.pc + 1;
            if self.targets.get(at as usize).is_none_or(Option::is_some) {
                let reps = self.blocks.starts[at as usize].clone().expect("a target has representations");
                self.jump_to(at, &reps);
                return;
            }
        }
    }

    /// Continues at the beginning of a block; the current block ends.
    pub(super) fn go_to(&mut self, target: u32) {
        let reps = self.blocks.starts[target as usize].clone().expect("a target has representations");
        self.jump_to(target, &reps);
        self.ended = true;
    }

    pub(super) fn jump_to(&mut self, target: u32, reps: &Reps) {
        for (local, wanted) in reps.locals.iter().enumerate() {
            let Some(wanted) = *wanted else { continue };
            let value = match self.locals[local] {
                Some(held) if held == wanted => continue,
                Some(_) => {
                    let held = self.local(local);
                    self.convert(held, wanted)
                }
                None => self.zero(wanted),
            };
            self.define_local(local, wanted, value);
        }
        for (at, wanted) in reps.stack.iter().enumerate() {
            let Some(wanted) = *wanted else { continue };
            let value = match self.stack[at] {
                Some((value, held)) => self.convert((value, held), wanted),
                None => self.zero(wanted),
            };
            let variable = self.stack_variable(at, wanted);
            self.b.def_var(variable, value);
        }
        let block = self.targets[target as usize].expect("a target is a block");
        self.b.ins().jump(block, &[]);
    }

    /// The instruction after this one, unless a block begins there.
    pub(super) fn following(&self) -> Option<&'a CodeSlot> {
        let at = self.pc as usize + 1;
        if self.targets.get(at)?.is_some() {
            return None;
        }
        self.code.insns.get(at)
    }

    /// The successors of the current instruction.
    pub(super) fn next(&self) -> Successors {
        next(&self.code.insns[self.pc as usize])
    }

    // Values.

    pub(super) fn variable(table: &mut [Option<Variable>; 4], b: &mut FunctionBuilder, rep: Rep) -> Variable {
        *table[rep as usize].get_or_insert_with(|| b.declare_var(type_of(rep)))
    }

    pub(super) fn stack_variable(&mut self, at: usize, rep: Rep) -> Variable {
        if self.stack_variables.len() <= at {
            self.stack_variables.resize(at + 1, [None; 4]);
        }
        Self::variable(&mut self.stack_variables[at], &mut self.b, rep)
    }

    pub(super) fn define_local(&mut self, local: usize, rep: Rep, value: Value) {
        let variable = Self::variable(&mut self.local_variables[local], &mut self.b, rep);
        self.b.def_var(variable, value);
        self.locals[local] = Some(rep);
    }

    /// The value of a local as it is held.
    pub(super) fn local(&mut self, local: usize) -> (Value, Rep) {
        match self.locals[local] {
            Some(rep) => {
                let variable = Self::variable(&mut self.local_variables[local], &mut self.b, rep);
                (self.b.use_var(variable), rep)
            }
            None => (self.zero(Rep::Word), Rep::Word),
        }
    }

    pub(super) fn zero(&mut self, rep: Rep) -> Value {
        match rep {
            Rep::Int => self.b.ins().iconst(I32, 0),
            Rep::Word => self.b.ins().iconst(I64, 0),
            Rep::Float => self.b.ins().f32const(0.0),
            Rep::Double => self.b.ins().f64const(0.0),
        }
    }

    /// The value held in another way.
    pub(super) fn convert(&mut self, (value, held): (Value, Rep), wanted: Rep) -> Value {
        if held == wanted {
            return value;
        }
        let word = match held {
            Rep::Word => value,
            Rep::Int => self.b.ins().uextend(I64, value),
            Rep::Double => self.b.ins().bitcast(I64, MemFlagsData::new(), value),
            Rep::Float => {
                let bits = self.b.ins().bitcast(I32, MemFlagsData::new(), value);
                if wanted == Rep::Int {
                    return bits;
                }
                self.b.ins().uextend(I64, bits)
            }
        };
        match wanted {
            Rep::Word => word,
            Rep::Double => self.b.ins().bitcast(F64, MemFlagsData::new(), word),
            Rep::Int => self.b.ins().ireduce(I32, word),
            Rep::Float => {
                let bits = if held == Rep::Int { value } else { self.b.ins().ireduce(I32, word) };
                self.b.ins().bitcast(F32, MemFlagsData::new(), bits)
            }
        }
    }

    /// The operand this many slots below the top, in this representation.
    pub(super) fn operand(&mut self, depth: usize, rep: Rep) -> Value {
        match self.stack[self.stack.len() - depth] {
            Some(operand) => self.convert(operand, rep),
            None => self.zero(rep),
        }
    }

    pub(super) fn pop(&mut self, slots: usize) {
        self.stack.truncate(self.stack.len() - slots);
    }

    pub(super) fn push(&mut self, value: Value, rep: Rep) {
        self.stack.push(Some((value, rep)));
    }

    pub(super) fn push_wide(&mut self, value: Value, rep: Rep) {
        self.stack.extend([Some((value, rep)), None]);
    }

    // Memory.

    pub(super) fn load_vm(&mut self, kind: Type, offset: i32) -> Value {
        self.b.ins().load(kind, flags(VM), self.vm, offset)
    }

    pub(super) fn store_vm(&mut self, value: Value, offset: i32) {
        self.b.ins().store(flags(VM), value, self.vm, offset);
    }

    pub(super) fn load_slot(&mut self, slot: usize, rep: Rep) -> Value {
        self.b.ins().load(type_of(rep), flags(TABLE), self.frame, slot as i32 * 8)
    }

    /// Writes a value to its slot, all of its 64 bits.
    pub(super) fn store_slot(&mut self, slot: usize, operand: (Value, Rep)) {
        let value = match operand.1 {
            Rep::Double => operand.0,
            _ => self.convert(operand, Rep::Word),
        };
        self.b.ins().store(flags(TABLE), value, self.frame, slot as i32 * 8);
    }

    pub(super) fn words(&mut self) -> Value {
        self.b.use_var(self.words)
    }

    /// Whether code has to look for shadows in memory.
    pub(super) fn guarded(&self) -> bool {
        self.guarded
    }

    /// Records that an address is checked here; returns whether this is the first check in this block.
    pub(super) fn note_checked(&mut self, object: Value) -> bool {
        let is_new = !self.checked.contains(&object);
        if is_new {
            self.checked.push(object);
        }
        is_new
    }

    pub(super) fn locals_now(&self) -> Vec<Option<Rep>> {
        self.locals.clone()
    }

    pub(super) fn set_locals(&mut self, locals: Vec<Option<Rep>>) {
        self.locals = locals;
    }
}
