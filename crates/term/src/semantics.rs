//! The meaning of each operation on values: the one definition that folding, evaluation and the solvers
//! follow.
//!
//! Every operation is total. Float arithmetic that results in NaN gives the canonical NaN, so that values
//! never depend on the processor; `FNeg`, `FAbs` and conversions of bits keep a NaN's payload.

use crate::op::Op;
use crate::sort::{CANONICAL_NAN_F32, CANONICAL_NAN_F64, Sort};

/// Applies `op` to argument values. `from` is the sort of the first argument (of the second for `Ite`), `to`
/// the sort of the result; both must be those of a well-sorted term.
#[must_use]
pub fn apply(op: Op, from: Sort, to: Sort, args: &[u64]) -> u64 {
    match (op, args) {
        (Op::Ite, &[condition, then, other]) => {
            if condition == 0 {
                other
            } else {
                then
            }
        }
        (_, &[a]) => unary(op, from, to, a),
        (_, &[a, b]) if from.is_float() => float_binary(op, from, a, b),
        (_, &[a, b]) => bits_binary(op, from, a, b),
        _ => 0,
    }
}

fn unary(op: Op, from: Sort, to: Sort, a: u64) -> u64 {
    let signed = from.signed(a);
    match op {
        Op::Neg => to.wrap(signed.wrapping_neg()),
        Op::Not => !a & to.mask(),
        Op::Truncate => a & to.mask(),
        Op::SExt => to.wrap(signed),
        Op::FNeg => a ^ (1 << (from.bits() - 1)),
        Op::FAbs => a & !(1 << (from.bits() - 1)),
        Op::FSqrt if from == Sort::F32 => f32_bits(f32_of(a).sqrt()),
        Op::FSqrt => f64_bits(f64_of(a).sqrt()),
        Op::I2F | Op::L2F => f32_bits(signed as f32),
        Op::I2D | Op::L2D => f64_bits(signed as f64),
        // Rust's `as` from float to integer saturates and maps NaN to 0, as the JVMS requires.
        Op::F2I => to.wrap(i64::from(f32_of(a) as i32)),
        Op::F2L => f32_of(a) as i64 as u64,
        Op::D2I => to.wrap(i64::from(f64_of(a) as i32)),
        Op::D2L => f64_of(a) as i64 as u64,
        Op::F2D => f64_bits(f64::from(f32_of(a))),
        Op::D2F => f32_bits(f64_of(a) as f32),
        // `ZExt` and the conversions of bits leave the word unchanged.
        _ => a,
    }
}

fn bits_binary(op: Op, sort: Sort, a: u64, b: u64) -> u64 {
    let (x, y) = (sort.signed(a), sort.signed(b));
    let distance = (b & u64::from(sort.bits() - 1)) as u32;
    match op {
        Op::Add => sort.wrap(x.wrapping_add(y)),
        Op::Sub => sort.wrap(x.wrapping_sub(y)),
        Op::Mul => sort.wrap(x.wrapping_mul(y)),
        Op::SDiv if y == 0 => 0,
        Op::SDiv => sort.wrap(x.wrapping_div(y)),
        Op::SRem if y == 0 => a,
        Op::SRem => sort.wrap(x.wrapping_rem(y)),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => (a << distance) & sort.mask(),
        Op::AShr => sort.wrap(x >> distance),
        Op::LShr => a >> distance,
        Op::Eq => u64::from(a == b),
        Op::Slt => u64::from(x < y),
        Op::Sle => u64::from(x <= y),
        Op::Ult => u64::from(a < b),
        Op::Ule => u64::from(a <= b),
        _ => 0,
    }
}

macro_rules! float_ops {
    ($op:expr, $x:expr, $y:expr, $bits:ident) => {{
        let (x, y) = ($x, $y);
        match $op {
            Op::FAdd => $bits(x + y),
            Op::FSub => $bits(x - y),
            Op::FMul => $bits(x * y),
            Op::FDiv => $bits(x / y),
            // Rust's `%` on floats is C's `fmod`, exact, as the JVMS requires.
            Op::FRem => $bits(x % y),
            Op::FEq => u64::from(x == y),
            Op::FLt => u64::from(x < y),
            Op::FLe => u64::from(x <= y),
            _ => 0,
        }
    }};
}

fn float_binary(op: Op, sort: Sort, a: u64, b: u64) -> u64 {
    if sort == Sort::F32 {
        float_ops!(op, f32_of(a), f32_of(b), f32_bits)
    } else {
        float_ops!(op, f64_of(a), f64_of(b), f64_bits)
    }
}

/// The `float` encoded in a value of sort `F32`.
#[must_use]
pub fn f32_of(value: u64) -> f32 {
    f32::from_bits(value as u32)
}

/// The `double` encoded in a value of sort `F64`.
#[must_use]
pub fn f64_of(value: u64) -> f64 {
    f64::from_bits(value)
}

/// Whether a value of a float sort is a NaN.
#[must_use]
pub fn is_nan(sort: Sort, value: u64) -> bool {
    match sort {
        Sort::F32 => f32_of(value).is_nan(),
        Sort::F64 => f64_of(value).is_nan(),
        _ => false,
    }
}

fn f32_bits(x: f32) -> u64 {
    if x.is_nan() { CANONICAL_NAN_F32 } else { u64::from(x.to_bits()) }
}

fn f64_bits(x: f64) -> u64 {
    if x.is_nan() { CANONICAL_NAN_F64 } else { x.to_bits() }
}
