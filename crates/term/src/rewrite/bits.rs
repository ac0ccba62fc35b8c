//! Rewrite rules for `&`, `|`, `^` and `~` on bit-vectors and booleans.

use super::{RewriteResult, done, relation, slices};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

pub(super) fn binary(t: &mut Terms, op: Op, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    if let Some(k) = t.as_constant(b) {
        return with_constant(t, op, sort, a, b, k);
    }
    if a == b {
        let result = if op == Op::Xor { t.constant(sort, 0) } else { a };
        return done(Rule::BitsSame, result);
    }
    if t.complements(a, b) {
        let result = t.constant(sort, if op == Op::And { 0 } else { sort.mask() });
        return done(Rule::BitsComplement, result);
    }
    if op != Op::Xor
        && let Some(result) = absorb(t, op, sort, a, b).or_else(|| absorb(t, op, sort, b, a))
    {
        return done(Rule::BitsAbsorb, result);
    }
    if sort == Sort::Bool {
        return if op == Op::Xor { None } else { relation::combine(t, op, a, b) };
    }
    if let (Some((ext, [x, ..])), Some((other, [y, ..]))) = (t.parts(a), t.parts(b))
        && ext == other
        && matches!(ext, Op::ZExt | Op::SExt)
        && t.sort(x) == t.sort(y)
    {
        let narrow = t.op2(op, t.sort(x), x, y);
        let result = t.op1(ext, sort, narrow);
        return done(Rule::BitsOfWidened, result);
    }
    if op == Op::And { None } else { slices::join(t, op, sort, a, b) }
}

fn with_constant(t: &mut Terms, op: Op, sort: Sort, a: TermId, b: TermId, k: u64) -> RewriteResult {
    let ones = k == sort.mask();
    let identity = match op {
        Op::And if k == 0 => Some(b),
        Op::And if ones => Some(a),
        Op::Or if k == 0 => Some(a),
        Op::Or if ones => Some(b),
        Op::Xor if k == 0 => Some(a),
        Op::Xor if ones => Some(t.op1(Op::Not, sort, a)),
        _ => None,
    };
    if let Some(result) = identity {
        return done(Rule::BitsIdentity, result);
    }
    if let Some((x, k1)) = t.with_constant(a, op) {
        let both = match op {
            Op::And => k & k1,
            Op::Or => k | k1,
            _ => k ^ k1,
        };
        let result = t.op2k(op, sort, x, both);
        return done(Rule::BitsConstants, result);
    }
    if let Some(result) = widened_constant(t, op, sort, a, k) {
        return done(Rule::BitsOfWidened, result);
    }
    if op == Op::And
        && let Some(narrow) = [Sort::Bv8, Sort::Bv16, Sort::Bv32].into_iter().find(|s| s.mask() == k)
    {
        let low = t.op1(Op::Truncate, narrow, a);
        let result = t.op1(Op::ZExt, sort, low);
        return done(Rule::MaskWidth, result);
    }
    None
}

/// `ext(x) op k`, where `k` is representable in the narrow sort.
fn widened_constant(t: &mut Terms, op: Op, sort: Sort, a: TermId, k: u64) -> Option<TermId> {
    let (ext, [x, ..]) = t.parts(a)?;
    let narrow = t.sort(x);
    let fits_unsigned = k <= narrow.mask();
    let fits_signed = sort.wrap(narrow.signed(k & narrow.mask())) == k;
    let outer = match (ext, op) {
        (Op::ZExt, Op::And) => Op::ZExt,
        (Op::ZExt, _) if fits_unsigned => Op::ZExt,
        (Op::SExt, Op::And) if fits_unsigned => Op::ZExt,
        (Op::SExt, _) if fits_signed => Op::SExt,
        _ => return None,
    };
    let inner = t.op2k(op, narrow, x, k);
    Some(t.op1(outer, sort, inner))
}

/// `a op b`, where `b` is an `&` or `|` over `a` or its complement.
fn absorb(t: &mut Terms, op: Op, sort: Sort, a: TermId, b: TermId) -> Option<TermId> {
    let (inner, [x, y, _]) = t.parts(b)?;
    let dual = if op == Op::And { Op::Or } else { Op::And };
    if inner == op && (x == a || y == a) {
        return Some(b);
    }
    if inner == op && (t.complements(a, x) || t.complements(a, y)) {
        return Some(t.constant(sort, if op == Op::And { 0 } else { sort.mask() }));
    }
    if inner == dual {
        if x == a || y == a {
            return Some(a);
        }
        if t.complements(a, x) {
            return Some(t.op2(op, sort, a, y));
        }
        if t.complements(a, y) {
            return Some(t.op2(op, sort, a, x));
        }
    }
    None
}

pub(super) fn not(t: &mut Terms, sort: Sort, a: TermId) -> RewriteResult {
    let (op, [x, y, _]) = t.parts(a)?;
    match op {
        Op::Not => done(Rule::NotNot, x),
        Op::Slt | Op::Sle | Op::Ult | Op::Ule => {
            let opposite = match op {
                Op::Slt => Op::Sle,
                Op::Sle => Op::Slt,
                Op::Ult => Op::Ule,
                _ => Op::Ult,
            };
            let result = t.op2(opposite, Sort::Bool, y, x);
            done(Rule::NotCompare, result)
        }
        Op::SExt => {
            let inner = t.op1(Op::Not, t.sort(x), x);
            let result = t.op1(Op::SExt, sort, inner);
            done(Rule::BitsOfWidened, result)
        }
        _ => None,
    }
}
