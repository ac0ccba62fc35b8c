//! Rewrite rules for shifts.

use super::{RewriteResult, done};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

pub(super) fn shift(t: &mut Terms, op: Op, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    let width_mask = u64::from(sort.bits() - 1);
    if t.as_constant(a) == Some(0) {
        return done(Rule::ShiftZero, a);
    }
    let Some(raw) = t.as_constant(b) else { return distance(t, op, sort, a, b) };
    let k = raw & width_mask;
    if k == 0 {
        return done(Rule::ShiftZero, a);
    }
    if k != raw {
        let masked = t.constant(Sort::Bv32, k);
        let result = t.op2(op, sort, a, masked);
        return done(Rule::ShiftDistance, result);
    }
    if let Some((x, k1)) = t.with_constant(a, op) {
        let sum = k + (k1 & width_mask);
        let result = if sum <= width_mask {
            let sum = t.constant(Sort::Bv32, sum);
            t.op2(op, sort, x, sum)
        } else if op == Op::AShr {
            let sum = t.constant(Sort::Bv32, width_mask);
            t.op2(op, sort, x, sum)
        } else {
            t.constant(sort, 0)
        };
        return done(Rule::ShiftTwice, result);
    }
    let range = t.range(a);
    match op {
        Op::AShr if range.never_negative() => {
            let result = t.op2(Op::LShr, sort, a, b);
            return done(Rule::ShiftNonNegative, result);
        }
        Op::LShr if range.umax >> k == 0 => {
            let result = t.constant(sort, 0);
            return done(Rule::ShiftOut, result);
        }
        _ => {}
    }
    pair(t, op, sort, a, k)
}

/// `(x << k) >> k`: extension of the low bits.
fn pair(t: &mut Terms, op: Op, sort: Sort, a: TermId, k: u64) -> RewriteResult {
    let extend = match op {
        Op::AShr => Op::SExt,
        Op::LShr => Op::ZExt,
        _ => return None,
    };
    let (x, k1) = t.with_constant(a, Op::Shl)?;
    let narrow = Sort::bv(sort.bits() - k as u32)?;
    if k1 != k {
        return None;
    }
    let low = t.op1(Op::Truncate, narrow, x);
    let result = t.op1(extend, sort, low);
    done(Rule::ShiftPairExtends, result)
}

fn distance(t: &mut Terms, op: Op, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    let (y, mask) = t.with_constant(b, Op::And)?;
    let needed = u64::from(sort.bits() - 1);
    if mask & needed != needed {
        return None;
    }
    let result = t.op2(op, sort, a, y);
    done(Rule::ShiftDistance, result)
}
