//! The kinds of registers that hold values in compiled code. A pass over the code determines them for each
//! local and each slot of the operand stack at the start of each basic block.
//!
//! Only speed depends on it. A slot has 64 bits whatever it holds, and every representation can be converted to
//! every other without loss, so where paths disagree, the 64 bits are used as they are.

use crate::classes::Kind;
use crate::code::{Code, CodeSlot, Op};
use crate::machine::Machine;

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
            Dup => duplicate(&mut reps.stack, 1, 0),
            DupX1 => duplicate(&mut reps.stack, 1, 1),
            DupX2 => duplicate(&mut reps.stack, 1, 2),
            Dup2 => duplicate(&mut reps.stack, 2, 0),
            Dup2X1 => duplicate(&mut reps.stack, 2, 1),
            Dup2X2 => duplicate(&mut reps.stack, 2, 2),
            Swap => {
                let top = reps.stack.len();
                reps.stack.swap(top - 1, top - 2);
            }
            CheckCast => {}
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
            op => {
                let (pops, result) = effect(op);
                reps.pop(pops);
                match result {
                    Some((rep, 1)) => reps.push(rep),
                    Some((rep, _)) => reps.push_wide(rep),
                    None => {}
                }
            }
        }
    }
}

/// Copies the top `count` slots below the `depth` slots beneath them.
pub(super) fn duplicate<T: Clone>(stack: &mut Vec<T>, count: usize, depth: usize) {
    let top: Vec<T> = stack[stack.len() - count..].to_vec();
    let at = stack.len() - count - depth;
    stack.splice(at..at, top);
}

/// The number of slots that an operation pops, and the representation and slots of its result. Operations with
/// a variable number of operands are handled elsewhere.
fn effect(op: Op) -> (usize, Option<(Rep, u8)>) {
    use Op::*;
    use Rep::*;
    let (int, word, float, double) = (Some((Int, 1)), Some((Word, 1)), Some((Float, 1)), Some((Double, 2)));
    let long = Some((Word, 2));
    match op {
        AConstNull | Ldc | LdcCached | New => (0, word),
        IConst => (0, int),
        LConst => (0, long),
        IALoad | BALoad | CALoad | SALoad => (2, int),
        LALoad => (2, long),
        AALoad => (2, word),
        FALoad => (2, float),
        DALoad => (2, double),
        IAStore | FAStore | AAStore | BAStore | CAStore | SAStore => (3, None),
        LAStore | DAStore => (4, None),
        Pop
        | IfEq
        | IfNe
        | IfLt
        | IfGe
        | IfGt
        | IfLe
        | IfNull
        | IfNonNull
        | Op::Switch
        | Return1
        | AThrow
        | MonitorEnter
        | MonitorExit => (1, None),
        Pop2 | IfICmpEq | IfICmpNe | IfICmpLt | IfICmpGe | IfICmpGt | IfICmpLe | IfACmpEq | IfACmpNe
        | Return2 => (2, None),
        IAdd | ISub | IMul | IDiv | IRem | IAnd | IOr | IXor | IShl | IShr | IUShr => (2, int),
        FAdd | FSub | FMul | FDiv | FRem => (2, float),
        LAdd | LSub | LMul | LDiv | LRem | LAnd | LOr | LXor => (4, long),
        DAdd | DSub | DMul | DDiv | DRem => (4, double),
        LShl | LShr | LUShr => (3, long),
        INeg | I2B | I2C | I2S | F2I | ArrayLength | InstanceOf => (1, int),
        FNeg | I2F => (1, float),
        I2L | F2L => (1, long),
        I2D | F2D => (1, double),
        LNeg | D2L => (2, long),
        DNeg | L2D => (2, double),
        L2I | D2I => (2, int),
        L2F | D2F => (2, float),
        LCmp | DCmpL | DCmpG => (4, int),
        FCmpL | FCmpG => (2, int),
        GetField1 | NewArray => (1, word),
        GetField2 => (1, long),
        GetStatic1 => (0, word),
        GetStatic2 => (0, long),
        PutField1 | PutFieldNarrow => (2, None),
        PutField2 => (3, None),
        PutStatic1 | PutStaticNarrow => (1, None),
        PutStatic2 => (2, None),
        _ => (0, None),
    }
}
