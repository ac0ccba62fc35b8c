//! Derived operations in the JVM's terms.

use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::sort::{CANONICAL_NAN_F32, CANONICAL_NAN_F64, Sort};

impl Terms {
    /// `a != b` on bit-vectors or `Bool`.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Signed `a > b`.
    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    /// Signed `a >= b`.
    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    /// JVMS `lcmp`: the `int` -1, 0 or 1.
    pub fn lcmp(&mut self, a: TermId, b: TermId) -> TermId {
        let (less, equal) = (self.slt(a, b), self.eq(a, b));
        let (minus, zero, plus) = (self.int(-1), self.int(0), self.int(1));
        let not_less = self.ite(equal, zero, plus);
        self.ite(less, minus, not_less)
    }

    /// JVMS `fcmp<op>` and `dcmp<op>`: the `int` -1, 0 or 1; `nan_value` if either is NaN (`-1` for `fcmpl`,
    /// `1` for `fcmpg`).
    pub fn fcmp(&mut self, a: TermId, b: TermId, nan_value: i32) -> TermId {
        let equal = self.feq(a, b);
        let (minus, zero, plus) = (self.int(-1), self.int(0), self.int(1));
        // The result for NaN comes last, so that a single comparison decides the opposite result.
        let (decided, first, last) =
            if nan_value < 0 { (self.flt(b, a), plus, minus) } else { (self.flt(a, b), minus, plus) };
        let rest = self.ite(equal, zero, last);
        self.ite(decided, first, rest)
    }

    /// Whether a float is NaN: `!(a == a)`.
    pub fn is_nan(&mut self, a: TermId) -> TermId {
        let ordered = self.feq(a, a);
        self.not(ordered)
    }

    /// `Float.floatToIntBits` (for `F32`) or `Double.doubleToLongBits` (for `F64`), with a single NaN.
    pub fn canonical_bits(&mut self, a: TermId) -> TermId {
        let (raw, nan) = if self.sort(a) == Sort::F32 {
            (self.float_to_raw_bits(a), self.constant(Sort::Bv32, CANONICAL_NAN_F32))
        } else {
            (self.double_to_raw_bits(a), self.constant(Sort::Bv64, CANONICAL_NAN_F64))
        };
        let is_nan = self.is_nan(a);
        self.ite(is_nan, nan, raw)
    }

    /// A `Bool` as the JVM's `int`.
    pub fn bool_to_int(&mut self, a: TermId) -> TermId {
        self.zext(Sort::Bv32, a)
    }

    /// A JVM `int` read as a `boolean`: whether it is not zero.
    pub fn int_to_bool(&mut self, a: TermId) -> TermId {
        let zero = self.int(0);
        self.ne(a, zero)
    }

    /// JVMS `i2b`, `i2s` (signed) and `i2c` (unsigned): truncation to `to`, then extension to `int`.
    pub fn narrow_int(&mut self, to: Sort, signed: bool, a: TermId) -> TermId {
        let low = self.truncate(to, a);
        if signed { self.sext(Sort::Bv32, low) } else { self.zext(Sort::Bv32, low) }
    }

    /// The conjunction of conditions.
    pub fn all(&mut self, conditions: &[TermId]) -> TermId {
        conditions.iter().fold(self.bool(true), |all, &next| self.and(all, next))
    }

    /// The disjunction of conditions.
    pub fn any(&mut self, conditions: &[TermId]) -> TermId {
        conditions.iter().fold(self.bool(false), |any, &next| self.or(any, next))
    }

    /// Applies an arithmetic [`Op`], for a machine that maps opcodes to operations.
    ///
    /// # Panics
    /// If the sorts do not fit the operation.
    pub fn build(&mut self, op: Op, args: &[TermId]) -> TermId {
        match self.try_apply(op, None, args) {
            Ok(term) => term,
            Err(error) => panic!("{error}"),
        }
    }
}
