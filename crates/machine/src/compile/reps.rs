//! The kinds of registers that hold values in compiled code. A pass over the code determines them for each
//! local and each slot of the operand stack at the start of each basic block.
//!
//! Only speed depends on it. A slot has 64 bits whatever it holds, and every representation can be converted to
//! every other without loss, so where paths disagree, the 64 bits are used as they are.

use crate::classes::Kind;
use crate::code::{Code, CodeSlot, Op};
use crate::machine::Machine;
use cupping_classfile::{Effect, Opcode, StackType};

/// The representation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rep {
    /// An int, in 32 bits.
    Int,
    /// A long, a reference, or any slot as it is.
    Word,
    /// A float.
    Float,
    /// A double.
    Double,
}

impl Rep {
    /// The representation of results and arguments of this kind.
    pub(super) fn of(kind: Kind) -> Rep {
        match kind {
            Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short | Kind::Int => Rep::Int,
            Kind::Float => Rep::Float,
            Kind::Double => Rep::Double,
            Kind::Long | Kind::Reference | Kind::Void => Rep::Word,
        }
    }

    /// The representation of operands of this type.
    fn of_stack_type(ty: StackType) -> Rep {
        match ty {
            StackType::Int => Rep::Int,
            StackType::Float => Rep::Float,
            StackType::Double => Rep::Double,
            StackType::Long | StackType::Reference | StackType::Address => Rep::Word,
        }
    }
}

/// Locals and operands at the start of a block; `None` is a slot that has not been written: a local is 0 then,
/// and the second slot of a long or double is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reps {
    pub(super) locals: Vec<Option<Rep>>,
    pub(super) stack: Vec<Option<Rep>>,
}

impl Reps {
    /// Merges the representations of two paths; returns whether that changed `self`.
    fn join(&mut self, other: &Reps) -> bool {
        let mut changed = false;
        let pairs = self.locals.iter_mut().zip(&other.locals).chain(self.stack.iter_mut().zip(&other.stack));
        for (mine, theirs) in pairs {
            let joined = match (*mine, *theirs) {
                (None, rep) | (rep, None) => rep,
                (Some(a), Some(b)) if a == b => Some(a),
                _ => Some(Rep::Word),
            };
            changed |= joined != *mine;
            *mine = joined;
        }
        changed
    }

    fn pop(&mut self, slots: usize) {
        self.stack.truncate(self.stack.len().saturating_sub(slots));
    }

    fn push(&mut self, rep: Rep) {
        self.stack.push(Some(rep));
    }

    fn push_wide(&mut self, rep: Rep) {
        self.stack.extend([Some(rep), None]);
    }

    fn top(&self, depth: usize) -> Option<Rep> {
        self.stack.len().checked_sub(depth).and_then(|at| self.stack[at])
    }
}

/// The basic blocks of a method that are reached without an exception.
pub(super) struct Blocks {
    /// Representations at the start of each block, by the index of its first instruction.
    pub(super) starts: Vec<Option<Reps>>,
    /// Blocks at which the interpreter may enter, in order: targets of backward jumps, and requested ones.
    pub(super) entries: Vec<u32>,
    /// Which locals are ever written.
    pub(super) written: Vec<bool>,
}

/// The successors of an instruction.
pub(super) enum Successors {
    /// Control goes to the next instruction.
    Through,
    /// Control goes to the next instruction or to a target.
    Branch(u32),
    /// Control goes to a target.
    Jump(u32),
    /// Control goes to one of several targets.
    Switch(usize),
    /// Compiled code ends here.
    End,
}

/// The successors of this instruction.
pub(super) fn next(place: &CodeSlot) -> Successors {
    use Op::*;
    let insn = place.insn();
    match insn.op {
        IfEq | IfNe | IfLt | IfGe | IfGt | IfLe | IfICmpEq | IfICmpNe | IfICmpLt | IfICmpGe | IfICmpGt
        | IfICmpLe | IfACmpEq | IfACmpNe | IfNull | IfNonNull => Successors::Branch(insn.b as u32),
        Goto => Successors::Jump(insn.b as u32),
        Op::Switch => Successors::Switch(insn.b as usize),
        Return | Return1 | Return2 | AThrow | Trap | Jsr | Ret => Successors::End,
        op if !is_compiled(op) => Successors::End,
        _ => Successors::Through,
    }
}

/// Whether this operation is compiled; compiled code exits at all others.
pub(super) fn is_compiled(op: Op) -> bool {
    use Op::*;
    !matches!(
        op,
        Unresolved | Ldc | Jsr | Ret | Pause | Require | Access | ElementAccess | Turn | Trap | AThrow
    )
}

/// Whether a method with this operation is not compiled at all: recording at each step costs more than compiled
/// code can save.
pub(super) fn forbids(op: Op) -> bool {
    use Op::*;
    matches!(op, Jsr | Ret | Pause | Require | Access | ElementAccess | Turn)
}

/// Whether an instruction may run code that inspects the frames below.
pub(super) fn sees_frames(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        InvokeStatic
            | InvokeDirect
            | InvokeVirtual
            | InvokeInterface
            | InvokeDynamic
            | MonitorEnter
            | MonitorExit
            | MultiANewArray
    )
}

impl Blocks {
    /// Finds the blocks, with entries at the wanted instructions. `None` if the height of the stack differs
    /// somewhere from that in the code, as where the machine enters a method.
    pub(super) fn of(machine: &Machine, code: &Code, wanted: &[u32]) -> Option<Blocks> {
        let count = code.insns.len();
        let mut leaders = vec![false; count];
        let mut pass = Pass {
            machine,
            code,
            starts: vec![None; count],
            entries: Vec::new(),
            written: vec![false; code.max_locals as usize],
            waiting: vec![0],
            is_consistent: true,
        };
        for (at, place) in code.insns.iter().enumerate() {
            let targets: Vec<u32> = match next(place) {
                Successors::Branch(target) => vec![target, at as u32 + 1],
                Successors::Jump(target) => vec![target],
                Successors::Switch(table) => {
                    let table = &code.switches[table];
                    table.cases.iter().map(|case| case.1).chain([table.default]).collect()
                }
                Successors::End | Successors::Through => Vec::new(),
            };
            for target in targets {
                if let Some(leader) = leaders.get_mut(target as usize) {
                    *leader = true;
                }
            }
        }
        for &at in wanted {
            leaders[at as usize] = true;
        }
        pass.starts[0] = Some(pass.at_entry());
        pass.walk_all(&leaders);
        // The others are reached by exceptions, or through unresolved instructions: their slots are taken as
        // they are.
        for &at in wanted {
            if pass.starts[at as usize].is_none() {
                pass.starts[at as usize] = pass.at_any(at);
                pass.waiting.push(at);
                pass.walk_all(&leaders);
            }
        }
        let Pass { starts, mut entries, written, is_consistent, .. } = pass;
        entries.extend(wanted.iter().filter(|at| **at != 0 && starts[**at as usize].is_some()));
        entries.sort_unstable();
        entries.dedup();
        let blocks = Blocks { starts, entries, written };
        is_consistent.then_some(blocks)
    }
}

struct Pass<'m> {
    machine: &'m Machine,
    code: &'m Code,
    starts: Vec<Option<Reps>>,
    entries: Vec<u32>,
    written: Vec<bool>,
    waiting: Vec<u32>,
    is_consistent: bool,
}

impl Pass<'_> {
    /// The arguments where the method begins.
    fn at_entry(&self) -> Reps {
        let method = self.machine.method(self.code.method);
        let receiver = (!method.is_static()).then_some(Kind::Reference);
        let mut locals = vec![None; self.code.max_locals as usize];
        let mut at = 0;
        for kind in receiver.into_iter().chain(method.parameters.iter().copied()) {
            if let Some(local) = locals.get_mut(at) {
                *local = Some(Rep::of(kind));
            }
            at += kind.slots() as usize;
        }
        Reps { locals, stack: Vec::new() }
    }

    /// Unknown representations for as many slots as the stack has at this instruction.
    fn at_any(&self, at: u32) -> Option<Reps> {
        let locals = self.code.max_locals as usize;
        let operands = (self.code.insns[at as usize].top as usize).checked_sub(locals)?;
        Some(Reps { locals: vec![Some(Rep::Word); locals], stack: vec![Some(Rep::Word); operands] })
    }

    fn walk_all(&mut self, leaders: &[bool]) {
        while let Some(block) = self.waiting.pop() {
            self.walk(block, leaders);
        }
    }

    fn walk(&mut self, block: u32, leaders: &[bool]) {
        let Some(mut reps) = self.starts[block as usize].clone() else { return };
        let mut at = block;
        loop {
            let place = &self.code.insns[at as usize];
            if place.top as usize != reps.locals.len() + reps.stack.len() {
                self.is_consistent = false;
                return;
            }
            self.apply(place, &mut reps);
            match next(place) {
                Successors::Through => {}
                Successors::Branch(target) => {
                    self.flow(at, target, &reps);
                    self.flow(at, at + 1, &reps);
                    return;
                }
                Successors::Jump(target) => return self.flow(at, target, &reps),
                Successors::Switch(table) => {
                    let code = self.code;
                    let table = &code.switches[table];
                    for target in table.cases.iter().map(|case| case.1).chain([table.default]) {
                        self.flow(at, target, &reps);
                    }
                    return;
                }
                Successors::End => return,
            }
            at += 1;
            if leaders.get(at as usize).copied().unwrap_or(true) {
                return self.flow(at - 1, at, &reps);
            }
        }
    }

    fn flow(&mut self, from: u32, to: u32, reps: &Reps) {
        let Some(start) = self.starts.get_mut(to as usize) else { return };
        if to <= from {
            self.entries.push(to);
        }
        let changed = match start {
            Some(known) => known.join(reps),
            none => {
                *none = Some(reps.clone());
                true
            }
        };
        if changed {
            self.waiting.push(to);
        }
    }

    fn set_local(&mut self, local: u16, rep: Option<Rep>, reps: &mut Reps) {
        if let Some(known) = reps.locals.get_mut(local as usize) {
            *known = rep.or(Some(Rep::Word));
            self.written[local as usize] = true;
        }
    }

    /// Applies the effect of an instruction to the representations.
    fn apply(&mut self, place: &CodeSlot, reps: &mut Reps) {
        use Op::*;
        let insn = place.insn();
        match insn.op {
            Load1 => reps.stack.push(reps.locals[insn.a as usize].or(Some(Rep::Word))),
            Load2 => reps.push_wide(reps.locals[insn.a as usize].unwrap_or(Rep::Word)),
            Store1 => {
                self.set_local(insn.a, reps.top(1), reps);
                reps.pop(1);
            }
            Store2 => {
                self.set_local(insn.a, reps.top(2), reps);
                reps.pop(2);
            }
            IInc => self.set_local(insn.a, Some(Rep::Int), reps),
            InvokeVirtual | InvokeDirect | InvokeStatic | InvokeInterface | InvokeDynamic => {
                let site = self.code.calls.borrow()[insn.b as usize];
                let result = self.machine.method(site.method).result;
                reps.pop(site.argument_slots as usize);
                match result.slots() {
                    0 => {}
                    1 => reps.push(Rep::of(result)),
                    _ => reps.push_wide(Rep::of(result)),
                }
            }
            MultiANewArray => {
                reps.pop(insn.a as usize);
                reps.push(Rep::Word);
            }
            op if shuffle(op, &mut reps.stack) => {}
            op => {
                let (pops, result) = effect(op);
                reps.pop(pops);
                match result.map(|result| (Rep::of_stack_type(result), result.is_wide())) {
                    Some((rep, false)) => reps.push(rep),
                    Some((rep, true)) => reps.push_wide(rep),
                    None => {}
                }
            }
        }
    }
}

/// Applies `dup`, `swap`, `pop` or a similar operation to a stack, as the table of opcodes says; returns whether the
/// operation is one of these.
pub(super) fn shuffle<T: Clone>(op: Op, stack: &mut Vec<T>) -> bool {
    let Some(Effect::Shuffle(shuffle)) = op.opcode().map(Opcode::effect) else { return false };
    shuffle.apply(stack).is_some()
}

/// The number of slots that an operation pops, and its result. Both follow from the table of opcodes, except for
/// accesses of resolved fields and constants, whose types are part of the operation. Calls and `multianewarray` pop a
/// variable number of operands and are handled elsewhere.
fn effect(op: Op) -> (usize, Option<StackType>) {
    use Op::*;
    use StackType::{Long, Reference};
    match op {
        // Slots of these have an unknown type: a reference stands for one slot as it is, a long for two.
        LdcCached | GetStatic1 => (0, Some(Reference)),
        GetStatic2 => (0, Some(Long)),
        GetField1 => (1, Some(Reference)),
        GetField2 => (1, Some(Long)),
        PutStatic1 | PutStaticNarrow => (1, None),
        PutStatic2 | PutField1 | PutFieldNarrow => (2, None),
        PutField2 => (3, None),
        _ => match op.opcode().map(Opcode::effect) {
            Some(effect @ Effect::Values { pushes, .. }) => {
                let pops = effect.slots().map_or(0, |(pops, _)| usize::from(pops));
                (pops, pushes.first().and_then(|item| item.stack_type()))
            }
            _ => (0, None),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(op: Op) -> (usize, Option<(Rep, u16)>) {
        let (pops, result) = effect(op);
        (pops, result.map(|result| (Rep::of_stack_type(result), result.slots())))
    }

    #[test]
    fn results_have_the_registers_of_their_types() {
        assert_eq!(change(Op::IAdd), (2, Some((Rep::Int, 1))));
        assert_eq!(change(Op::LShl), (3, Some((Rep::Word, 2))));
        assert_eq!(change(Op::FALoad), (2, Some((Rep::Float, 1))));
        assert_eq!(change(Op::L2D), (2, Some((Rep::Double, 2))));
        assert_eq!(change(Op::DCmpG), (4, Some((Rep::Int, 1))));
        assert_eq!(change(Op::New), (0, Some((Rep::Word, 1))));
        assert_eq!(change(Op::InstanceOf), (1, Some((Rep::Int, 1))));
        assert_eq!(change(Op::LAStore), (4, None));
        assert_eq!(change(Op::IfICmpLt), (2, None));
        assert_eq!(change(Op::Switch), (1, None));
        assert_eq!(change(Op::GetField2), (1, Some((Rep::Word, 2))));
        assert_eq!(change(Op::PutField2), (3, None));
    }

    #[test]
    fn operations_without_an_opcode_change_nothing() {
        for op in [Op::Pause, Op::Require, Op::Access, Op::Turn, Op::Trap] {
            assert_eq!((op.opcode(), effect(op)), (None, (0, None)), "{op:?}");
        }
    }

    #[test]
    fn slots_are_shuffled_as_the_table_says() {
        let shuffled = |op| {
            let mut stack = vec!['a', 'b', 'c', 'd'];
            shuffle(op, &mut stack).then(|| stack.into_iter().collect::<String>())
        };
        assert_eq!(shuffled(Op::Dup).as_deref(), Some("abcdd"));
        assert_eq!(shuffled(Op::DupX2).as_deref(), Some("adbcd"));
        assert_eq!(shuffled(Op::Dup2X1).as_deref(), Some("acdbcd"));
        assert_eq!(shuffled(Op::Swap).as_deref(), Some("abdc"));
        assert_eq!(shuffled(Op::Pop2).as_deref(), Some("ab"));
        assert_eq!(shuffled(Op::IAdd), None);
    }
}
