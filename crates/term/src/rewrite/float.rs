//! Rewrite rules for comparisons, signs and bits of floats. No rule changes a NaN's payload.

use super::{RewriteResult, done};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::semantics;
use crate::sort::Sort;

pub(super) fn compare(t: &mut Terms, op: Op, a: TermId, b: TermId) -> RewriteResult {
    if a == b {
        match op {
            Op::FLt => return done(Rule::FloatSame, t.bool(false)),
            Op::FLe => {
                let result = t.op2(Op::FEq, Sort::Bool, a, a);
                return done(Rule::FloatSame, result);
            }
            _ => {}
        }
    }
    if op == Op::FEq && a == b && t.parts(a).is_some_and(|(op, _)| is_conversion(op)) {
        return done(Rule::FloatOfInteger, t.bool(true));
    }
    if let Some(result) = of_integers(t, op, a, b) {
        return done(Rule::FloatOfInteger, result);
    }
    if let Some(result) = of_floats(t, op, a, b) {
        return done(Rule::FloatWidened, result);
    }
    if let Some(result) = choice(t, op, a, b) {
        return done(Rule::CompareChoice, result);
    }
    None
}

/// Compares a constant with a choice that has a constant side.
fn choice(t: &mut Terms, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    super::compare::choice(t, op, a, b)
}

const fn is_conversion(op: Op) -> bool {
    matches!(op, Op::I2F | Op::I2D | Op::L2F | Op::L2D)
}

/// Compares a converted integer with a constant, or two exactly converted integers.
fn of_integers(t: &mut Terms, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    if let (Some([x, ..]), Some([y, ..])) = (t.app(a, Op::I2D), t.app(b, Op::I2D)) {
        let integer = match op {
            Op::FEq => Op::Eq,
            Op::FLt => Op::Slt,
            _ => Op::Sle,
        };
        return Some(t.op2(integer, Sort::Bool, x, y));
    }
    let (converted, k, left) = match (t.as_constant(a), t.as_constant(b)) {
        (None, Some(k)) => (a, k, true),
        (Some(k), None) => (b, k, false),
        _ => return None,
    };
    let (conversion, [x, ..]) = t.parts(converted)?;
    if !is_conversion(conversion) {
        return None;
    }
    let sort = t.sort(converted);
    if semantics::is_nan(sort, k) {
        return Some(t.bool(false));
    }
    let domain = t.sort(x);
    let below =
        count(conversion, domain, sort, |value| semantics::apply(Op::FLt, sort, Sort::Bool, &[value, k]));
    let up_to =
        count(conversion, domain, sort, |value| semantics::apply(Op::FLe, sort, Sort::Bool, &[value, k]));
    let all = 1_i128 << domain.bits();
    // The comparison holds for the `from`-th to the `to - 1`-th value, counted from MIN.
    let (from, to) = match (op, left) {
        (Op::FEq, _) => (below, up_to),
        (Op::FLt, true) => (0, below),
        (Op::FLt, false) => (up_to, all),
        (_, true) => (0, up_to),
        (_, false) => (below, all),
    };
    if from >= to {
        return Some(t.bool(false));
    }
    let value = |n: i128| domain.wrap((i128::from(domain.min_signed()) + n) as i64);
    let (low, high) = (t.constant(domain, value(from)), t.constant(domain, value(to - 1)));
    let at_least = t.op2(Op::Sle, Sort::Bool, low, x);
    let at_most = t.op2(Op::Sle, Sort::Bool, x, high);
    Some(t.op2(Op::And, Sort::Bool, at_least, at_most))
}

/// The number of integers, starting with the least, whose conversion passes a test. Conversions are monotone,
/// and the test must hold exactly below some bound.
fn count(conversion: Op, from: Sort, to: Sort, test: impl Fn(u64) -> u64) -> i128 {
    let (mut low, mut high) = (0_i128, 1_i128 << from.bits());
    while low < high {
        let middle = (low + high) / 2;
        let value = from.wrap((i128::from(from.min_signed()) + middle) as i64);
        if test(semantics::apply(conversion, from, to, &[value])) == 0 {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Compares widened floats with each other or with a constant.
fn of_floats(t: &mut Terms, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let (x, y) = (t.app(a, Op::F2D), t.app(b, Op::F2D));
    if let (Some([x, ..]), Some([y, ..])) = (x, y) {
        return Some(t.op2(op, Sort::Bool, x, y));
    }
    let (x, k, left) = match (x, y, t.as_constant(a), t.as_constant(b)) {
        (Some([x, ..]), None, None, Some(k)) => (x, semantics::f64_of(k), true),
        (None, Some([y, ..]), Some(k), None) => (y, semantics::f64_of(k), false),
        _ => return None,
    };
    let near = k as f32;
    let rounded = f64::from(near);
    // Between two adjacent floats, replace the constant by one of them and make the comparison strict or weak
    // accordingly.
    let op = match op {
        _ if k.is_nan() => return Some(t.bool(false)),
        _ if rounded == k => op,
        Op::FEq => return Some(t.bool(false)),
        _ if (rounded < k) == left => Op::FLe,
        _ => Op::FLt,
    };
    let near = t.float(near);
    Some(if left { t.op2(op, Sort::Bool, x, near) } else { t.op2(op, Sort::Bool, near, x) })
}

pub(super) fn bits(t: &mut Terms, op: Op, sort: Sort, a: TermId) -> RewriteResult {
    let (inner, [x, ..]) = t.parts(a)?;
    let sign = 1 << (sort.bits() - 1);
    match (op, inner) {
        (Op::FNeg, Op::FNeg) => done(Rule::FloatSigns, x),
        (Op::FAbs, Op::FAbs) => done(Rule::FloatSigns, a),
        (Op::FAbs, Op::FNeg) => {
            let result = t.op1(Op::FAbs, sort, x);
            done(Rule::FloatSigns, result)
        }
        (Op::FBits, Op::BitsF) | (Op::DBits, Op::BitsD) | (Op::BitsF, Op::FBits) | (Op::BitsD, Op::DBits) => {
            done(Rule::FloatBits, x)
        }
        (Op::FBits | Op::DBits, Op::FNeg) => {
            let bits = t.op1(op, sort, x);
            let result = t.op2k(Op::Xor, sort, bits, sign);
            done(Rule::FloatBits, result)
        }
        (Op::FBits | Op::DBits, Op::FAbs) => {
            let bits = t.op1(op, sort, x);
            let result = t.op2k(Op::And, sort, bits, sign - 1);
            done(Rule::FloatBits, result)
        }
        _ => None,
    }
}
