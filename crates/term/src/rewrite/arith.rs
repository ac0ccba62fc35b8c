//! Rewrite rules for wrapping arithmetic.

use super::{RewriteResult, done, slices};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

pub(super) fn add(t: &mut Terms, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    if let Some(k) = t.as_constant(b) {
        if k == 0 {
            return done(Rule::AddZero, a);
        }
        if let Some((x, k1)) = t.with_constant(a, Op::Add) {
            let result = t.op2k(Op::Add, sort, x, k.wrapping_add(k1));
            return done(Rule::AddConstants, result);
        }
        return None;
    }
    for (x, y) in [(a, b), (b, a)] {
        if let Some((base, k)) = t.with_constant(x, Op::Add) {
            let sum = t.op2(Op::Add, sort, base, y);
            let result = t.op2k(Op::Add, sort, sum, k);
            return done(Rule::AddConstantOutwards, result);
        }
        if let Some([u, v, _]) = t.app(x, Op::Sub)
            && v == y
        {
            return done(Rule::AddCancel, u);
        }
        if let Some([u, ..]) = t.app(x, Op::Neg) {
            let result = t.op2(Op::Sub, sort, y, u);
            return done(Rule::AddNegated, result);
        }
    }
    slices::join(t, Op::Add, sort, a, b)
}

pub(super) fn sub(t: &mut Terms, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    if a == b {
        let zero = t.constant(sort, 0);
        return done(Rule::SubSelf, zero);
    }
    if let Some(k) = t.as_constant(b) {
        let result = t.op2k(Op::Add, sort, a, k.wrapping_neg());
        return done(Rule::SubConstant, result);
    }
    if t.as_constant(a) == Some(0) {
        let result = t.op1(Op::Neg, sort, b);
        return done(Rule::SubZeroMinus, result);
    }
    if let Some((x, k)) = t.with_constant(a, Op::Add) {
        let difference = t.op2(Op::Sub, sort, x, b);
        let result = t.op2k(Op::Add, sort, difference, k);
        return done(Rule::AddConstantOutwards, result);
    }
    if let Some((y, k)) = t.with_constant(b, Op::Add) {
        let difference = t.op2(Op::Sub, sort, a, y);
        let result = t.op2k(Op::Add, sort, difference, k.wrapping_neg());
        return done(Rule::AddConstantOutwards, result);
    }
    if let Some([x, y, _]) = t.app(a, Op::Add) {
        if y == b {
            return done(Rule::AddCancel, x);
        }
        if x == b {
            return done(Rule::AddCancel, y);
        }
    }
    if let Some([x, y, _]) = t.app(b, Op::Sub)
        && x == a
    {
        return done(Rule::AddCancel, y);
    }
    if let Some([y, ..]) = t.app(b, Op::Neg) {
        let result = t.op2(Op::Add, sort, a, y);
        return done(Rule::AddNegated, result);
    }
    None
}

pub(super) fn mul(t: &mut Terms, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    let k = t.as_constant(b)?;
    match sort.signed(k) {
        0 => done(Rule::MulZeroOne, b),
        1 => done(Rule::MulZeroOne, a),
        -1 => {
            let result = t.op1(Op::Neg, sort, a);
            done(Rule::MulZeroOne, result)
        }
        _ => {
            let (x, k1) = t.with_constant(a, Op::Mul)?;
            let result = t.op2k(Op::Mul, sort, x, k.wrapping_mul(k1));
            done(Rule::MulConstants, result)
        }
    }
}

pub(super) fn div(t: &mut Terms, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    if t.as_constant(a) == Some(0) {
        return done(Rule::DivOne, a);
    }
    let k = t.as_constant(b)?;
    match sort.signed(k) {
        1 => done(Rule::DivOne, a),
        -1 => {
            let result = t.op1(Op::Neg, sort, a);
            done(Rule::DivOne, result)
        }
        positive if positive > 0 && k.is_power_of_two() && t.range(a).never_negative() => {
            let distance = t.constant(Sort::Bv32, u64::from(k.trailing_zeros()));
            let result = t.op2(Op::LShr, sort, a, distance);
            done(Rule::DivPower, result)
        }
        _ => None,
    }
}

pub(super) fn rem(t: &mut Terms, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    if t.as_constant(a) == Some(0) {
        return done(Rule::RemOne, a);
    }
    let k = t.as_constant(b)?;
    let signed = sort.signed(k);
    if signed == 1 || signed == -1 {
        let zero = t.constant(sort, 0);
        return done(Rule::RemOne, zero);
    }
    let range = t.range(a);
    if signed > 0 && range.never_negative() {
        if range.smax < signed {
            return done(Rule::RemSmall, a);
        }
        if k.is_power_of_two() {
            let result = t.op2k(Op::And, sort, a, k - 1);
            return done(Rule::RemPower, result);
        }
    }
    None
}

pub(super) fn neg(t: &mut Terms, a: TermId) -> RewriteResult {
    let sort = t.sort(a);
    if let Some([x, ..]) = t.app(a, Op::Neg) {
        return done(Rule::NegNeg, x);
    }
    let [x, y, _] = t.app(a, Op::Sub)?;
    let result = t.op2(Op::Sub, sort, y, x);
    done(Rule::NegNeg, result)
}
