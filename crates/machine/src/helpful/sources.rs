//! Which instruction pushed each operand: one abstract run over a method, as HotSpot makes it.
//!
//! Instructions are taken in the order of the code until each reachable one has been seen; where ways meet, an
//! operand that comes from different instructions comes from none.

use cupping_classfile::{
    ClassFile, Code, Constant, FieldType, Instruction, MethodDescriptor, Opcode, Operand, instructions,
};
use std::collections::BTreeMap;

/// An operand whose source is not one instruction.
const UNKNOWN: u32 = u32::MAX;
/// Local variables whose writes are followed; others count as written.
const TRACKED_LOCALS: u16 = 64;
/// Bound of the work, in operands copied: what is longer gets no message.
const MAX_OPERANDS: usize = 1_000_000;

/// What is known before an instruction.
#[derive(Clone, Default)]
pub(super) struct State {
    /// The pc that pushed each slot of the operand stack.
    stack: Vec<u32>,
    /// The local variables that may have been written, a bit each.
    written: u64,
}

impl State {
    /// The pc that pushed the slot at this depth below the top.
    pub(super) fn operand(&self, depth: usize) -> Option<u32> {
        let at = self.stack.len().checked_sub(depth + 1)?;
        Some(self.stack[at]).filter(|pc| *pc != UNKNOWN)
    }

    /// Whether a local variable may hold something else than what it held on entry.
    pub(super) fn was_written(&self, slot: u16) -> bool {
        slot >= TRACKED_LOCALS || self.written >> slot & 1 != 0
    }

    fn pop(&mut self, slots: usize) {
        self.stack.truncate(self.stack.len().saturating_sub(slots));
    }

    fn push(&mut self, pc: u32, slots: usize) {
        self.stack.extend(std::iter::repeat_n(pc, slots));
    }

    fn write(&mut self, slot: u16, slots: u16) {
        for slot in slot..slot.saturating_add(slots).min(TRACKED_LOCALS) {
            self.written |= 1 << slot;
        }
    }

    /// Puts copies of the top `count` slots below the `below` slots under them.
    fn duplicate(&mut self, count: usize, below: usize) {
        let Some(at) = self.stack.len().checked_sub(count + below) else { return };
        let top = self.stack[self.stack.len() - count..].to_vec();
        self.stack.splice(at..at, top);
    }

    fn merge(&mut self, other: &State) {
        self.written |= other.written;
        for (mine, theirs) in self.stack.iter_mut().zip(&other.stack) {
            if *mine != *theirs {
                *mine = UNKNOWN;
            }
        }
    }
}

/// What is known before each instruction of a method.
pub(super) struct Sources {
    instructions: Vec<Instruction>,
    states: BTreeMap<u32, State>,
}

impl Sources {
    /// Runs over the method until the instruction at `wanted` is known; `None` if its code is malformed.
    pub(super) fn new(file: &ClassFile, code: &Code, wanted: u32) -> Option<Sources> {
        let instructions: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
        let mut states = BTreeMap::from([(0, State::default())]);
        for handler in &code.exception_table {
            let pc = u32::from(handler.handler);
            states.entry(pc).or_insert(State { stack: vec![pc], written: 0 });
        }
        let mut sources = Sources { instructions, states };
        let mut work = 0;
        loop {
            let known = sources.states.len();
            for index in 0..sources.instructions.len() {
                let pc = sources.instructions[index].pc;
                if pc == wanted && sources.states.contains_key(&pc) {
                    return Some(sources);
                }
                work += sources.pass(file, index)?;
                if work > MAX_OPERANDS {
                    return None;
                }
            }
            if sources.states.len() == known {
                return Some(sources);
            }
        }
    }

    /// What is known before the instruction at `pc`.
    pub(super) fn at(&self, pc: u32) -> Option<&State> {
        self.states.get(&pc)
    }

    /// The instruction at `pc`.
    pub(super) fn instruction(&self, pc: u32) -> Option<&Instruction> {
        let at = self.instructions.binary_search_by_key(&pc, |i| i.pc).ok()?;
        self.instructions.get(at)
    }

    /// Hands what holds behind an instruction on to those that can follow it.
    fn pass(&mut self, file: &ClassFile, index: usize) -> Option<usize> {
        let instruction = &self.instructions[index];
        let Some(mut state) = self.states.get(&instruction.pc).cloned() else { return Some(0) };
        apply(file, instruction, &mut state)?;
        let falls_through = !instruction.opcode.ends_path();
        let targets = instruction.targets();
        let behind = falls_through.then(|| instruction.next_pc());
        for target in targets.into_iter().chain(behind) {
            match self.states.get_mut(&target) {
                Some(known) => known.merge(&state),
                None => {
                    self.states.insert(target, state.clone());
                }
            }
        }
        Some(state.stack.len() + 1)
    }
}

/// The constant that an instruction names.
pub(super) fn constant_of<'a>(file: &'a ClassFile, instruction: &Instruction) -> Option<Constant<'a>> {
    match instruction.operand {
        Operand::Constant(index)
        | Operand::InvokeInterface { constant: index, .. }
        | Operand::MultiArray { constant: index, .. } => file.constant(index).ok(),
        _ => None,
    }
}

/// The local variable that an instruction pushes.
pub(super) fn loaded_local(instruction: &Instruction) -> Option<u16> {
    use Opcode::*;
    match (instruction.opcode, &instruction.operand) {
        (Iload | Lload | Fload | Dload | Aload, Operand::Local(slot)) => Some(*slot),
        // Four each of `iload_0`, `lload_0`, …
        (opcode, _) if (Iload0 as u8..=Aload3 as u8).contains(&(opcode as u8)) => {
            Some(u16::from(opcode as u8 - Iload0 as u8) % 4)
        }
        _ => None,
    }
}

fn apply(file: &ClassFile, instruction: &Instruction, state: &mut State) -> Option<()> {
    use Opcode::*;
    let (pc, opcode) = (instruction.pc, instruction.opcode);
    let code = opcode as u8;
    match opcode {
        Nop | Checkcast | Goto | GotoW | Ret | Return => {}
        Lconst0 | Lconst1 | Dconst0 | Dconst1 | Ldc2W | Lload | Dload => state.push(pc, 2),
        AconstNull | IconstM1 | Iconst0 | Iconst1 | Iconst2 | Iconst3 | Iconst4 | Iconst5 | Fconst0
        | Fconst1 | Fconst2 | Bipush | Sipush | Ldc | LdcW | Iload | Fload | Aload | New | Jsr | JsrW => {
            state.push(pc, 1);
        }
        _ if (Iload0 as u8..=Aload3 as u8).contains(&code) => {
            let wide = matches!((code - Iload0 as u8) / 4, 1 | 3);
            state.push(pc, 1 + wide as usize);
        }
        Laload | Daload => replace(state, 2, pc, 2),
        Iaload | Faload | Aaload | Baload | Caload | Saload => replace(state, 2, pc, 1),
        Istore | Fstore | Astore | Lstore | Dstore => {
            let Operand::Local(slot) = instruction.operand else { return None };
            let slots = 1 + matches!(opcode, Lstore | Dstore) as u16;
            store(state, slot, slots);
        }
        _ if (Istore0 as u8..=Astore3 as u8).contains(&code) => {
            let form = code - Istore0 as u8;
            store(state, u16::from(form % 4), 1 + matches!(form / 4, 1 | 3) as u16);
        }
        Lastore | Dastore => state.pop(4),
        Iastore | Fastore | Aastore | Bastore | Castore | Sastore => state.pop(3),
        Pop => state.pop(1),
        Pop2 => state.pop(2),
        Dup => state.duplicate(1, 0),
        DupX1 => state.duplicate(1, 1),
        DupX2 => state.duplicate(1, 2),
        Dup2 => state.duplicate(2, 0),
        Dup2X1 => state.duplicate(2, 1),
        Dup2X2 => state.duplicate(2, 2),
        Swap => {
            let top = state.stack.len();
            if top >= 2 {
                state.stack.swap(top - 1, top - 2);
            }
        }
        Iinc => {
            let Operand::LocalIncrement { local, .. } = instruction.operand else { return None };
            state.write(local, 1);
        }
        Iadd | Isub | Imul | Idiv | Irem | Iand | Ior | Ixor | Ishl | Ishr | Iushr | Fadd | Fsub | Fmul
        | Fdiv | Frem | Fcmpl | Fcmpg | L2i | L2f | D2i | D2f => replace(state, 2, pc, 1),
        Ladd | Lsub | Lmul | Ldiv | Lrem | Land | Lor | Lxor | Dadd | Dsub | Dmul | Ddiv | Drem => {
            replace(state, 4, pc, 2);
        }
        Lshl | Lshr | Lushr => replace(state, 3, pc, 2),
        Ineg | Fneg | I2f | F2i | I2b | I2c | I2s | Arraylength | Instanceof | Newarray | Anewarray => {
            replace(state, 1, pc, 1);
        }
        Lneg | Dneg | L2d | D2l => replace(state, 2, pc, 2),
        I2l | I2d | F2l | F2d => replace(state, 1, pc, 2),
        Lcmp | Dcmpl | Dcmpg => replace(state, 4, pc, 1),
        Ifeq | Ifne | Iflt | Ifge | Ifgt | Ifle | Ifnull | Ifnonnull | Tableswitch | Lookupswitch
        | Monitorenter | Monitorexit | Ireturn | Freturn | Areturn | Athrow => state.pop(1),
        IfIcmpeq | IfIcmpne | IfIcmplt | IfIcmpge | IfIcmpgt | IfIcmple | IfAcmpeq | IfAcmpne | Lreturn
        | Dreturn => state.pop(2),
        Getstatic | Putstatic | Getfield | Putfield => {
            let Constant::Field { descriptor, .. } = constant_of(file, instruction)? else { return None };
            let slots = FieldType::parse(&descriptor)?.slots() as usize;
            match opcode {
                Getstatic => state.push(pc, slots),
                Putstatic => state.pop(slots),
                Getfield => replace(state, 1, pc, slots),
                _ => state.pop(slots + 1),
            }
        }
        Invokevirtual | Invokespecial | Invokestatic | Invokeinterface | Invokedynamic => {
            let descriptor = match constant_of(file, instruction)? {
                Constant::Method { descriptor, .. } | Constant::InvokeDynamic { descriptor, .. } => {
                    descriptor
                }
                _ => return None,
            };
            let descriptor = MethodDescriptor::parse(&descriptor)?;
            let receiver = !matches!(opcode, Invokestatic | Invokedynamic) as usize;
            let result = descriptor.result.as_ref().map_or(0, |ty| ty.slots() as usize);
            replace(state, descriptor.parameter_slots() as usize + receiver, pc, result);
        }
        Multianewarray => {
            let Operand::MultiArray { dimensions, .. } = instruction.operand else { return None };
            replace(state, dimensions as usize, pc, 1);
        }
        _ => return None,
    }
    Some(())
}

fn replace(state: &mut State, popped: usize, pc: u32, pushed: usize) {
    state.pop(popped);
    state.push(pc, pushed);
}

fn store(state: &mut State, slot: u16, slots: u16) {
    state.write(slot, slots);
    state.pop(slots as usize);
}
