//! Rewrite rules for truncation and extension.

use super::{RewriteResult, done};
use crate::arena::{Term, TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

pub(super) fn truncate(t: &mut Terms, to: Sort, a: TermId) -> RewriteResult {
    let (op, [x, y, _]) = t.parts(a)?;
    match op {
        Op::Truncate => {
            let result = t.op1(Op::Truncate, to, x);
            done(Rule::ResizeChain, result)
        }
        Op::ZExt | Op::SExt => {
            let from = t.sort(x);
            let result = match to.bits().cmp(&from.bits()) {
                std::cmp::Ordering::Less => t.op1(Op::Truncate, to, x),
                std::cmp::Ordering::Equal => x,
                std::cmp::Ordering::Greater => t.op1(op, to, x),
            };
            done(Rule::ResizeChain, result)
        }
        Op::And if t.as_constant(y).is_some_and(|k| k & to.mask() == to.mask()) => {
            let result = t.op1(Op::Truncate, to, x);
            done(Rule::TruncateMasked, result)
        }
        Op::And | Op::Or | Op::Xor => operands(t, op, to, x, y),
        Op::Add | Op::Sub | Op::Mul if to != Sort::Bool => operands(t, op, to, x, y),
        _ => None,
    }
}

/// `truncate(x op y)`, where the low bits of the result depend only on the low bits of `x` and `y`.
fn operands(t: &mut Terms, op: Op, to: Sort, x: TermId, y: TermId) -> RewriteResult {
    let simple = |t: &Terms, id: TermId| match t.get(id) {
        Term::Constant { .. } => true,
        Term::Apply { op: Op::ZExt | Op::SExt, args, .. } => t.sort(args[0]).bits() <= to.bits(),
        _ => false,
    };
    if !simple(t, x) || !simple(t, y) {
        return None;
    }
    let (x, y) = (t.op1(Op::Truncate, to, x), t.op1(Op::Truncate, to, y));
    let result = t.op2(op, to, x, y);
    done(Rule::TruncateOperands, result)
}

pub(super) fn extend(t: &mut Terms, op: Op, to: Sort, a: TermId) -> RewriteResult {
    match (op, t.parts(a)) {
        (_, Some((Op::ZExt, [x, ..]))) => {
            let result = t.op1(Op::ZExt, to, x);
            done(Rule::ResizeChain, result)
        }
        (Op::SExt, Some((Op::SExt, [x, ..]))) => {
            let result = t.op1(Op::SExt, to, x);
            done(Rule::ResizeChain, result)
        }
        (Op::SExt, _) if t.sort(a) != Sort::Bool && t.range(a).never_negative() => {
            let result = t.op1(Op::ZExt, to, a);
            done(Rule::ResizeNonNegative, result)
        }
        _ => None,
    }
}
