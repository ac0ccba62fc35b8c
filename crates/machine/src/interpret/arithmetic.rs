//! Arithmetic, comparisons and conversions. Operands are slots: ints in the low 32 bits, the other bits 0.

use super::cursor::{Cursor, Flow};
use crate::code::{CodeSlot, Op};
use crate::exit::Trap;
use crate::state::Value;
use cupping_term::Sort;

#[inline(always)]
pub(super) fn float(value: f32) -> u64 {
    value.to_bits() as u64
}

#[inline(always)]
pub(super) fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline(always)]
pub(super) fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

#[inline(always)]
pub(super) fn int(value: i32) -> u64 {
    value as u32 as u64
}

/// A function for each operation on two slots of this many bits.
macro_rules! operations {
    ($bits:ty: $($name:ident($a:ident, $b:ident) = $result:expr;)*) => {
        $(#[inline(always)]
        pub(in super::super) fn $name($a: $bits, $b: $bits) -> $bits {
            $result
        })*
    };
}

/// The operations on two ints, as the JVM defines them.
pub(super) mod ints {
    operations! { u32:
        add(a, b) = a.wrapping_add(b);
        sub(a, b) = a.wrapping_sub(b);
        mul(a, b) = a.wrapping_mul(b);
        and(a, b) = a & b;
        or(a, b) = a | b;
        xor(a, b) = a ^ b;
        shl(a, b) = a.wrapping_shl(b);
        shr(a, b) = (a as i32).wrapping_shr(b) as u32;
        ushr(a, b) = a.wrapping_shr(b);
        div(a, b) = (a as i32).wrapping_div(b as i32) as u32;
        rem(a, b) = (a as i32).wrapping_rem(b as i32) as u32;
    }
}

/// The operations on two longs or doubles, or on a long and the int by which it is shifted.
pub(super) mod wides {
    operations! { u64:
        add(a, b) = a.wrapping_add(b);
        sub(a, b) = a.wrapping_sub(b);
        mul(a, b) = a.wrapping_mul(b);
        and(a, b) = a & b;
        or(a, b) = a | b;
        xor(a, b) = a ^ b;
        shl(a, b) = a.wrapping_shl(b as u32);
        shr(a, b) = (a as i64).wrapping_shr(b as u32) as u64;
        ushr(a, b) = a.wrapping_shr(b as u32);
        div(a, b) = (a as i64).wrapping_div(b as i64) as u64;
        rem(a, b) = (a as i64).wrapping_rem(b as i64) as u64;
        dadd(a, b) = (f64::from_bits(a) + f64::from_bits(b)).to_bits();
        dsub(a, b) = (f64::from_bits(a) - f64::from_bits(b)).to_bits();
        dmul(a, b) = (f64::from_bits(a) * f64::from_bits(b)).to_bits();
        ddiv(a, b) = (f64::from_bits(a) / f64::from_bits(b)).to_bits();
        drem(a, b) = (f64::from_bits(a) % f64::from_bits(b)).to_bits();
    }
}

/// The order that `lcmp` pushes.
#[inline(always)]
pub(super) fn compare_longs(a: u64, b: u64) -> i32 {
    (a as i64).cmp(&(b as i64)) as i32
}

/// The order that `dcmpl` (`nan` = -1) and `dcmpg` (1) push.
#[inline(always)]
pub(super) fn compare_doubles(a: u64, b: u64, nan: i32) -> i32 {
    f64_of(a).partial_cmp(&f64_of(b)).map_or(nan, |order| order as i32)
}

/// The order that `fcmpl` and `fcmpg` push.
#[inline(always)]
pub(super) fn compare_floats(a: u64, b: u64, nan: i32) -> i32 {
    f32_of(a).partial_cmp(&f32_of(b)).map_or(nan, |order| order as i32)
}

impl<const SYMBOLIC: bool> Cursor<'_, SYMBOLIC> {
    /// An operation on two operands of `left` and `right` slots, whose result has `slots` slots.
    #[inline(always)]
    fn binary(&mut self, op: Op, [left, right, slots]: [usize; 3], run: impl Fn(u64, u64) -> u64) {
        let at = self.sp - left - right;
        let (x, y) = (self.value(at), self.value(at + left));
        self.sp = at + slots;
        self.set_slot(at, run(x.bits, y.bits));
        if SYMBOLIC && (x.shadow | y.shadow) != 0 {
            let shadow = self.machine.shadow_arithmetic(op, x, y);
            self.set_shadow(at, shadow);
        }
    }

    /// An operation on two ints or floats.
    #[inline(always)]
    pub(super) fn binary1(&mut self, op: Op, run: impl Fn(u64, u64) -> u64) {
        self.binary(op, [1, 1, 1], run);
    }

    /// An operation on two ints.
    #[inline(always)]
    pub(super) fn ints(&mut self, op: Op, run: impl Fn(u32, u32) -> u32) {
        self.binary(op, [1, 1, 1], |a, b| run(a as u32, b as u32) as u64);
    }

    /// An operation on two longs or doubles.
    #[inline(always)]
    pub(super) fn wides(&mut self, op: Op, run: impl Fn(u64, u64) -> u64) {
        self.binary(op, [2, 2, 2], run);
    }

    /// An operation on a long and an int.
    #[inline(always)]
    pub(super) fn shift(&mut self, op: Op, run: impl Fn(u64, u64) -> u64) {
        self.binary(op, [2, 1, 2], run);
    }

    /// A comparison of two operands of `slots` slots, which pushes an int.
    #[inline(always)]
    pub(super) fn compare(&mut self, op: Op, slots: usize, run: impl Fn(u64, u64) -> i32) {
        self.binary(op, [slots, slots, 1], |a, b| int(run(a, b)));
    }

    /// A conversion of a value of `from` slots to one of `to` slots, or a negation.
    #[inline(always)]
    pub(super) fn convert(&mut self, op: Op, from: usize, to: usize, run: impl Fn(u64) -> u64) {
        let at = self.sp - from;
        let x = self.value(at);
        self.sp = at + to;
        self.set_slot(at, run(x.bits));
        if SYMBOLIC {
            if x.shadow != 0 {
                let shadow = self.machine.shadow_arithmetic(op, x, x);
                self.set_shadow(at, shadow);
            }
            if to == 2 {
                self.set_shadow(at + 1, 0);
            }
        }
    }

    /// Decides whether the divisor is zero, and throws in that case.
    #[inline(always)]
    fn check_divisor(&mut self, divisor: Value, sort: Sort) -> Flow {
        if SYMBOLIC && divisor.shadow != 0 {
            self.decide(|machine| machine.decide_divisor(divisor, sort))?;
        }
        if divisor.bits & sort.mask() == 0 {
            return self.trap(Trap::Raise("java/lang/ArithmeticException", Some("/ by zero".into())));
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn divide_ints(&mut self, op: Op, run: impl Fn(u32, u32) -> u32) -> Flow {
        self.check_divisor(self.value(self.sp - 1), Sort::Bv32)?;
        self.ints(op, run);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn divide_longs(&mut self, op: Op, run: impl Fn(u64, u64) -> u64) -> Flow {
        self.check_divisor(self.value(self.sp - 2), Sort::Bv64)?;
        self.wides(op, run);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn increment(&mut self, place: &CodeSlot) {
        let (at, by) = (self.local(place.a.get()), place.b.get());
        let x = self.value(at);
        self.set_slot(at, (x.bits as u32).wrapping_add(by as u32) as u64);
        if SYMBOLIC && x.shadow != 0 {
            let shadow = self.machine.shadow_arithmetic(Op::IAdd, x, Value::int(by));
            self.set_shadow(at, shadow);
        }
    }
}
