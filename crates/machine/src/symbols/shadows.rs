//! Shadows: the symbolic side of instructions, and decisions on it.
//!
//! A shadow is the number of a term whose value under the current model is the concrete value beside it.
//! Ints and everything narrower are terms of 32 bits, as on the JVM's stack.

use crate::choices::holes::HOLE;
use crate::choices::slots::Choosing;
use crate::classes::class::Kind;
use crate::code::{Op, Site};
use crate::exit::{Decision, DecisionKind, Exit, OTHER_VALUES, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{HeapShadow, Shadow, Value};
use cupping_term::{Evaluator, Model, Sort, TermId};
use std::num::NonZeroU32;

/// The sort of the term that shadows a slot of this kind.
pub fn sort_of(kind: Kind) -> Sort {
    match kind {
        Kind::Long => Sort::Bv64,
        Kind::Float => Sort::F32,
        Kind::Double => Sort::F64,
        _ => Sort::Bv32,
    }
}

/// The term that a shadow names.
pub fn term_of(shadow: Shadow) -> Option<TermId> {
    NonZeroU32::new(shadow).map(TermId::from_raw)
}

/// The shadow that names a term.
pub fn shadow_of(term: TermId) -> Shadow {
    term.get().get()
}

impl Machine {
    /// The term of a value: its shadow, or a constant.
    pub fn term(&mut self, value: Value, sort: Sort) -> TermId {
        match term_of(value.shadow) {
            Some(term) => term,
            None => self.terms.constant(sort, value.bits & sort.mask()),
        }
    }

    /// The shadow for a computed term: none when it has become a constant.
    pub fn shadow(&self, term: TermId) -> Shadow {
        if self.terms.as_constant(term).is_some() { 0 } else { shadow_of(term) }
    }

    /// The shadow of the slot of memory at this byte address.
    #[inline]
    pub fn heap_shadow(&self, byte: u64) -> Shadow {
        if self.may_have_shadow((byte >> 3) as Addr) { self.flagged_shadow(byte) } else { 0 }
    }

    fn flagged_shadow(&self, byte: u64) -> Shadow {
        match self.choice_slots.get(byte) {
            Choosing::None if self.registers.heap_shadows.is_empty() => 0,
            Choosing::None => self.registers.heap_shadows.get(&byte).map_or(0, |it| it.shadow),
            Choosing::Hole => HOLE,
            Choosing::Marked(mark) => {
                self.note_read(mark);
                0
            }
        }
    }

    /// Whether the slot at this byte address has a shadow, is a hole or marked, so that reading it is more than a load.
    pub(crate) fn has_shadow(&self, byte: u64) -> bool {
        self.choice_slots.get(byte) != Choosing::None
            || !self.registers.heap_shadows.is_empty() && self.registers.heap_shadows.contains_key(&byte)
    }

    /// Whether the page of this word may hold shadows.
    #[inline(always)]
    pub(crate) fn may_have_shadow(&self, addr: Addr) -> bool {
        self.any_shadows && self.shadow_pages.get((addr >> 5) as usize).copied().unwrap_or(false)
    }

    /// Whether the word may have a term: what is never a hole, as the length of an array, has no other shadow.
    #[inline(always)]
    pub(crate) fn may_have_term(&self, addr: Addr) -> bool {
        self.may_have_shadow(addr) && !self.registers.heap_shadows.is_empty()
    }

    /// Notes that the page of this byte may hold shadows.
    pub(crate) fn flag_shadow(&mut self, byte: u64) {
        let page = (byte >> 8) as usize;
        if self.shadow_pages.len() <= page {
            self.shadow_pages.resize(page + 1, false);
        }
        self.shadow_pages[page] = true;
        self.any_shadows = true;
    }

    fn clear_shadow(&mut self, byte: u64) {
        if !self.choice_slots.is_empty() {
            self.choice_slots.set(byte, 1, Choosing::None);
        }
        if !self.registers.heap_shadows.is_empty() {
            self.registers.heap_shadows.remove(&byte);
        }
    }

    /// Sets or removes the shadow of the slot of `size` bytes at this byte address.
    #[inline]
    pub fn set_heap_shadow(&mut self, byte: u64, size: u32, shadow: Shadow) {
        if shadow == 0 {
            if self.may_have_shadow((byte >> 3) as Addr) {
                self.clear_shadow(byte);
            }
            return;
        }
        self.flag_shadow(byte);
        self.choice_slots.set(byte, 1, Choosing::None);
        self.registers.heap_shadows.insert(byte, HeapShadow { shadow, size: size as u8 });
    }

    /// Sets every slot that has a shadow to the value of its term under `model`.
    pub fn adopt_model(&mut self, model: &Model) {
        let mut evaluator = Evaluator::new();
        let heap: Vec<(u64, HeapShadow)> =
            self.registers.heap_shadows.iter().map(|(b, s)| (*b, *s)).collect();
        for (byte, HeapShadow { shadow, size }) in heap {
            let Some(term) = term_of(shadow) else { continue };
            let bits = evaluator.eval(&self.terms, model, term);
            self.memory.write_bytes(byte, size.into(), bits);
        }
        if self.registers.seldom.disk.may_have_shadows() {
            for (inode, at, shadow) in self.registers.seldom.disk.shadows() {
                if let Some(term) = term_of(shadow) {
                    let bits = evaluator.eval(&self.terms, model, term);
                    self.registers.seldom.disk.set_value(inode, at, bits as u8);
                }
            }
        }
        let mut end = self.stack_top() as u32;
        for index in (0..self.registers.frames.len()).rev() {
            let frame = &self.registers.frames[index];
            let (base, symbolic) = (frame.base, frame.symbolic);
            let locals = base + frame.code.max_locals as u32;
            let used = frame.sp.max(locals).min(end);
            if symbolic {
                for slot in base..used {
                    if let Some(term) = term_of(self.stack_shadows.get(slot)) {
                        self.stack.set(slot, evaluator.eval(&self.terms, model, term));
                    }
                }
            }
            end = base;
        }
        let result = self.registers.result;
        if let Some(term) = term_of(result.shadow) {
            self.registers.result.bits = evaluator.eval(&self.terms, model, term);
        }
    }

    /// The site of the instruction under execution.
    pub fn site(&self) -> Site {
        let frame = self.current();
        Site { method: frame.code.method, at: frame.pc }
    }

    /// Reports a decision, unless this execution of the instruction repeats one already reported.
    ///
    /// # Errors
    /// [`Trap::Exit`] with the decision.
    pub fn decide(&mut self, kind: DecisionKind, taken: TermId, others: Vec<TermId>, side: u32) -> Step<()> {
        if self.terms.as_constant(taken).is_some() {
            // Constants never decide: the same in every model (thesis §5.5).
            return Ok(());
        }
        self.decision_index += 1;
        if self.decision_index <= self.registers.decided {
            return Ok(());
        }
        self.registers.decided = self.decision_index;
        let site = self.site();
        Err(Trap::Exit(Exit::Decision(Decision { site, kind, taken, others, side })))
    }

    /// A decision between two sides.
    pub fn decide_branch(&mut self, kind: DecisionKind, condition: TermId, holds: bool) -> Step<()> {
        let negated = self.terms.not(condition);
        let (taken, other) = if holds { (condition, negated) } else { (negated, condition) };
        self.decide(kind, taken, vec![other], holds as u32)
    }

    /// Fixes a symbolic value to its concrete one.
    pub fn concretize(&mut self, value: Value, kind: Kind) -> Step<()> {
        let Some(term) = term_of(value.shadow) else { return Ok(()) };
        let sort = sort_of(kind);
        let constant = self.terms.constant(sort, value.bits & sort.mask());
        let equal = match sort {
            Sort::F32 => {
                let (a, b) = (self.terms.float_to_raw_bits(term), self.terms.float_to_raw_bits(constant));
                self.terms.eq(a, b)
            }
            Sort::F64 => {
                let (a, b) = (self.terms.double_to_raw_bits(term), self.terms.double_to_raw_bits(constant));
                self.terms.eq(a, b)
            }
            _ => self.terms.eq(term, constant),
        };
        let differs = self.terms.not(equal);
        self.decide(DecisionKind::Concretization, equal, vec![differs], side_of_value(value.bits))
    }

    /// Forgets the decisions of an instruction that has completed.
    #[inline]
    pub(crate) fn finish_decisions(&mut self) {
        self.registers.decided = 0;
        self.decision_index = 0;
    }

    /// The shadow of the result of a unary or binary operation or conversion, both operands given with
    /// their concrete bits; for comparisons, of the int that the instruction pushes.
    #[cold]
    pub(crate) fn shadow_arithmetic(&mut self, op: Op, a: Value, b: Value) -> Shadow {
        use Op::*;
        let (sa, sb) = operand_sorts(op);
        let x = self.term(a, sa);
        let t = &mut self.terms;
        let mut unary = None;
        match op {
            INeg | LNeg => unary = Some(t.neg(x)),
            FNeg | DNeg => unary = Some(t.fneg(x)),
            I2L => unary = Some(t.sext(Sort::Bv64, x)),
            L2I => unary = Some(t.truncate(Sort::Bv32, x)),
            I2F => unary = Some(t.i2f(x)),
            I2D => unary = Some(t.i2d(x)),
            L2F => unary = Some(t.l2f(x)),
            L2D => unary = Some(t.l2d(x)),
            F2I => unary = Some(t.f2i(x)),
            F2L => unary = Some(t.f2l(x)),
            F2D => unary = Some(t.f2d(x)),
            D2I => unary = Some(t.d2i(x)),
            D2L => unary = Some(t.d2l(x)),
            D2F => unary = Some(t.d2f(x)),
            I2B => unary = Some(t.narrow_int(Sort::Bv8, true, x)),
            I2C => unary = Some(t.narrow_int(Sort::Bv16, false, x)),
            I2S => unary = Some(t.narrow_int(Sort::Bv16, true, x)),
            _ => {}
        }
        if let Some(term) = unary {
            return self.shadow(term);
        }
        let y = self.term(b, sb);
        let t = &mut self.terms;
        let term = match op {
            IAdd | LAdd => t.add(x, y),
            ISub | LSub => t.sub(x, y),
            IMul | LMul => t.mul(x, y),
            IDiv | LDiv => t.sdiv(x, y),
            IRem | LRem => t.srem(x, y),
            IAnd | LAnd => t.and(x, y),
            IOr | LOr => t.or(x, y),
            IXor | LXor => t.xor(x, y),
            IShl | LShl => t.shl(x, y),
            IShr | LShr => t.ashr(x, y),
            IUShr | LUShr => t.lshr(x, y),
            FAdd | DAdd => t.fadd(x, y),
            FSub | DSub => t.fsub(x, y),
            FMul | DMul => t.fmul(x, y),
            FDiv | DDiv => t.fdiv(x, y),
            FRem | DRem => t.frem(x, y),
            LCmp => t.lcmp(x, y),
            FCmpL | DCmpL => t.fcmp(x, y, -1),
            FCmpG | DCmpG => t.fcmp(x, y, 1),
            _ => unreachable!("{op:?} is no arithmetic instruction"),
        };
        self.shadow(term)
    }

    /// The condition of a comparing jump.
    pub(crate) fn branch_condition(&mut self, op: Op, a: Value, b: Value) -> TermId {
        use Op::*;
        let (x, y) = (self.term(a, Sort::Bv32), self.term(b, Sort::Bv32));
        let t = &mut self.terms;
        match op {
            IfEq | IfICmpEq => t.eq(x, y),
            IfNe | IfICmpNe => t.ne(x, y),
            IfLt | IfICmpLt => t.slt(x, y),
            IfGe | IfICmpGe => t.sge(x, y),
            IfGt | IfICmpGt => t.sgt(x, y),
            IfLe | IfICmpLe => t.sle(x, y),
            _ => unreachable!("{op:?} is no comparing jump"),
        }
    }

    /// The check `divisor == 0` of a division.
    #[cold]
    pub(crate) fn decide_divisor(&mut self, divisor: Value, sort: Sort) -> Step<()> {
        let term = self.term(divisor, sort);
        let zero = self.terms.constant(sort, 0);
        let nonzero = self.terms.ne(term, zero);
        self.decide_branch(DecisionKind::DivisionCheck, nonzero, divisor.bits & sort.mask() != 0)
    }

    /// The decision of a switch on a symbolic key.
    #[cold]
    pub(crate) fn decide_switch(&mut self, key: Value, cases: &[(i32, u32)], default: u32) -> Step<()> {
        let term = self.term(key, Sort::Bv32);
        let concrete = key.bits as u32 as i32;
        let mut targets: Vec<u32> = Vec::new();
        let mut conditions: Vec<TermId> = Vec::new();
        let mut no_case = self.terms.bool(true);
        for (value, target) in cases.iter().filter(|(_, target)| *target != default) {
            let constant = self.terms.int(*value);
            let equal = self.terms.eq(term, constant);
            let differs = self.terms.not(equal);
            no_case = self.terms.and(no_case, differs);
            match targets.iter().position(|t| t == target) {
                Some(at) => conditions[at] = self.terms.or(conditions[at], equal),
                None => {
                    targets.push(*target);
                    conditions.push(equal);
                }
            }
        }
        let target = cases.iter().find(|(value, _)| *value == concrete).map_or(default, |(_, t)| *t);
        let side = targets.iter().position(|t| *t == target).unwrap_or(targets.len());
        conditions.push(no_case);
        let taken = conditions.remove(side);
        self.decide(DecisionKind::Switch, taken, conditions, side as u32)
    }
}

/// The side that stands for a value fixed on the path: itself where it fits, never [`OTHER_VALUES`].
fn side_of_value(bits: u64) -> u32 {
    match u32::try_from(bits) {
        Ok(side) if side != OTHER_VALUES => side,
        // Doubles differ in their high bits, -1 has the bits of `OTHER_VALUES`: mixed by Fibonacci hashing.
        _ => ((bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32).min(OTHER_VALUES - 1),
    }
}

fn operand_sorts(op: Op) -> (Sort, Sort) {
    use Op::*;
    match op {
        LAdd | LSub | LMul | LDiv | LRem | LAnd | LOr | LXor | LCmp | LNeg | L2I | L2F | L2D => {
            (Sort::Bv64, Sort::Bv64)
        }
        LShl | LShr | LUShr => (Sort::Bv64, Sort::Bv32),
        FAdd | FSub | FMul | FDiv | FRem | FNeg | FCmpL | FCmpG | F2I | F2L | F2D => (Sort::F32, Sort::F32),
        DAdd | DSub | DMul | DDiv | DRem | DNeg | DCmpL | DCmpG | D2I | D2L | D2F => (Sort::F64, Sort::F64),
        _ => (Sort::Bv32, Sort::Bv32),
    }
}

impl Machine {
    /// Gives the slots of the `bytes` bytes from `to` the shadows of those from `from`.
    pub(crate) fn copy_shadows(&mut self, from: u64, to: u64, bytes: u64) {
        if !self.any_shadows {
            return;
        }
        let flagged = |m: &Machine, start: u64| {
            (start >> 8..=(start + bytes) >> 8)
                .any(|p| m.shadow_pages.get(p as usize).copied().unwrap_or(false))
        };
        if bytes == 0 || !(flagged(self, from) || flagged(self, to)) {
            return;
        }
        let found: Vec<(u64, HeapShadow)> = (0..bytes)
            .filter_map(|offset| Some((offset, *self.registers.heap_shadows.get(&(from + offset))?)))
            .collect();
        let mut holes = Vec::new();
        for offset in 0..bytes {
            match self.choice_slots.get(from + offset) {
                Choosing::None => {}
                Choosing::Hole => holes.push(offset),
                // A copy of what was chosen is a value like any other.
                Choosing::Marked(mark) => self.note_read(mark),
            }
        }
        for offset in 0..bytes {
            self.clear_shadow(to + offset);
        }
        for (offset, HeapShadow { shadow, size }) in found {
            self.set_heap_shadow(to + offset, size.into(), shadow);
        }
        // Who reads the copy finds that it is a hole of nobody.
        holes.into_iter().for_each(|offset| self.dig(to + offset, 1));
    }
}

impl Machine {
    /// Starts with no terms, for a state without any shadow.
    pub fn forget_terms(&mut self) {
        self.terms = cupping_term::Terms::new();
        self.halves.clear();
        self.shadow_pages.clear();
        self.any_shadows = false;
        self.choice_slots = Default::default();
    }
}
