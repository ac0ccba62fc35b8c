//! Rewriting during construction. Each function takes an operation with its rewritten arguments and returns
//! the rule that applies with its result, or `None`.
//!
//! A rule builds a bounded number of new terms and never follows chains of unbounded length.

mod arith;
mod bits;
mod choice;
mod compare;
mod equal;
mod float;
mod relation;
mod rewrite_result;
mod shift;
mod slices;
mod width;

use crate::arena::{Term, TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::semantics;
use crate::sort::Sort;
use rewrite_result::{RewriteResult, done};

/// Applies the first matching rule to an operation on rewritten arguments (constants right where they
/// commute).
pub(crate) fn rewrite(t: &mut Terms, op: Op, sort: Sort, args: [TermId; 3]) -> RewriteResult {
    let [a, b, c] = args;
    if op != Op::Ite
        && let Some(result) = fold_choice(t, op, sort, args)
    {
        return Some((Rule::FoldChoiceOfConstants, result));
    }
    match op {
        Op::Add => arith::add(t, sort, a, b),
        Op::Sub => arith::sub(t, sort, a, b),
        Op::Mul => arith::mul(t, sort, a, b),
        Op::SDiv => arith::div(t, sort, a, b),
        Op::SRem => arith::rem(t, sort, a, b),
        Op::Neg => arith::neg(t, a),
        Op::And | Op::Or | Op::Xor => bits::binary(t, op, sort, a, b),
        Op::Not => bits::not(t, sort, a),
        Op::Shl | Op::AShr | Op::LShr => shift::shift(t, op, sort, a, b),
        Op::Truncate => width::truncate(t, sort, a),
        Op::SExt | Op::ZExt => width::extend(t, op, sort, a),
        Op::Eq => equal::equal(t, a, b),
        Op::Slt | Op::Sle | Op::Ult | Op::Ule => compare::compare(t, op, a, b),
        Op::Ite => choice::ite(t, sort, a, b, c),
        Op::FEq | Op::FLt | Op::FLe => float::compare(t, op, a, b),
        Op::FNeg | Op::FAbs | Op::FBits | Op::DBits | Op::BitsF | Op::BitsD => float::bits(t, op, sort, a),
        _ => None,
    }
}

/// Evaluates `op` if its only non-constant argument is a choice between two constants.
fn fold_choice(t: &mut Terms, op: Op, sort: Sort, args: [TermId; 3]) -> Option<TermId> {
    let from = t.sort(args[0]);
    let choice = |t: &Terms, id: TermId| {
        let [condition, x, y] = t.app(id, Op::Ite)?;
        Some((condition, t.as_constant(x)?, t.as_constant(y)?))
    };
    let (condition, values) = if op.arity() == 1 {
        let (condition, x, y) = choice(t, args[0])?;
        (condition, [x, y].map(|v| semantics::apply(op, from, sort, &[v])))
    } else if let Some(k) = t.as_constant(args[1]) {
        let (condition, x, y) = choice(t, args[0])?;
        (condition, [x, y].map(|v| semantics::apply(op, from, sort, &[v, k])))
    } else {
        let k = t.as_constant(args[0])?;
        let (condition, x, y) = choice(t, args[1])?;
        (condition, [x, y].map(|v| semantics::apply(op, from, sort, &[k, v])))
    };
    let [x, y] = values.map(|value| t.constant(sort, value));
    Some(t.apply(Op::Ite, sort, [condition, x, y]))
}

/// Helpers for the rules.
impl Terms {
    /// The arguments, if the term is this operation.
    pub(crate) fn app(&self, id: TermId, wanted: Op) -> Option<[TermId; 3]> {
        match *self.get(id) {
            Term::Apply { op, args, .. } if op == wanted => Some(args),
            _ => None,
        }
    }

    /// The operation and arguments, if the term is an application.
    pub(crate) fn parts(&self, id: TermId) -> Option<(Op, [TermId; 3])> {
        match *self.get(id) {
            Term::Apply { op, args, .. } => Some((op, args)),
            _ => None,
        }
    }

    /// The first and the constant second argument, if the term is this operation.
    fn with_constant(&self, id: TermId, wanted: Op) -> Option<(TermId, u64)> {
        let [x, k, _] = self.app(id, wanted)?;
        Some((x, self.as_constant(k)?))
    }

    /// Whether one term is the complement of the other.
    fn complements(&self, a: TermId, b: TermId) -> bool {
        let of = |x: TermId, y: TermId| self.app(x, Op::Not).is_some_and(|args| args[0] == y);
        of(a, b) || of(b, a)
    }

    fn op2(&mut self, op: Op, sort: Sort, a: TermId, b: TermId) -> TermId {
        self.apply(op, sort, [a, b, a])
    }

    fn op1(&mut self, op: Op, sort: Sort, a: TermId) -> TermId {
        self.apply(op, sort, [a, a, a])
    }

    fn op2k(&mut self, op: Op, sort: Sort, a: TermId, k: u64) -> TermId {
        let k = self.constant(sort, k);
        self.apply(op, sort, [a, k, a])
    }
}
