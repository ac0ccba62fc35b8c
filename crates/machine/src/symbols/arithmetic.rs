//! The symbolic side of arithmetic and comparisons.

use crate::code::Op;
use crate::machine::Machine;
use crate::state::{Shadow, Value};
use cupping_term::{Sort, TermId};

impl Machine {
    /// The shadow of the result of a unary or binary operation or conversion; both operands are given with
    /// their concrete bits. For comparisons, the result is the int that the instruction pushes.
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
            _ => unreachable!("{op:?} is not an arithmetic instruction"),
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
            _ => unreachable!("{op:?} is not a comparing jump"),
        }
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
