//! Bytecode to [`Code`]: one pass over the decoded instructions, then targets become indices.
//!
//! The row of an opcode in `cupping_classfile` says what an instruction does. This file only chooses the [`Op`]
//! that performs it and packs the operands.

use crate::classes::{ClassId, MethodId};
use crate::code::heights::{Change, Flow, heights};
use crate::code::turns::{self, mark_before};
use crate::code::{Code, CodeSlot, Handler, Insn, Op, Switch};
use crate::recording::data_flow::{ContentsAccess, FieldKeys, is_setting};
use cupping_classfile::{
    Action, ClassFile, Constant, Instruction, Literal, Opcode, Operand, StackType, instructions,
};
use cupping_coverage::{CheckSite, ProbePlan};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The instrumentation inserted between a method's instructions.
#[derive(Clone, Copy, Default)]
pub struct Marks<'a> {
    /// Probes of coverage.
    pub probes: Option<&'a ProbePlan>,
    /// Accesses to what fields hold, by offset.
    pub contents: Option<&'a BTreeMap<u32, ContentsAccess>>,
    /// Places at which runs may pause: numbers by offset.
    pub places: Option<&'a BTreeMap<u32, u32>>,
}

/// The parts of a `Code` attribute that decoding reads.
pub struct DecoderInput<'a> {
    /// The bytecode.
    pub bytes: &'a [u8],
    /// Slots for locals.
    pub max_locals: u16,
    /// Slots for operands.
    pub max_stack: u16,
    /// The class file whose constant pool the code refers to.
    pub file: &'a ClassFile,
    /// Whether accesses to fields and elements are marked though no coverage is measured.
    pub record_flows: bool,
    /// The class that declares a field, by class, name and descriptor of an access, if it is found.
    pub declaring: Declaring<'a>,
    /// Whether accesses are marked as places where a turn may end.
    pub marks_turns: bool,
    /// Whether the class belongs to the JDK. Of its accesses to static fields, only those to settings are
    /// marked.
    pub from_jdk: bool,
    /// Exception table: start, end and handler offsets, class caught.
    pub handlers: Vec<(u32, u32, u32, Option<Box<str>>)>,
}

/// The reason why a method's code cannot be decoded: becomes a `VerifyError`.
#[derive(Debug, thiserror::Error)]
#[error("bad code at offset {offset}: {what}")]
pub struct DecodeError {
    /// Offset in the bytecode.
    pub offset: u32,
    /// What is wrong.
    pub what: Cow<'static, str>,
}

type Declaring<'a> = &'a dyn Fn(&str, &str, &str) -> Option<Arc<str>>;
/// Switches and handlers with targets as indices.
type LinkedTables = (Box<[Switch]>, Box<[Handler]>);

/// Decodes the code of a method.
///
/// # Errors
/// Unknown opcodes, truncated instructions and jumps to no instruction.
pub fn decode(
    method: MethodId,
    class: ClassId,
    source: &DecoderInput<'_>,
    marks: Marks<'_>,
) -> Result<Code, DecodeError> {
    let mut decoder = Decoder {
        file: source.file,
        length: source.bytes.len(),
        record_flows: source.record_flows,
        declaring: source.declaring,
        marks_turns: source.marks_turns,
        from_jdk: source.from_jdk,
        insns: Vec::with_capacity(source.bytes.len() / 2 + 2),
        changes: Vec::with_capacity(source.bytes.len() / 2 + 2),
        offsets: Vec::new(),
        index_of: vec![u32::MAX; source.bytes.len() + 1],
        wide: Vec::new(),
        switches: Vec::new(),
        checks: Vec::new(),
        jumps: Vec::new(),
        probes: marks.probes,
        contents: marks.contents,
        places: marks.places,
    };
    for instruction in instructions(source.bytes) {
        let instruction = instruction
            .map_err(|error| DecodeError { offset: error.pc, what: error.problem.into_string().into() })?;
        decoder.instruction(&instruction)?;
    }
    decoder.index_of[source.bytes.len()] = decoder.insns.len() as u32;
    let (switches, handlers) = decoder.link(source)?;
    // Execution past the end of the code must not leave the array.
    decoder.push(source.bytes.len() as u32, Op::Trap, 0, 0);
    let flow = Flow { switches: &switches, handlers: &handlers, max_stack: source.max_stack };
    let heights = heights(&decoder.insns, &decoder.changes, &flow).map_err(|misfit| DecodeError {
        offset: decoder.offsets.get(misfit.at).copied().unwrap_or(0),
        what: misfit.what.into(),
    })?;
    let tops = heights.into_iter().map(|height| source.max_locals as u32 + height as u32);
    Ok(Code {
        method,
        class,
        insns: decoder.insns.into_iter().zip(tops).map(|(insn, top)| CodeSlot::new(insn, top)).collect(),
        offsets: decoder.offsets.into(),
        max_locals: source.max_locals,
        max_stack: source.max_stack,
        handlers,
        wide: decoder.wide.into(),
        switches,
        checks: decoder.checks.into(),
        calls: RefCell::default(),
        heat: Default::default(),
    })
}

struct Decoder<'a> {
    file: &'a ClassFile,
    /// Bytes of code.
    length: usize,
    record_flows: bool,
    declaring: Declaring<'a>,
    marks_turns: bool,
    from_jdk: bool,
    insns: Vec<Insn>,
    /// The effect of each instruction on the operand stack.
    changes: Vec<Change>,
    offsets: Vec<u32>,
    index_of: Vec<u32>,
    wide: Vec<u64>,
    /// Operations with the offsets of their instructions. Targets are offsets until [`Decoder::link`].
    switches: Vec<(u32, Switch)>,
    checks: Vec<CheckSite>,
    /// Instructions whose `b` is a target offset, with the jump's own offset.
    jumps: Vec<(usize, u32)>,
    probes: Option<&'a ProbePlan>,
    contents: Option<&'a BTreeMap<u32, ContentsAccess>>,
    places: Option<&'a BTreeMap<u32, u32>>,
}

impl Decoder<'_> {
    /// Adds an instruction that does not change the operand stack: a mark.
    fn push(&mut self, at: u32, op: Op, a: u16, b: i32) {
        self.push_changing(at, op, a, b, Change::NONE);
    }

    fn push_changing(&mut self, at: u32, op: Op, a: u16, b: i32, change: Change) {
        self.insns.push(Insn { op, a, b });
        self.changes.push(change);
        self.offsets.push(at);
    }

    /// Adds an operation whose effect on the operand stack follows from its opcode.
    fn push_op(&mut self, at: u32, op: Op, a: u16, b: i32) {
        self.push_changing(at, op, a, b, Change::of(op));
    }

    fn push_wide(&mut self, at: u32, value: u64) {
        self.wide.push(value);
        self.push_op(at, Op::LConst, 0, self.wide.len() as i32 - 1);
    }

    fn literal(&mut self, at: u32, literal: Literal) {
        match literal {
            Literal::Null => self.push_op(at, Op::AConstNull, 0, 0),
            Literal::Int(value) => self.push_op(at, Op::IConst, 0, value),
            Literal::Float(value) => self.push_op(at, Op::IConst, 0, value.to_bits() as i32),
            Literal::Long(value) => self.push_wide(at, value as u64),
            Literal::Double(value) => self.push_wide(at, value.to_bits()),
        }
    }

    fn constant(&mut self, instruction: &Instruction) {
        let (at, constant) = (instruction.pc, instruction.constant(self.file));
        match constant.as_ref().and_then(Constant::literal) {
            Some(literal) => self.literal(at, literal),
            None => {
                let index = instruction.constant_index().unwrap_or(0);
                let slots = constant.and_then(|it| it.stack_type()).map_or(1, StackType::slots);
                self.push_changing(at, Op::Ldc, 0, index as i32, Change::new(0, slots));
            }
        }
    }

    /// Marks the access to a field in tracked code.
    fn access(&mut self, instruction: &Instruction) {
        if self.probes.is_none() && !self.record_flows {
            return;
        }
        let Some(Constant::Field { class, name, descriptor }) = instruction.constant(self.file) else {
            return;
        };
        let Some(ty) = StackType::of_descriptor(&descriptor) else { return };
        let declaring = (self.declaring)(&class, &name, &descriptor);
        let class = declaring.as_deref().unwrap_or(&class);
        let keys = FieldKeys::new(class, &name);
        let action = instruction.action();
        let is_write = matches!(action, Action::PutField | Action::PutStatic);
        let is_static = matches!(action, Action::GetStatic | Action::PutStatic);
        let is_tracked = self.probes.is_some();
        if self.from_jdk && !is_tracked && is_static && !is_setting(class, &name) {
            return;
        }
        let tracked = if is_tracked { 8 } else { 0 };
        let a = if is_write { ty.slots() } else { 0 } + if is_static { 4 } else { 0 } + tracked;
        let key = if is_static { keys.of_static } else { keys.of_object };
        self.push(instruction.pc, Op::Access, a, key as i32);
    }

    /// Marks the access to an array element.
    fn element_access(&mut self, at: u32, value_slots: u16) {
        if self.record_flows {
            self.push(at, Op::ElementAccess, value_slots, 0);
        }
    }

    /// Puts probes and marks before an instruction.
    fn marks(&mut self, at: u32) {
        if let Some(probe) = self.probes.and_then(|p| p.before.get(&at)) {
            self.push(at, Op::Probe, 0, *probe as i32);
        }
        self.index_of[at as usize] = self.insns.len() as u32;
        if let Some(place) = self.places.and_then(|p| p.get(&at)) {
            self.push(at, Op::Pause, 0, *place as i32);
        }
        if let Some(probe) = self.probes.and_then(|p| p.exit.get(&at)) {
            self.push(at, Op::Probe, 0, *probe as i32);
        }
        if let Some(site) = self.probes.and_then(|p| p.checks.get(&at)) {
            self.push(at, Op::Require, 0, self.checks.len() as i32);
            self.checks.push(site.clone());
        }
    }

    /// Marks an access to the contents of the object or array in a field.
    fn contents_access(&mut self, at: u32, is_element: bool, is_before: bool) {
        if let Some(access) = self.contents.and_then(|c| c.get(&at))
            && let Some(how) = access.mark(is_element, is_before)
        {
            self.push(at, Op::Access, how, access.field as i32);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), DecodeError> {
        let at = instruction.pc;
        self.marks(at);
        let mark = if self.marks_turns { mark_before(instruction, self.file, self.from_jdk) } else { None };
        if let Some((how, depth)) = mark {
            self.push(at, Op::Turn, how, depth);
        }
        let is_element = matches!(instruction.action(), Action::ArrayLoad(_) | Action::ArrayStore(_));
        self.contents_access(at, is_element, true);
        self.operation(instruction)?;
        self.contents_access(at, is_element, false);
        if self.marks_turns && turns::makes_object(instruction) {
            self.push(at, Op::Turn, turns::MADE, 1);
        }
        Ok(())
    }

    fn operation(&mut self, instruction: &Instruction) -> Result<(), DecodeError> {
        let (at, opcode) = (instruction.pc, instruction.opcode);
        let action = opcode.action();
        match action {
            Action::Constant => {
                // Each opcode of a constant has a literal.
                let Some(literal) = instruction.literal() else { return Err(no_operation(at)) };
                self.literal(at, literal);
                return Ok(());
            }
            Action::LoadConstant => {
                self.constant(instruction);
                return Ok(());
            }
            Action::GetField | Action::PutField | Action::GetStatic | Action::PutStatic => {
                self.access(instruction);
            }
            Action::ArrayLoad(_) => self.element_access(at, 0),
            Action::ArrayStore(element) => self.element_access(at, element.stack_type().slots()),
            _ => {}
        }
        if is_resolved_later(action) {
            self.unresolved(instruction);
            return Ok(());
        }
        let Some(op) = Op::of(opcode) else { return Err(no_operation(at)) };
        let local = instruction.local().unwrap_or(0);
        match &instruction.operand {
            Operand::LocalIncrement { by, .. } => self.push_op(at, op, local, i32::from(*by)),
            Operand::Branch(target) => {
                self.jumps.push((self.insns.len(), at));
                self.push_op(at, op, 0, *target as i32);
            }
            Operand::TableSwitch { default, low, targets } => {
                // The decoder has checked that the greatest value is an int.
                let cases = (0..).zip(targets.iter()).map(|(key, target)| (low.wrapping_add(key), *target));
                self.switch(at, op, cases.collect(), *default);
            }
            Operand::LookupSwitch { default, pairs } => self.switch(at, op, pairs.clone(), *default),
            _ => self.push_op(at, op, local, 0),
        }
        Ok(())
    }

    /// Adds an instruction that `resolve` replaces on first execution: `a` holds the opcode and, for
    /// `multianewarray`, the dimensions; `b` holds the index in the constant pool or the code of a primitive
    /// type.
    fn unresolved(&mut self, instruction: &Instruction) {
        let (dimensions, b) = match instruction.operand {
            Operand::MultiArray { constant, dimensions } => (u16::from(dimensions), i32::from(constant)),
            Operand::ArrayType(code) => (0, i32::from(code)),
            _ => (0, i32::from(instruction.constant_index().unwrap_or(0))),
        };
        let (pops, pushes) = instruction.slots(self.file).unwrap_or((0, 0));
        let a = instruction.opcode as u16 | dimensions << 8;
        self.push_changing(instruction.pc, Op::Unresolved, a, b, Change::new(pops, pushes));
    }

    fn switch(&mut self, at: u32, op: Op, cases: Box<[(i32, u32)]>, default: u32) {
        self.push_op(at, op, 0, self.switches.len() as i32);
        self.switches.push((at, Switch { cases, default }));
    }

    /// Turns target offsets into indices; edges with a probe get a trampoline at the end.
    fn link(&mut self, source: &DecoderInput<'_>) -> Result<LinkedTables, DecodeError> {
        for (index, at) in std::mem::take(&mut self.jumps) {
            let target = self.insns[index].b as u32;
            let probe = self.probes.and_then(|p| p.jump.get(&at)).copied();
            self.insns[index].b = self.edge(at, target, probe)? as i32;
        }
        let mut switches = Vec::with_capacity(self.switches.len());
        for (at, mut switch) in std::mem::take(&mut self.switches) {
            let mut made = BTreeMap::new();
            let targets = switch.cases.iter_mut().map(|(_, target)| target);
            for target in targets.chain(std::iter::once(&mut switch.default)) {
                let index = match made.get(target) {
                    Some(index) => *index,
                    None => {
                        let probe = self.probes.and_then(|p| p.switch.get(&(at, *target))).copied();
                        let index = self.edge(at, *target, probe)?;
                        made.insert(*target, index);
                        index
                    }
                };
                *target = index;
            }
            switches.push(switch);
        }
        let index = |offset: u32| self.index_of.get(offset as usize).copied().filter(|i| *i != u32::MAX);
        let bad = |offset: u32| DecodeError { offset, what: "bad row of the exception table".into() };
        let handlers = source
            .handlers
            .iter()
            .map(|(start, end, target, class_name)| {
                Ok(Handler {
                    start: index(*start).ok_or_else(|| bad(*start))?,
                    end: index(*end).ok_or_else(|| bad(*end))?,
                    target: index(*target)
                        .filter(|_| (*target as usize) < self.length)
                        .ok_or_else(|| bad(*target))?,
                    class_name: class_name.clone(),
                })
            })
            .collect::<Result<_, DecodeError>>()?;
        Ok((switches.into(), handlers))
    }

    fn edge(&mut self, at: u32, target: u32, probe: Option<u32>) -> Result<u32, DecodeError> {
        let index = self.index_of.get(target as usize).copied().filter(|i| *i != u32::MAX);
        let index = index
            .filter(|_| (target as usize) < self.length)
            .ok_or(DecodeError { offset: at, what: "jump target is not an instruction".into() })?;
        let Some(probe) = probe else { return Ok(index) };
        let trampoline = self.insns.len() as u32;
        self.push(at, Op::Probe, 0, probe as i32);
        self.push_op(at, Op::Goto, 0, index as i32);
        Ok(trampoline)
    }
}

fn no_operation(at: u32) -> DecodeError {
    DecodeError { offset: at, what: "no operation does this".into() }
}

/// Whether the operation is known only when the instruction first runs.
fn is_resolved_later(action: Action) -> bool {
    use Action::*;
    matches!(
        action,
        GetField
            | PutField
            | GetStatic
            | PutStatic
            | Invoke(_)
            | New
            | NewArray
            | NewMultiArray
            | CheckCast
            | InstanceOf
    )
}

impl Op {
    /// The operation of an opcode with its operands resolved. `None` if that depends on a constant: loads of
    /// constants, field accesses, calls.
    #[rustfmt::skip]
    pub(crate) const fn of(opcode: Opcode) -> Option<Op> {
        use Opcode::*;
        Some(match opcode {
            Nop => Op::Nop,
            AconstNull => Op::AConstNull,
            Iaload => Op::IALoad, Laload => Op::LALoad, Faload => Op::FALoad, Daload => Op::DALoad,
            Aaload => Op::AALoad, Baload => Op::BALoad, Caload => Op::CALoad, Saload => Op::SALoad,
            Iastore => Op::IAStore, Lastore => Op::LAStore, Fastore => Op::FAStore, Dastore => Op::DAStore,
            Aastore => Op::AAStore, Bastore => Op::BAStore, Castore => Op::CAStore, Sastore => Op::SAStore,
            Pop => Op::Pop, Pop2 => Op::Pop2, Dup => Op::Dup, DupX1 => Op::DupX1, DupX2 => Op::DupX2,
            Dup2 => Op::Dup2, Dup2X1 => Op::Dup2X1, Dup2X2 => Op::Dup2X2, Swap => Op::Swap,
            Iadd => Op::IAdd, Ladd => Op::LAdd, Fadd => Op::FAdd, Dadd => Op::DAdd,
            Isub => Op::ISub, Lsub => Op::LSub, Fsub => Op::FSub, Dsub => Op::DSub,
            Imul => Op::IMul, Lmul => Op::LMul, Fmul => Op::FMul, Dmul => Op::DMul,
            Idiv => Op::IDiv, Ldiv => Op::LDiv, Fdiv => Op::FDiv, Ddiv => Op::DDiv,
            Irem => Op::IRem, Lrem => Op::LRem, Frem => Op::FRem, Drem => Op::DRem,
            Ineg => Op::INeg, Lneg => Op::LNeg, Fneg => Op::FNeg, Dneg => Op::DNeg,
            Ishl => Op::IShl, Lshl => Op::LShl, Ishr => Op::IShr, Lshr => Op::LShr,
            Iushr => Op::IUShr, Lushr => Op::LUShr, Iand => Op::IAnd, Land => Op::LAnd,
            Ior => Op::IOr, Lor => Op::LOr, Ixor => Op::IXor, Lxor => Op::LXor,
            Iinc => Op::IInc,
            I2l => Op::I2L, I2f => Op::I2F, I2d => Op::I2D, L2i => Op::L2I, L2f => Op::L2F, L2d => Op::L2D,
            F2i => Op::F2I, F2l => Op::F2L, F2d => Op::F2D, D2i => Op::D2I, D2l => Op::D2L, D2f => Op::D2F,
            I2b => Op::I2B, I2c => Op::I2C, I2s => Op::I2S,
            Lcmp => Op::LCmp, Fcmpl => Op::FCmpL, Fcmpg => Op::FCmpG, Dcmpl => Op::DCmpL, Dcmpg => Op::DCmpG,
            Ifeq => Op::IfEq, Ifne => Op::IfNe, Iflt => Op::IfLt,
            Ifge => Op::IfGe, Ifgt => Op::IfGt, Ifle => Op::IfLe,
            IfIcmpeq => Op::IfICmpEq, IfIcmpne => Op::IfICmpNe, IfIcmplt => Op::IfICmpLt,
            IfIcmpge => Op::IfICmpGe, IfIcmpgt => Op::IfICmpGt, IfIcmple => Op::IfICmpLe,
            IfAcmpeq => Op::IfACmpEq, IfAcmpne => Op::IfACmpNe, Ifnull => Op::IfNull, Ifnonnull => Op::IfNonNull,
            Goto | GotoW => Op::Goto, Jsr | JsrW => Op::Jsr, Ret => Op::Ret,
            Tableswitch | Lookupswitch => Op::Switch,
            New => Op::New, Newarray | Anewarray => Op::NewArray, Multianewarray => Op::MultiANewArray,
            Arraylength => Op::ArrayLength, Athrow => Op::AThrow,
            Checkcast => Op::CheckCast, Instanceof => Op::InstanceOf,
            Monitorenter => Op::MonitorEnter, Monitorexit => Op::MonitorExit,
            _ => return Op::by_width(opcode),
        })
    }

    /// The operation of an opcode that treats all types of one width alike.
    const fn by_width(opcode: Opcode) -> Option<Op> {
        let is_wide = matches!(opcode.stack_type(), Some(StackType::Long | StackType::Double));
        Some(match (opcode.action(), opcode.stack_type()) {
            (Action::Constant, _) => {
                if is_wide {
                    Op::LConst
                } else {
                    Op::IConst
                }
            }
            (Action::Load, _) => {
                if is_wide {
                    Op::Load2
                } else {
                    Op::Load1
                }
            }
            (Action::Store, _) => {
                if is_wide {
                    Op::Store2
                } else {
                    Op::Store1
                }
            }
            (Action::Return, None) => Op::Return,
            (Action::Return, _) => {
                if is_wide {
                    Op::Return2
                } else {
                    Op::Return1
                }
            }
            _ => return None,
        })
    }
}
