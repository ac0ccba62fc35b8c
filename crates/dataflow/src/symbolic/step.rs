//! One instruction.

use super::state::THIS;
use super::{End, Evaluator, SymbolicState, narrowed, widened};
use crate::body::{Body, array_access, local, stores_local};
use crate::shuffle::{effect, shuffle};
use cupping_classfile::{Constant, Opcode, Operand};
use cupping_machine::Kind;
use cupping_term::{Sort, TermId};
use std::rc::Rc;

/// How a path goes on.
pub(crate) enum StepResult {
    /// It goes on.
    On,
    /// Several paths go on from here.
    Fork(Vec<SymbolicState>),
    /// It has ended.
    Ended(End),
    /// It is no path, or another stands for it.
    Dropped,
}

impl Evaluator<'_> {
    /// Executes the instruction that is due.
    pub(crate) fn step(&mut self, state: &mut SymbolicState) -> StepResult {
        let Some(frame) = state.frames.last() else { return StepResult::Dropped };
        let (body, at, is_own) = (frame.body.clone(), frame.at, frame.is_own);
        if !self.enter_loop(state, &body, at) {
            return StepResult::Dropped;
        }
        if is_own && let Some(method) = self.flat.method(body.method) {
            for id in self.accesses.at(method, at) {
                if self.accesses.all[*id].is_contents {
                    state.access(*id, true);
                }
            }
        }
        match self.execute(state, &body, at) {
            Some(going) => going,
            // Subroutines of old compilers, and code that the verifier refuses.
            None => {
                self.open.push(format!("{} has code that cannot be followed", body.name));
                let all = self.flat.method(body.method).map(|m| self.accesses_through(m));
                state.may_access(&all.unwrap_or_default());
                let defined = (0..self.flat.variables.len()).collect();
                self.forget(state, &defined);
                StepResult::Ended(End::Open)
            }
        }
    }

    fn execute(&mut self, state: &mut SymbolicState, body: &Rc<Body>, at: usize) -> Option<StepResult> {
        use Opcode::*;
        let instruction = &body.instructions[at];
        let opcode = instruction.opcode;
        let code = opcode as u8;
        let stack = &mut state.frame()?.stack;
        if shuffle(opcode, stack).is_some() {
            return self.go(state, body, at);
        }
        if let Some(number) = local(instruction) {
            return self.local(state, body, at, usize::from(number));
        }
        if let Some((is_store, _)) = array_access(opcode) {
            return self.element(state, body, at, is_store);
        }
        match opcode {
            Nop | Goto | GotoW | Checkcast => {}
            Monitorenter | Monitorexit => _ = state.pop()?,
            AconstNull => {
                let null = self.terms.int(0);
                state.push(null);
            }
            _ if (0x02..=0x08).contains(&code) => {
                let value = self.terms.int(i32::from(code) - 3);
                state.push(value);
            }
            Lconst0 | Lconst1 => {
                let value = self.terms.long(i64::from(code - 9));
                state.push_wide(value);
            }
            Fconst0 | Fconst1 | Fconst2 => {
                let value = self.terms.float(f32::from(code - 11));
                state.push(value);
            }
            Dconst0 | Dconst1 => {
                let value = self.terms.double(f64::from(code - 14));
                state.push_wide(value);
            }
            Bipush | Sipush => {
                let Operand::Immediate(value) = instruction.operand else { return None };
                let value = self.terms.int(i32::from(value));
                state.push(value);
            }
            Ldc | LdcW | Ldc2W => self.constant(state, body, at)?,
            _ if (0x60..=0x83).contains(&code) => return self.arithmetic(state, body, at),
            _ if (0x85..=0x98).contains(&code) => self.convert(state, opcode)?,
            Ifeq | Ifne | Iflt | Ifge | Ifgt | Ifle | Ifnull | Ifnonnull => {
                let value = state.pop()?;
                let zero = self.terms.int(0);
                let taken = self.comparison(state, opcode, value, zero);
                return self.branch(state, body, at, taken);
            }
            IfIcmpeq | IfIcmpne | IfIcmplt | IfIcmpge | IfIcmpgt | IfIcmple | IfAcmpeq | IfAcmpne => {
                let (b, a) = (state.pop()?, state.pop()?);
                let taken = self.comparison(state, opcode, a, b);
                return self.branch(state, body, at, taken);
            }
            Tableswitch | Lookupswitch => return self.switch(state, body, at),
            Return => return self.leave(state, None),
            Ireturn | Freturn | Areturn => {
                let value = state.pop()?;
                return self.leave(state, Some((value, false)));
            }
            Lreturn | Dreturn => {
                let value = state.pop_wide()?;
                return self.leave(state, Some((value, true)));
            }
            Getstatic | Putstatic | Getfield | Putfield => return self.field(state, body, at),
            Invokevirtual | Invokespecial | Invokestatic | Invokeinterface | Invokedynamic => {
                return self.call(state, body, at);
            }
            New => {
                let Constant::Class(name) = body.constant(at)? else { return None };
                let what = name.rsplit(['/', '$']).next().unwrap_or(&name).to_owned();
                let made = self.made(state, &what);
                state.classes.insert(made, name.as_ref().into());
                state.push(made);
            }
            Newarray | Anewarray => {
                let length = state.pop()?;
                let zero = self.terms.int(0);
                let fits = self.terms.sle(zero, length);
                let array = self.made(state, "array");
                state.lengths.insert(array, length);
                state.push(array);
                return self.require(state, body, at, fits, "java/lang/NegativeArraySizeException");
            }
            Multianewarray => {
                let Operand::MultiArray { dimensions, .. } = instruction.operand else { return None };
                let mut length = None;
                for _ in 0..dimensions {
                    length = Some(state.pop()?);
                }
                let array = self.made(state, "array");
                state.lengths.insert(array, length?);
                state.push(array);
            }
            Arraylength => {
                let array = state.pop()?;
                let length = self.length(state, array);
                state.push(length);
                let there = self.is_there(state, array);
                return self.require(state, body, at, there, "java/lang/NullPointerException");
            }
            Instanceof => {
                let object = state.pop()?;
                let zero = self.terms.int(0);
                let there = self.is_there(state, object);
                let unknown = self.unknown(state, Kind::Boolean, "instanceof");
                let value = self.terms.ite(there, unknown, zero);
                state.push(value);
            }
            Athrow => {
                let thrown = state.pop()?;
                let class = state.classes.get(&thrown).cloned();
                let states = self.raise(state.clone(), class.as_deref(), Some(thrown));
                return Some(StepResult::Fork(states));
            }
            _ => return None,
        }
        self.go(state, body, at)
    }

    /// Goes on to the only next instruction.
    pub(crate) fn go(&mut self, state: &mut SymbolicState, body: &Body, at: usize) -> Option<StepResult> {
        let next = *body.targets[at].first()?;
        let frame = state.frame()?;
        (frame.came_from, frame.at) = (at, next);
        Some(StepResult::On)
    }

    fn local(
        &mut self,
        state: &mut SymbolicState,
        body: &Rc<Body>,
        at: usize,
        number: usize,
    ) -> Option<StepResult> {
        let instruction = &body.instructions[at];
        if let Operand::LocalIncrement { by, .. } = instruction.operand {
            let old = state.frame()?.locals.get(number).copied()??;
            let by = self.terms.int(i32::from(by));
            let new = self.terms.add(old, by);
            *state.frame()?.locals.get_mut(number)? = Some(new);
            return self.go(state, body, at);
        }
        if instruction.opcode == Opcode::Ret {
            return None;
        }
        let (pops, pushes) = effect(body, at)?;
        let frame = state.frame()?;
        if stores_local(instruction.opcode) {
            let from = frame.stack.len().checked_sub(pops)?;
            for (nth, slot) in frame.stack.split_off(from).into_iter().enumerate() {
                *frame.locals.get_mut(number + nth)? = slot;
            }
        } else {
            let slots: Vec<_> = frame.locals.get(number..number + pushes)?.to_vec();
            slots.first().copied()??;
            frame.stack.extend(slots);
        }
        self.go(state, body, at)
    }

    fn constant(&mut self, state: &mut SymbolicState, body: &Body, at: usize) -> Option<()> {
        match body.constant(at)? {
            Constant::Integer(value) => {
                let value = self.terms.int(value);
                state.push(value);
            }
            Constant::Float(value) => {
                let value = self.terms.float(value);
                state.push(value);
            }
            Constant::Long(value) => {
                let value = self.terms.long(value);
                state.push_wide(value);
            }
            Constant::Double(value) => {
                let value = self.terms.double(value);
                state.push_wide(value);
            }
            Constant::String(units) => {
                let text = String::from_utf16_lossy(&units);
                let value = self.made(state, &format!("\"{text}\""));
                state.push(value);
            }
            Constant::Class(_) | Constant::MethodType(_) | Constant::MethodHandle { .. } => {
                let value = self.made(state, "constant");
                state.push(value);
            }
            Constant::Dynamic { descriptor, .. } => {
                let kind = Kind::of_descriptor(*descriptor.as_bytes().first()?);
                let value = self.unknown(state, kind, "constant");
                state.push_kind(kind, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn arithmetic(&mut self, state: &mut SymbolicState, body: &Rc<Body>, at: usize) -> Option<StepResult> {
        use Opcode::*;
        let opcode = body.instructions[at].opcode;
        let code = opcode as u8;
        let is_shift = (0x78..=0x7d).contains(&code);
        let family = match code {
            0x60..=0x77 => (code - 0x60) % 4,
            _ => (code - 0x78) % 2,
        };
        let is_wide = matches!(family, 1 | 3);
        if (0x74..=0x77).contains(&code) {
            let value = state.pop_sized(is_wide)?;
            let result = if family >= 2 { self.terms.fneg(value) } else { self.terms.neg(value) };
            state.push_sized(result, is_wide);
            return self.go(state, body, at);
        }
        let b = state.pop_sized(is_wide && !is_shift)?;
        let a = state.pop_sized(is_wide)?;
        let terms = &mut *self.terms;
        let result = match opcode {
            Iadd | Ladd => terms.add(a, b),
            Isub | Lsub => terms.sub(a, b),
            Imul | Lmul => terms.mul(a, b),
            Idiv | Ldiv => terms.sdiv(a, b),
            Irem | Lrem => terms.srem(a, b),
            Fadd | Dadd => terms.fadd(a, b),
            Fsub | Dsub => terms.fsub(a, b),
            Fmul | Dmul => terms.fmul(a, b),
            Fdiv | Ddiv => terms.fdiv(a, b),
            Frem | Drem => terms.frem(a, b),
            Ishl | Lshl => terms.shl(a, b),
            Ishr | Lshr => terms.ashr(a, b),
            Iushr | Lushr => terms.lshr(a, b),
            Iand | Land => terms.and(a, b),
            Ior | Lor => terms.or(a, b),
            Ixor | Lxor => terms.xor(a, b),
            _ => return None,
        };
        state.push_sized(result, is_wide);
        if matches!(opcode, Idiv | Irem | Ldiv | Lrem) {
            let zero = self.terms.constant(if is_wide { Sort::Bv64 } else { Sort::Bv32 }, 0);
            let fits = self.terms.ne(b, zero);
            return self.require(state, body, at, fits, "java/lang/ArithmeticException");
        }
        self.go(state, body, at)
    }

    fn convert(&mut self, state: &mut SymbolicState, opcode: Opcode) -> Option<()> {
        use Opcode::*;
        let from_wide = matches!(opcode, L2i | L2f | L2d | D2i | D2l | D2f | Lcmp | Dcmpl | Dcmpg);
        let to_wide = matches!(opcode, I2l | I2d | L2d | F2l | F2d | D2l);
        let last = state.pop_sized(from_wide)?;
        let terms = &mut *self.terms;
        let result = match opcode {
            I2l => terms.sext(Sort::Bv64, last),
            I2f => terms.i2f(last),
            I2d => terms.i2d(last),
            L2i => terms.truncate(Sort::Bv32, last),
            L2f => terms.l2f(last),
            L2d => terms.l2d(last),
            F2i => terms.f2i(last),
            F2l => terms.f2l(last),
            F2d => terms.f2d(last),
            D2i => terms.d2i(last),
            D2l => terms.d2l(last),
            D2f => terms.d2f(last),
            I2b => terms.narrow_int(Sort::Bv8, true, last),
            I2c => terms.narrow_int(Sort::Bv16, false, last),
            I2s => terms.narrow_int(Sort::Bv16, true, last),
            Lcmp | Fcmpl | Fcmpg | Dcmpl | Dcmpg => {
                let first = state.pop_sized(from_wide)?;
                match opcode {
                    Lcmp => self.terms.lcmp(first, last),
                    Fcmpl | Dcmpl => self.terms.fcmp(first, last, -1),
                    _ => self.terms.fcmp(first, last, 1),
                }
            }
            _ => return None,
        };
        state.push_sized(result, to_wide);
        Some(())
    }

    fn comparison(&mut self, state: &SymbolicState, opcode: Opcode, a: TermId, b: TermId) -> TermId {
        use Opcode::*;
        // What was made on the path is neither null nor anything that was there before.
        if state.made.contains(&a) != state.made.contains(&b) || (state.made.contains(&a) && a != b) {
            match opcode {
                IfAcmpeq | Ifnull => return self.terms.bool(false),
                IfAcmpne | Ifnonnull => return self.terms.bool(true),
                _ => {}
            }
        }
        let terms = &mut *self.terms;
        match opcode {
            Ifeq | IfIcmpeq | IfAcmpeq | Ifnull => terms.eq(a, b),
            Ifne | IfIcmpne | IfAcmpne | Ifnonnull => terms.ne(a, b),
            Iflt | IfIcmplt => terms.slt(a, b),
            Ifge | IfIcmpge => terms.sge(a, b),
            Ifgt | IfIcmpgt => terms.sgt(a, b),
            _ => terms.sle(a, b),
        }
    }

    fn branch(
        &mut self,
        state: &mut SymbolicState,
        body: &Body,
        at: usize,
        taken: TermId,
    ) -> Option<StepResult> {
        let past = *body.targets[at].first()?;
        let target = body.targets[at].get(1).copied().unwrap_or(past);
        let stays = self.terms.not(taken);
        let sides = vec![(stays, past), (taken, target)];
        self.choose(state, at, sides)
    }

    /// Goes on at one of several places, each under its condition.
    fn choose(
        &mut self,
        state: &mut SymbolicState,
        at: usize,
        sides: Vec<(TermId, usize)>,
    ) -> Option<StepResult> {
        let mut states = Vec::new();
        for (condition, target) in sides {
            let mut side = state.clone();
            if self.assume(&mut side, condition) {
                let frame = side.frame()?;
                (frame.came_from, frame.at) = (at, target);
                states.push(side);
            }
        }
        if states.len() == 1 {
            *state = states.pop()?;
            return Some(StepResult::On);
        }
        Some(if states.is_empty() { StepResult::Dropped } else { StepResult::Fork(states) })
    }

    fn switch(&mut self, state: &mut SymbolicState, body: &Body, at: usize) -> Option<StepResult> {
        let value = state.pop()?;
        let pairs: Vec<(i32, u32)> = match &body.instructions[at].operand {
            Operand::TableSwitch { low, targets, .. } => {
                (0..).zip(targets).map(|(nth, target)| (low.wrapping_add(nth), *target)).collect()
            }
            Operand::LookupSwitch { pairs, .. } => pairs.to_vec(),
            _ => return None,
        };
        let default = *body.targets[at].first()?;
        let mut by_target: Vec<(usize, Vec<i32>)> = Vec::new();
        for (number, target) in pairs {
            let target = body.at_offset(target)?;
            match by_target.iter_mut().find(|(t, _)| *t == target) {
                Some((_, numbers)) => numbers.push(number),
                None => by_target.push((target, vec![number])),
            }
        }
        let mut sides = Vec::new();
        let mut other = self.terms.bool(true);
        for (target, numbers) in by_target {
            let mut any = self.terms.bool(false);
            for number in numbers {
                let number = self.terms.int(number);
                let equal = self.terms.eq(value, number);
                any = self.terms.or(any, equal);
            }
            let not = self.terms.not(any);
            other = self.terms.and(other, not);
            if target != default {
                sides.push((any, target));
            } else {
                other = self.terms.or(other, any);
            }
        }
        sides.push((other, default));
        self.choose(state, at, sides)
    }

    /// Adds a conjunct; `false` where it cannot hold.
    pub(crate) fn assume(&mut self, state: &mut SymbolicState, condition: TermId) -> bool {
        if let Some(value) = self.terms.as_constant(condition) {
            return value != 0;
        }
        if state.condition.contains(&condition) {
            return true;
        }
        let not = self.terms.not(condition);
        if state.condition.contains(&not) {
            return false;
        }
        state.condition.push(condition);
        self.may_hold(&state.condition)
    }

    /// Goes on where a condition holds. Where it does not, an exception is thrown, which is followed where a method on
    /// the path catches it; otherwise nothing comes after it.
    pub(crate) fn require(
        &mut self,
        state: &mut SymbolicState,
        body: &Body,
        at: usize,
        condition: TermId,
        exception: &str,
    ) -> Option<StepResult> {
        let mut states = Vec::new();
        if self.terms.as_constant(condition) != Some(1) && self.is_caught(state, Some(exception)) {
            let mut failing = state.clone();
            let not = self.terms.not(condition);
            if self.assume(&mut failing, not) {
                states = self.raise(failing, Some(exception), None);
            }
        }
        let mut going = state.clone();
        if self.assume(&mut going, condition) {
            self.go(&mut going, body, at)?;
            if states.is_empty() {
                *state = going;
                return Some(StepResult::On);
            }
            states.insert(0, going);
        } else if states.is_empty() {
            return Some(StepResult::Ended(End::Threw));
        }
        Some(StepResult::Fork(states))
    }

    /// Whether a method on the path may catch an exception of this class, or any where none is given.
    pub(crate) fn is_caught(&mut self, state: &SymbolicState, exception: Option<&str>) -> bool {
        state.frames.iter().any(|frame| {
            frame.body.guards(frame.at).any(|handler| match (&handler.catches, exception) {
                (Some(catches), Some(exception)) => self.catches(catches, exception) == Some(true),
                _ => true,
            })
        })
    }

    /// Whether a handler of one class catches exceptions of another; `None` where it depends.
    fn catches(&mut self, catches: &str, exception: &str) -> Option<bool> {
        let catches = self.machine.load(catches).ok()?;
        let exception = self.machine.load(exception).ok()?;
        if self.machine.is_subtype(exception, catches) {
            return Some(true);
        }
        (!self.machine.is_subtype(catches, exception)).then_some(false)
    }

    /// The states in which the handlers of an exception begin. A path on which none is found ends.
    pub(crate) fn raise(
        &mut self,
        mut state: SymbolicState,
        class: Option<&str>,
        thrown: Option<TermId>,
    ) -> Vec<SymbolicState> {
        let thrown = thrown.unwrap_or_else(|| self.made(&mut state, "exception"));
        if let Some(class) = class {
            state.classes.insert(thrown, class.into());
        }
        let mut states = Vec::new();
        while let Some(frame) = state.frames.last() {
            let (body, at) = (frame.body.clone(), frame.at);
            for handler in body.guards(at) {
                let caught = match (&handler.catches, class) {
                    (None, _) => Some(true),
                    (Some(catches), Some(class)) => self.catches(catches, class),
                    (Some(_), None) => None,
                };
                if caught == Some(false) {
                    continue;
                }
                let mut handling = state.clone();
                if let Some(frame) = handling.frame() {
                    frame.stack = vec![Some(thrown)];
                    (frame.came_from, frame.at) = (at, handler.target);
                }
                states.push(handling);
                if caught == Some(true) {
                    return states;
                }
            }
            state.frames.pop();
        }
        state.end = Some(End::Threw);
        self.done.push(state);
        states
    }

    /// Returns from the method.
    fn leave(&mut self, state: &mut SymbolicState, result: Option<(TermId, bool)>) -> Option<StepResult> {
        state.frames.pop();
        let Some(caller) = state.frames.last() else {
            return Some(StepResult::Ended(End::Returned(result.map(|(value, _)| value))));
        };
        let (body, at) = (caller.body.clone(), caller.at);
        if let Some((value, is_wide)) = result {
            state.push_sized(value, is_wide);
        }
        self.go(state, &body, at)
    }

    fn field(&mut self, state: &mut SymbolicState, body: &Rc<Body>, at: usize) -> Option<StepResult> {
        use Opcode::*;
        let opcode = body.instructions[at].opcode;
        let Constant::Field { name, descriptor, .. } = body.constant(at)? else { return None };
        let kind = Kind::of_descriptor(*descriptor.as_bytes().first()?);
        let variable = self.flat.variable_at(self.machine, body, at);
        let value = match opcode {
            Putfield | Putstatic => Some(state.pop_kind(kind)?),
            _ => None,
        };
        let object = if matches!(opcode, Getfield | Putfield) { Some(state.pop()?) } else { None };
        let this = self.terms.int(THIS);
        let is_own = object.is_none_or(|object| object == this);
        let ids: Vec<usize> = match self.flat.method(body.method) {
            Some(method) => self.accesses.at(method, at).to_vec(),
            None => Vec::new(),
        };
        for id in ids {
            state.access(id, is_own);
        }
        match (value, variable) {
            (Some(value), Some(variable)) => {
                let value = narrowed(self.terms, kind, value);
                let value = widened(self.terms, kind, value);
                if is_own {
                    state.values[variable] = value;
                } else if object.is_some_and(|o| !state.made.contains(&o)) {
                    // It may be the object under test all the same.
                    self.forget(state, &std::collections::BTreeSet::from([variable]));
                }
            }
            (None, Some(variable)) if is_own => {
                let value = state.values[variable];
                state.push_kind(kind, value);
            }
            (None, _) if &*name == "$assertionsDisabled" => {
                let off = self.terms.int(1);
                state.push(off);
            }
            (None, _) => {
                let value = self.unknown(state, kind, &name);
                state.push_kind(kind, value);
            }
            (Some(_), None) => {}
        }
        match object {
            Some(object) if !is_own => {
                let there = self.is_there(state, object);
                self.require(state, body, at, there, "java/lang/NullPointerException")
            }
            _ => self.go(state, body, at),
        }
    }

    fn element(
        &mut self,
        state: &mut SymbolicState,
        body: &Rc<Body>,
        at: usize,
        is_store: bool,
    ) -> Option<StepResult> {
        use Opcode::*;
        let opcode = body.instructions[at].opcode;
        let kind = match opcode {
            Laload | Lastore => Kind::Long,
            Daload | Dastore => Kind::Double,
            Faload | Fastore => Kind::Float,
            Baload | Bastore => Kind::Byte,
            Caload | Castore => Kind::Char,
            Saload | Sastore => Kind::Short,
            Aaload | Aastore => Kind::Reference,
            _ => Kind::Int,
        };
        if is_store {
            state.pop_kind(kind)?;
        }
        let (index, array) = (state.pop()?, state.pop()?);
        if !is_store {
            let value = self.unknown(state, kind, "element");
            state.push_kind(kind, value);
        }
        let length = self.length(state, array);
        let inside = self.terms.ult(index, length);
        let there = self.is_there(state, array);
        let fits = self.terms.and(there, inside);
        // Which of the two exceptions it is matters to few.
        self.require(state, body, at, fits, "java/lang/RuntimeException")
    }

    /// Whether a reference is not `null`.
    pub(crate) fn is_there(&mut self, state: &SymbolicState, object: TermId) -> TermId {
        let null = self.terms.int(0);
        if state.made.contains(&object) { self.terms.bool(true) } else { self.terms.ne(object, null) }
    }

    /// The length of an array.
    fn length(&mut self, state: &mut SymbolicState, array: TermId) -> TermId {
        if let Some(known) = state.lengths.get(&array) {
            return *known;
        }
        let length = self.unknown(state, Kind::Int, "length");
        let zero = self.terms.int(0);
        let fits = self.terms.sle(zero, length);
        state.condition.push(fits);
        state.lengths.insert(array, length);
        length
    }
}
