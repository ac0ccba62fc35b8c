//! Rewrite rules for `==` on bit-vectors and booleans.

use super::{RewriteResult, compare, done};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

pub(super) fn equal(t: &mut Terms, a: TermId, b: TermId) -> RewriteResult {
    if a == b {
        return done(Rule::EqSame, t.bool(true));
    }
    let sort = t.sort(a);
    if sort == Sort::Bool {
        let result = match t.as_constant(b) {
            Some(0) => t.op1(Op::Not, sort, a),
            Some(_) => a,
            None => {
                let different = t.op2(Op::Xor, sort, a, b);
                t.op1(Op::Not, sort, different)
            }
        };
        return done(Rule::EqTruth, result);
    }
    let (ra, rb) = (t.range(a), t.range(b));
    if ra.umax < rb.umin || rb.umax < ra.umin || ra.smax < rb.smin || rb.smax < ra.smin {
        return done(Rule::CompareRange, t.bool(false));
    }
    if let Some(k) = t.as_constant(b) {
        return match peel(t, a, k) {
            Some(Some((x, k))) => {
                let k = t.constant(t.sort(x), k);
                let result = t.op2(Op::Eq, Sort::Bool, x, k);
                done(Rule::EqPeel, result)
            }
            Some(None) => done(Rule::EqPeel, t.bool(false)),
            None => to_constant(t, a, b, k),
        };
    }
    two_terms(t, sort, a, b)
}

/// Inverts reversible operations on both sides. `None` if there is none; `Some(None)` if no value gives the
/// constant.
#[expect(clippy::option_option, reason = "no step, or steps that end in a contradiction or in an equation")]
fn peel(t: &Terms, mut x: TermId, mut k: u64) -> Option<Option<(TermId, u64)>> {
    let mut steps = 0_usize;
    loop {
        let sort = t.sort(x);
        let Some((op, [y, z, _])) = t.parts(x) else { break };
        let right = t.as_constant(z);
        let (inner, next) = match (op, right) {
            (Op::Add, Some(c)) => (y, k.wrapping_sub(c)),
            (Op::Xor, Some(c)) => (y, k ^ c),
            (Op::Mul, Some(c)) if c & 1 == 1 => (y, k.wrapping_mul(inverse(c))),
            (Op::Sub, _) if let Some(c) = t.as_constant(y) => (z, c.wrapping_sub(k)),
            (Op::Neg, _) => (y, k.wrapping_neg()),
            (Op::Not, _) => (y, !k),
            (Op::ZExt | Op::SExt, _) => {
                let narrow = t.sort(y);
                let low = k & narrow.mask();
                let back = if op == Op::ZExt { low } else { sort.wrap(narrow.signed(low)) };
                if back != k {
                    return Some(None);
                }
                (y, low)
            }
            _ => break,
        };
        x = inner;
        k = next & t.sort(inner).mask();
        steps += 1;
    }
    (steps > 0).then_some(Some((x, k)))
}

/// The inverse of an odd number modulo 2^64, and thus modulo smaller powers, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    // Each round doubles the number of correct bits; an odd number is its own inverse modulo 8.
    (0..5).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}

fn to_constant(t: &mut Terms, a: TermId, b: TermId, k: u64) -> RewriteResult {
    if let Some(result) = compare::choice(t, Op::Eq, a, b) {
        return done(Rule::CompareChoice, result);
    }
    if k != 0 {
        return None;
    }
    let sort = t.sort(a);
    let (op, [x, y, _]) = t.parts(a)?;
    match op {
        Op::Sub | Op::Xor => {
            let result = t.op2(Op::Eq, Sort::Bool, x, y);
            done(Rule::EqDifference, result)
        }
        Op::Or => {
            let left = t.op2(Op::Eq, Sort::Bool, x, b);
            let right = t.op2(Op::Eq, Sort::Bool, y, b);
            let result = t.op2(Op::And, Sort::Bool, left, right);
            done(Rule::EqOrZero, result)
        }
        Op::LShr => {
            let distance = t.as_constant(y)? & u64::from(sort.bits() - 1);
            let result = t.op2k_of(Op::Ule, sort, x, (1 << distance) - 1);
            done(Rule::EqShiftZero, result)
        }
        _ => None,
    }
}

fn two_terms(t: &mut Terms, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    let (pa, pb) = (t.parts(a), t.parts(b));
    if let (Some((op, [x, ..])), Some((other, [y, ..]))) = (pa, pb)
        && op == other
    {
        match op {
            Op::ZExt | Op::SExt => {
                let wide = t.sort(x).max(t.sort(y));
                let x = if t.sort(x) == wide { x } else { t.op1(op, wide, x) };
                let y = if t.sort(y) == wide { y } else { t.op1(op, wide, y) };
                let result = t.op2(Op::Eq, Sort::Bool, x, y);
                return done(Rule::CompareWidened, result);
            }
            Op::Neg | Op::Not => {
                let result = t.op2(Op::Eq, Sort::Bool, x, y);
                return done(Rule::EqDifference, result);
            }
            _ => {}
        }
    }
    for ((op, args), other) in [(pa, b), (pb, a)].into_iter().filter_map(|(p, o)| Some((p?, o))) {
        if !matches!(op, Op::Add | Op::Xor) {
            continue;
        }
        let [x, y, _] = args;
        // x + y == x → y == 0
        for (same, rest) in [(x, y), (y, x)] {
            if same == other {
                let zero = t.constant(sort, 0);
                let result = t.op2(Op::Eq, Sort::Bool, rest, zero);
                return done(Rule::EqDifference, result);
            }
        }
        // x + z == y + z → x == y
        if let Some([u, v, _]) = t.app(other, op) {
            for (p, q) in [(x, y), (y, x)] {
                for (r, s) in [(u, v), (v, u)] {
                    if q == s {
                        let result = t.op2(Op::Eq, Sort::Bool, p, r);
                        return done(Rule::EqDifference, result);
                    }
                }
            }
        }
    }
    None
}

impl Terms {
    /// Equality with a constant of the argument's sort.
    fn op2k_of(&mut self, op: Op, sort: Sort, a: TermId, k: u64) -> TermId {
        let k = self.constant(sort, k);
        self.op2(op, Sort::Bool, a, k)
    }
}
