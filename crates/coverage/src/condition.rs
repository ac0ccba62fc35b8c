//! Checks on operands as terms over them.

use crate::checks::{Arithmetic, Check};
use cupping_term::{Sort, TermId, Terms};

/// The condition under which operands are as asked.
pub fn condition(t: &mut Terms, check: Check, sort: Sort, x: TermId, y: TermId) -> TermId {
    let is_float = matches!(sort, Sort::F32 | Sort::F64);
    match check {
        Check::Equal if is_float => t.feq(x, y),
        Check::Equal => t.eq(x, y),
        Check::OneBelow => next_to(t, sort, x, y),
        Check::OneAbove => next_to(t, sort, y, x),
        Check::Overflow(arithmetic) => overflow(t, arithmetic, sort, x, y),
    }
}

/// `below` is less than `above`, with nothing in between.
fn next_to(t: &mut Terms, sort: Sort, below: TermId, above: TermId) -> TermId {
    let (less, from, to) = match sort {
        Sort::F32 | Sort::F64 => {
            let less = t.flt(below, above);
            (less, place_of(t, sort, below), place_of(t, sort, above))
        }
        _ => (t.slt(below, above), below, above),
    };
    let one = t.constant(if t.sort(from) == Sort::Bv64 { Sort::Bv64 } else { Sort::Bv32 }, 1);
    let next = t.add(from, one);
    let adjacent = t.eq(next, to);
    t.and(less, adjacent)
}

/// The rank of a number that is not NaN in the order of all: neighbours differ by 1, both zeros are 0.
fn place_of(t: &mut Terms, sort: Sort, number: TermId) -> TermId {
    let (bits, least) = match sort {
        Sort::F32 => (t.float_to_raw_bits(number), t.int(i32::MIN)),
        _ => (t.double_to_raw_bits(number), t.long(i64::MIN)),
    };
    let zero = t.constant(t.sort(bits), 0);
    let is_negative = t.slt(bits, zero);
    let mirrored = t.sub(least, bits);
    t.ite(is_negative, mirrored, bits)
}

fn overflow(t: &mut Terms, arithmetic: Arithmetic, sort: Sort, x: TermId, y: TermId) -> TermId {
    let least = if sort == Sort::Bv64 { t.long(i64::MIN) } else { t.int(i32::MIN) };
    let zero = t.constant(sort, 0);
    // The sign of the result differs from those of both operands (Hacker's Delight, §2-13).
    let differ = match arithmetic {
        Arithmetic::Add => {
            let sum = t.add(x, y);
            (t.xor(x, sum), t.xor(y, sum))
        }
        Arithmetic::Sub => {
            let difference = t.sub(x, y);
            (t.xor(x, y), t.xor(x, difference))
        }
        Arithmetic::Mul => return product_overflows(t, sort, x, y),
        Arithmetic::Neg => return t.eq(x, least),
        Arithmetic::Div => {
            let minus_one = t.constant(sort, u64::MAX);
            let (is_least, is_minus_one) = (t.eq(x, least), t.eq(y, minus_one));
            return t.and(is_least, is_minus_one);
        }
    };
    let both = t.and(differ.0, differ.1);
    t.slt(both, zero)
}

fn product_overflows(t: &mut Terms, sort: Sort, x: TermId, y: TermId) -> TermId {
    if sort == Sort::Bv64 {
        return long_product_overflows(t, x, y);
    }
    let product = t.mul(x, y);
    let (wide_x, wide_y) = (t.sext(Sort::Bv64, x), t.sext(Sort::Bv64, y));
    let (exact, wrapped) = (t.mul(wide_x, wide_y), t.sext(Sort::Bv64, product));
    t.ne(exact, wrapped)
}

fn long_product_overflows(t: &mut Terms, x: TermId, y: TermId) -> TermId {
    let (factor, other) = match (t.as_constant(x), t.as_constant(y)) {
        (Some(factor), _) => (factor as i64, y),
        (_, Some(factor)) => (factor as i64, x),
        _ => {
            // Nothing is wider than a long: on overflow, the product divided by a factor is not the other factor.
            let (zero, minus_one) = (t.long(0), t.long(-1));
            let least = t.long(i64::MIN);
            let product = t.mul(x, y);
            let quotient = t.sdiv(product, x);
            let is_lost = t.ne(quotient, y);
            let (is_minus_one, is_least) = (t.eq(x, minus_one), t.eq(y, least));
            let is_negated = t.and(is_minus_one, is_least);
            let is_nonzero = t.ne(x, zero);
            let overflows = t.or(is_lost, is_negated);
            return t.and(is_nonzero, overflows);
        }
    };
    match factor {
        0 | 1 => t.bool(false),
        -1 => {
            let least = t.long(i64::MIN);
            t.eq(other, least)
        }
        _ => {
            let (a, b) = (t.long(i64::MIN / factor), t.long(i64::MAX / factor));
            let (low, high) = if factor > 0 { (a, b) } else { (b, a) };
            let (is_below, is_above) = (t.slt(other, low), t.slt(high, other));
            t.or(is_below, is_above)
        }
    }
}
