//! Combines two comparisons under `&&` or `||`, of the same two terms or of one term with constants.
//!
//! A comparison of `x` and `y` is the set of outcomes (less, equal, greater, unordered) for which it holds.
//! Conjunction intersects these sets, disjunction unites them, and negation complements them. The nested
//! choices of `lcmp` and `fcmp` thereby become the source's comparison again.

use super::{RewriteResult, done};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNORDERED: u8 = 8;

/// The order of a comparison. Equality of bit-vectors fits both integer orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Either,
    Signed,
    Unsigned,
    Float,
}

impl Order {
    const fn outcomes(self) -> u8 {
        match self {
            Order::Float => LESS | EQUAL | GREATER | UNORDERED,
            _ => LESS | EQUAL | GREATER,
        }
    }

    /// An order that fits both comparisons.
    fn common(self, other: Order) -> Option<Order> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Order::Either, b @ (Order::Signed | Order::Unsigned)) => Some(b),
            (a @ (Order::Signed | Order::Unsigned), Order::Either) => Some(a),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Relation {
    a: TermId,
    b: TermId,
    order: Order,
    holds: u8,
}

impl Relation {
    fn of(t: &Terms, id: TermId) -> Option<Relation> {
        let (op, [inner, ..]) = t.parts(id)?;
        if op != Op::Not {
            return Relation::of_plain(t, id);
        }
        let inner = Relation::of_plain(t, inner)?;
        Some(Relation { holds: inner.order.outcomes() & !inner.holds, ..inner })
    }

    fn of_plain(t: &Terms, id: TermId) -> Option<Relation> {
        let (op, [a, b, _]) = t.parts(id)?;
        let (order, holds) = match op {
            Op::Eq => (Order::Either, EQUAL),
            Op::Slt => (Order::Signed, LESS),
            Op::Sle => (Order::Signed, LESS | EQUAL),
            Op::Ult => (Order::Unsigned, LESS),
            Op::Ule => (Order::Unsigned, LESS | EQUAL),
            Op::FEq => (Order::Float, EQUAL),
            Op::FLt => (Order::Float, LESS),
            Op::FLe => (Order::Float, LESS | EQUAL),
            _ => return None,
        };
        Some(Relation { a, b, order, holds })
    }

    /// The relation with its operands exchanged.
    fn flipped(self) -> Relation {
        let kept = self.holds & (EQUAL | UNORDERED);
        let less = if self.holds & LESS == 0 { 0 } else { GREATER };
        let greater = if self.holds & GREATER == 0 { 0 } else { LESS };
        Relation { a: self.b, b: self.a, order: self.order, holds: kept | less | greater }
    }

    /// The single comparison, or its negation, with these outcomes.
    fn build(self, t: &mut Terms) -> Option<TermId> {
        let Relation { a, b, order, holds } = self;
        let all = order.outcomes();
        if holds == 0 || holds == all {
            return Some(t.bool(holds != 0));
        }
        let (equal, less, weak) = match order {
            Order::Float => (Op::FEq, Op::FLt, Op::FLe),
            Order::Unsigned => (Op::Eq, Op::Ult, Op::Ule),
            _ => (Op::Eq, Op::Slt, Op::Sle),
        };
        let plain = |holds: u8| match holds {
            EQUAL => Some((equal, a, b)),
            LESS => Some((less, a, b)),
            GREATER => Some((less, b, a)),
            h if h == LESS | EQUAL => Some((weak, a, b)),
            h if h == GREATER | EQUAL => Some((weak, b, a)),
            _ => None,
        };
        if let Some((op, x, y)) = plain(holds) {
            return Some(t.op2(op, Sort::Bool, x, y));
        }
        let (op, x, y) = plain(all & !holds)?;
        let opposite = t.op2(op, Sort::Bool, x, y);
        Some(t.op1(Op::Not, Sort::Bool, opposite))
    }
}

pub(super) fn combine(t: &mut Terms, op: Op, p: TermId, q: TermId) -> RewriteResult {
    if let Some(result) = same_pair(t, op, p, q) {
        return done(Rule::CompareSamePair, result);
    }
    let result = spans(t, op, p, q)?;
    done(Rule::CompareSpans, result)
}

fn same_pair(t: &mut Terms, op: Op, p: TermId, q: TermId) -> Option<TermId> {
    let (p, mut q) = (Relation::of(t, p)?, Relation::of(t, q)?);
    if p.a == q.b && p.b == q.a {
        q = q.flipped();
    }
    if p.a != q.a || p.b != q.b {
        return None;
    }
    let order = p.order.common(q.order)?;
    let holds = if op == Op::And { p.holds & q.holds } else { p.holds | q.holds };
    Relation { order, holds, ..p }.build(t)
}

/// The values for which a comparison with constants holds, in one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Span {
    Between(i128, i128),
    Except(i128),
}

#[derive(Clone, Copy, Debug)]
struct SpannedRelation {
    x: TermId,
    order: Order,
    span: Span,
}

fn spanned(t: &Terms, id: TermId, unsigned: bool) -> Option<SpannedRelation> {
    let relation = Relation::of(t, id)?;
    let Relation { a, b, order, holds } = relation;
    if order == Order::Float || (order == Order::Unsigned) != unsigned && order != Order::Either {
        return None;
    }
    let sort = t.sort(a);
    let read = |k: u64| if unsigned { i128::from(k) } else { i128::from(sort.signed(k)) };
    let (least, greatest) = bounds(sort, unsigned);
    let (x, span) = match (t.as_constant(a), t.as_constant(b), holds) {
        (None, Some(k), EQUAL) => (a, Span::Between(read(k), read(k))),
        (None, Some(k), h) if h == LESS | GREATER => (a, Span::Except(read(k))),
        (None, Some(k), h) if h == LESS | EQUAL => (a, Span::Between(least, read(k))),
        (Some(k), None, h) if h == LESS | EQUAL => (b, Span::Between(read(k), greatest)),
        _ => return None,
    };
    Some(SpannedRelation { x, order, span })
}

fn bounds(sort: Sort, unsigned: bool) -> (i128, i128) {
    if unsigned {
        (0, i128::from(sort.mask()))
    } else {
        (i128::from(sort.min_signed()), i128::from(sort.max_signed()))
    }
}

/// The conjunction or disjunction of two comparisons of one term with constants, if a single comparison
/// expresses it.
fn spans(t: &mut Terms, op: Op, p: TermId, q: TermId) -> Option<TermId> {
    let unsigned = [p, q].iter().any(|&id| Relation::of(t, id).is_some_and(|r| r.order == Order::Unsigned));
    let (p, q) = (spanned(t, p, unsigned)?, spanned(t, q, unsigned)?);
    if p.x != q.x {
        return None;
    }
    p.order.common(q.order)?;
    let sort = t.sort(p.x);
    let domain = bounds(sort, unsigned);
    let span = if op == Op::And {
        intersect(p.span, q.span)?
    } else {
        let outside = intersect(complement(p.span, domain)?, complement(q.span, domain)?)?;
        complement(outside, domain)?
    };
    build_span(t, p.x, span, domain, unsigned)
}

fn complement(span: Span, (least, greatest): (i128, i128)) -> Option<Span> {
    Some(match span {
        Span::Except(k) => Span::Between(k, k),
        Span::Between(low, high) if low > high => Span::Between(least, greatest),
        Span::Between(low, high) if low == high => Span::Except(low),
        Span::Between(low, high) if low == least => Span::Between(high + 1, greatest),
        Span::Between(low, high) if high == greatest => Span::Between(least, low - 1),
        Span::Between(..) => return None,
    })
}

fn intersect(p: Span, q: Span) -> Option<Span> {
    Some(match (p, q) {
        (Span::Between(a, b), Span::Between(c, d)) => Span::Between(a.max(c), b.min(d)),
        (Span::Between(a, b), Span::Except(k)) | (Span::Except(k), Span::Between(a, b)) => {
            if k == a {
                Span::Between(a + 1, b)
            } else if k == b {
                Span::Between(a, b - 1)
            } else if k < a || k > b {
                Span::Between(a, b)
            } else {
                return None;
            }
        }
        (Span::Except(a), Span::Except(b)) if a == b => p,
        (Span::Except(_), Span::Except(_)) => return None,
    })
}

fn build_span(t: &mut Terms, x: TermId, span: Span, domain: (i128, i128), unsigned: bool) -> Option<TermId> {
    let sort = t.sort(x);
    let weak = if unsigned { Op::Ule } else { Op::Sle };
    let constant = |t: &mut Terms, k: i128| t.constant(sort, k as u64 & sort.mask());
    Some(match span {
        Span::Between(low, high) if low > high => t.bool(false),
        Span::Between(low, high) if (low, high) == domain => t.bool(true),
        Span::Between(low, high) if low == high => {
            let k = constant(t, low);
            t.op2(Op::Eq, Sort::Bool, x, k)
        }
        Span::Between(low, high) if low == domain.0 => {
            let k = constant(t, high);
            t.op2(weak, Sort::Bool, x, k)
        }
        Span::Between(low, high) if high == domain.1 => {
            let k = constant(t, low);
            t.op2(weak, Sort::Bool, k, x)
        }
        Span::Between(..) => return None,
        Span::Except(k) => {
            let k = constant(t, k);
            let equal = t.op2(Op::Eq, Sort::Bool, x, k);
            t.op1(Op::Not, Sort::Bool, equal)
        }
    })
}
