//! Rewrite rules for `<` and `<=`, signed and unsigned.

use super::{RewriteResult, done};
use crate::arena::{Term, TermId, Terms};
use crate::op::Op;
use crate::range::Range;
use crate::rules::Rule;
use crate::sort::Sort;

/// Limit on the length of a chain of choices into which a comparison is pushed.
const CHAIN: usize = 16;

pub(super) fn compare(t: &mut Terms, op: Op, a: TermId, b: TermId) -> RewriteResult {
    let strict = matches!(op, Op::Slt | Op::Ult);
    let signed = matches!(op, Op::Slt | Op::Sle);
    if a == b {
        return done(Rule::EqSame, t.bool(!strict));
    }
    let (ra, rb) = (t.range(a), t.range(b));
    if let Some(truth) = decide(signed, strict, ra, rb) {
        return done(Rule::CompareRange, t.bool(truth));
    }
    if let Some(result) = choice(t, op, a, b) {
        return done(Rule::CompareChoice, result);
    }
    if let Some(result) = widened(t, op, a, b) {
        return done(Rule::CompareWidened, result);
    }
    if !signed && ra.never_negative() && rb.never_negative() {
        let result = t.op2(if strict { Op::Slt } else { Op::Sle }, Sort::Bool, a, b);
        return done(Rule::CompareUnsigned, result);
    }
    if let Some(result) = with_constant(t, op, strict, signed, a, b) {
        return done(Rule::CompareConstant, result);
    }
    if signed && let Some(result) = shifted(t, op, a, b) {
        return done(Rule::CompareShifted, result);
    }
    None
}

fn decide(signed: bool, strict: bool, a: Range, b: Range) -> Option<bool> {
    // Whether all pairs of values satisfy the comparison, and whether none does.
    let (always, never) = match (signed, strict) {
        (true, true) => (a.smax < b.smin, a.smin >= b.smax),
        (true, false) => (a.smax <= b.smin, a.smin > b.smax),
        (false, true) => (a.umax < b.umin, a.umin >= b.umax),
        (false, false) => (a.umax <= b.umin, a.umin > b.umax),
    };
    if always {
        Some(true)
    } else if never {
        Some(false)
    } else {
        None
    }
}

/// Compares a constant with a chain of choices that each have a constant side.
pub(super) fn choice(t: &mut Terms, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let (chosen, constant, left) = if t.as_constant(b).is_some() { (a, b, true) } else { (b, a, false) };
    t.as_constant(constant)?;
    if !short_chain(t, chosen) {
        return None;
    }
    let [condition, x, y] = t.app(chosen, Op::Ite)?;
    let side = |t: &mut Terms, v: TermId| {
        if left { t.op2(op, Sort::Bool, v, constant) } else { t.op2(op, Sort::Bool, constant, v) }
    };
    let (x, y) = (side(t, x), side(t, y));
    Some(t.apply(Op::Ite, Sort::Bool, [condition, x, y]))
}

/// Whether a term is a chain of at most `CHAIN` choices with a constant side.
fn short_chain(t: &Terms, mut id: TermId) -> bool {
    for length in 0..CHAIN {
        let Some([_, x, y]) = t.app(id, Op::Ite) else { return length > 0 };
        if t.as_constant(x).is_some() {
            id = y;
        } else if t.as_constant(y).is_some() {
            id = x;
        } else {
            return length > 0;
        }
    }
    false
}

fn widened(t: &mut Terms, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let ext = |t: &Terms, id: TermId| match *t.get(id) {
        Term::Apply { op: op @ (Op::ZExt | Op::SExt), args, .. } => Some((op, args[0])),
        _ => None,
    };
    let unsigned_op = if matches!(op, Op::Slt | Op::Ult) { Op::Ult } else { Op::Ule };
    match (ext(t, a), ext(t, b)) {
        (Some((ea, x)), Some((eb, y))) if ea == eb => {
            let (sx, sy) = (t.sort(x), t.sort(y));
            let wide = sx.max(sy);
            if wide == Sort::Bool {
                return None;
            }
            let x = if sx == wide { x } else { t.op1(ea, wide, x) };
            let y = if sy == wide { y } else { t.op1(eb, wide, y) };
            Some(t.op2(if ea == Op::ZExt { unsigned_op } else { op }, Sort::Bool, x, y))
        }
        (Some((ext, x)), None) => {
            let k = narrowed(t, ext, x, b)?;
            Some(match k {
                Err(truth_of) => two_valued(t, op, x, truth_of, true),
                Ok(k) => t.op2(if ext == Op::ZExt { unsigned_op } else { op }, Sort::Bool, x, k),
            })
        }
        (None, Some((ext, y))) => {
            let k = narrowed(t, ext, y, a)?;
            Some(match k {
                Err(truth_of) => two_valued(t, op, y, truth_of, false),
                Ok(k) => t.op2(if ext == Op::ZExt { unsigned_op } else { op }, Sort::Bool, k, y),
            })
        }
        _ => None,
    }
}

/// `k` as a constant of `x`'s sort if its `ext` is `k`; `k` unchanged if `x` is a `Bool`.
fn narrowed(t: &mut Terms, ext: Op, x: TermId, k: TermId) -> Option<Result<TermId, TermId>> {
    let value = t.as_constant(k)?;
    let (narrow, wide) = (t.sort(x), t.sort(k));
    if narrow == Sort::Bool {
        return (ext == Op::ZExt).then_some(Err(k));
    }
    let low = value & narrow.mask();
    let back = if ext == Op::ZExt { low } else { wide.wrap(narrow.signed(low)) };
    (back == value).then(|| Ok(t.constant(narrow, low)))
}

/// Compares `zext(b)` with a constant by cases.
fn two_valued(t: &mut Terms, op: Op, b: TermId, k: TermId, left: bool) -> TermId {
    let sort = t.sort(k);
    let cases = [1, 0].map(|value| {
        let value = t.constant(sort, value);
        if left { t.op2(op, Sort::Bool, value, k) } else { t.op2(op, Sort::Bool, k, value) }
    });
    t.apply(Op::Ite, Sort::Bool, [b, cases[0], cases[1]])
}

fn with_constant(t: &mut Terms, op: Op, strict: bool, signed: bool, a: TermId, b: TermId) -> Option<TermId> {
    let sort = t.sort(a);
    let weak = if signed { Op::Sle } else { Op::Ule };
    let (least, greatest) =
        if signed { (sort.wrap(sort.min_signed()), sort.wrap(sort.max_signed())) } else { (0, sort.mask()) };
    let (ra, rb) = (t.range(a), t.range(b));
    if let Some(k) = t.as_constant(b) {
        if strict {
            // `k` is not the least value, or the bounds would have decided.
            let k = t.constant(sort, k.wrapping_sub(1));
            return Some(t.op2(weak, Sort::Bool, a, k));
        }
        let low = if signed { sort.wrap(ra.smin) } else { ra.umin };
        return (k == least || k == low).then(|| t.op2(Op::Eq, Sort::Bool, a, b));
    }
    let k = t.as_constant(a)?;
    if strict {
        let k = t.constant(sort, k.wrapping_add(1));
        return Some(t.op2(weak, Sort::Bool, k, b));
    }
    let high = if signed { sort.wrap(rb.smax) } else { rb.umax };
    (op == weak && (k == greatest || k == high)).then(|| t.op2(Op::Eq, Sort::Bool, b, a))
}

/// A term as `x + k` if the sum cannot overflow as a signed number.
fn offset(t: &Terms, id: TermId) -> (TermId, i64) {
    let Some((x, k)) = t.with_constant(id, Op::Add) else { return (id, 0) };
    let sort = t.sort(id);
    let (range, k) = (t.range(x), sort.signed(k));
    let fits = |bound: i64| {
        let sum = i128::from(bound) + i128::from(k);
        i128::from(sort.min_signed()) <= sum && sum <= i128::from(sort.max_signed())
    };
    if fits(range.smin) && fits(range.smax) { (x, k) } else { (id, 0) }
}

/// Signed comparison of sums that cannot overflow.
fn shifted(t: &mut Terms, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let sort = t.sort(a);
    let ((x, p), (y, q)) = (offset(t, a), offset(t, b));
    if p == 0 && q == 0 {
        return None;
    }
    let fits = |n: i128| i128::from(sort.min_signed()) <= n && n <= i128::from(sort.max_signed());
    let (p, q) = (i128::from(p), i128::from(q));
    if let Some(k) = t.as_constant(b) {
        let moved = i128::from(sort.signed(k)) - p;
        if !fits(moved) {
            return None;
        }
        let k = t.constant(sort, sort.wrap(moved as i64));
        return Some(t.op2(op, Sort::Bool, x, k));
    }
    if let Some(k) = t.as_constant(a) {
        let moved = i128::from(sort.signed(k)) - q;
        if !fits(moved) {
            return None;
        }
        let k = t.constant(sort, sort.wrap(moved as i64));
        return Some(t.op2(op, Sort::Bool, k, y));
    }
    (p == q).then(|| t.op2(op, Sort::Bool, x, y))
}
