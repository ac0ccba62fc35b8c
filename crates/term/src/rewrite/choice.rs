//! Rewrite rules for `condition ? x : y`.

use super::{RewriteResult, done};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

pub(super) fn ite(t: &mut Terms, sort: Sort, c: TermId, x: TermId, y: TermId) -> RewriteResult {
    if let Some(truth) = t.as_constant(c) {
        return done(Rule::IteCondition, if truth == 0 { y } else { x });
    }
    if x == y {
        return done(Rule::IteSame, x);
    }
    if let Some([inner, ..]) = t.app(c, Op::Not) {
        let result = t.apply(Op::Ite, sort, [inner, y, x]);
        return done(Rule::IteCondition, result);
    }
    if sort == Sort::Bool
        && let Some(result) = of_truth(t, c, x, y)
    {
        return done(Rule::IteTruth, result);
    }
    if sort.is_bv() {
        match (t.as_constant(x), t.as_constant(y)) {
            (Some(1), Some(0)) => {
                let result = t.op1(Op::ZExt, sort, c);
                return done(Rule::IteZeroOne, result);
            }
            (Some(0), Some(1)) => {
                let opposite = t.op1(Op::Not, Sort::Bool, c);
                let result = t.op1(Op::ZExt, sort, opposite);
                return done(Rule::IteZeroOne, result);
            }
            _ => {}
        }
    }
    if let Some([d, u, _]) = t.app(x, Op::Ite)
        && d == c
    {
        let result = t.apply(Op::Ite, sort, [c, u, y]);
        return done(Rule::IteNested, result);
    }
    if let Some([d, _, v]) = t.app(y, Op::Ite)
        && d == c
    {
        let result = t.apply(Op::Ite, sort, [c, x, v]);
        return done(Rule::IteNested, result);
    }
    if let Some([u, k, _]) = t.app(c, Op::Eq)
        && u == y
        && k == x
    {
        return done(Rule::IteEqual, y);
    }
    None
}

fn of_truth(t: &mut Terms, c: TermId, x: TermId, y: TermId) -> Option<TermId> {
    let (then, other) = (t.as_constant(x), t.as_constant(y));
    let bool = Sort::Bool;
    Some(match (then, other) {
        (Some(1), Some(_)) => c,
        (Some(_), Some(_)) => t.op1(Op::Not, bool, c),
        (Some(1), None) => t.op2(Op::Or, bool, c, y),
        (Some(_), None) => {
            let not = t.op1(Op::Not, bool, c);
            t.op2(Op::And, bool, not, y)
        }
        (None, Some(1)) => {
            let not = t.op1(Op::Not, bool, c);
            t.op2(Op::Or, bool, not, x)
        }
        (None, Some(_)) => t.op2(Op::And, bool, c, x),
        (None, None) if x == c => t.op2(Op::Or, bool, c, y),
        (None, None) if y == c => t.op2(Op::And, bool, c, x),
        (None, None) => return None,
    })
}
