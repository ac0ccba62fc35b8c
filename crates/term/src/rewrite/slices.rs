//! Recognises bytes that are split from a word and joined again.

use super::{RewriteResult, done};
use crate::arena::{TermId, Terms};
use crate::op::Op;
use crate::rules::Rule;
use crate::sort::Sort;

/// A term that consists of bits `lo .. lo + len` of `base`, moved to bit `at`, with zeros elsewhere.
#[derive(Clone, Copy, Debug)]
struct Slice {
    base: TermId,
    lo: u32,
    len: u32,
    at: u32,
}

/// Limit on the operations followed.
const DEPTH: usize = 8;

fn slice(t: &Terms, id: TermId) -> Slice {
    // The moves so far, outermost first; they are applied from the innermost outwards.
    let mut moves = [(Op::ZExt, 0_u64, Sort::Bool); DEPTH];
    let mut count = 0;
    let mut base = id;
    while count < DEPTH {
        let Some((op, args)) = t.parts(base) else { break };
        let amount = match op {
            Op::ZExt | Op::Truncate => 0,
            Op::Shl | Op::LShr | Op::And => match t.as_constant(args[1]) {
                Some(k) if op != Op::And || contiguous(k) => k,
                _ => break,
            },
            _ => break,
        };
        moves[count] = (op, amount, t.sort(base));
        count += 1;
        base = args[0];
    }
    let mut slice = Slice { base, lo: 0, len: t.sort(base).bits(), at: 0 };
    for &(op, amount, sort) in moves[..count].iter().rev() {
        slice.step(op, amount, sort);
    }
    slice
}

/// Whether the mask is one run of ones.
fn contiguous(mask: u64) -> bool {
    let run = mask >> mask.trailing_zeros().min(63);
    run & run.wrapping_add(1) == 0 && mask != 0
}

impl Slice {
    /// The slice after one more operation with a result of this sort.
    fn step(&mut self, op: Op, amount: u64, sort: Sort) {
        let distance = (amount & u64::from(sort.bits() - 1)) as u32;
        match op {
            Op::Shl => self.at += distance,
            Op::LShr => self.drop_below(distance, distance),
            Op::And => {
                let first = amount.trailing_zeros();
                self.drop_below(first, 0);
                let end = 64 - amount.leading_zeros();
                self.len = self.len.min(end.saturating_sub(self.at));
            }
            _ => {}
        }
        self.len = self.len.min(sort.bits().saturating_sub(self.at));
    }

    /// Drops the bits below `bound` and moves the rest down by `distance`.
    fn drop_below(&mut self, bound: u32, distance: u32) {
        let lost = bound.saturating_sub(self.at).min(self.len);
        self.lo += lost;
        self.len -= lost;
        self.at = (self.at + lost).saturating_sub(distance);
    }

    fn disjoint(self, other: Slice) -> bool {
        self.at + self.len <= other.at || other.at + other.len <= self.at
    }

    fn joined(self, other: Slice) -> Option<Slice> {
        let (low, high) = if self.at <= other.at { (self, other) } else { (other, self) };
        let adjacent = low.at + low.len == high.at && low.lo + low.len == high.lo;
        (low.base == high.base && adjacent && low.len > 0 && high.len > 0)
            .then_some(Slice { len: low.len + high.len, ..low })
    }

    /// A term of this sort for the slice, if a simple one exists.
    fn build(self, t: &mut Terms, sort: Sort) -> Option<TermId> {
        let Slice { base, lo, len, at } = self;
        let from = t.sort(base);
        let run = (u64::MAX >> (64 - len)) << at;
        if lo == at && from == sort {
            return Some(t.op2k(Op::And, sort, base, run));
        }
        if from.bits() > 64 || (len != from.bits() && Sort::bv(len).is_none()) {
            return None;
        }
        let mut result = base;
        if lo > 0 {
            let distance = t.constant(Sort::Bv32, u64::from(lo));
            result = t.op2(Op::LShr, from, result, distance);
        }
        if len < from.bits() {
            result = t.op1(Op::Truncate, Sort::bv(len)?, result);
        }
        if len < sort.bits() {
            result = t.op1(Op::ZExt, sort, result);
        }
        if at > 0 {
            let distance = t.constant(Sort::Bv32, u64::from(at));
            result = t.op2(Op::Shl, sort, result, distance);
        }
        Some(result)
    }
}

/// Joins `a | b` (or `+`, `^`, since the bits are disjoint) if both are adjacent slices of one term.
pub(super) fn join(t: &mut Terms, op: Op, sort: Sort, a: TermId, b: TermId) -> RewriteResult {
    let (left, right) = (slice(t, a), slice(t, b));
    if let Some(both) = left.joined(right) {
        let result = both.build(t, sort)?;
        return done(Rule::JoinSlices, result);
    }
    // In `(u | v) | b`, v and b are joined; with `+` and `^`, u and b must be disjoint.
    for (other, single) in [(a, right), (b, left)] {
        if let Some([u, v, _]) = t.app(other, Op::Or) {
            for (keep, with) in [(u, v), (v, u)] {
                if (op == Op::Or || slice(t, keep).disjoint(single))
                    && let Some(both) = slice(t, with).joined(single)
                    && let Some(joined) = both.build(t, sort)
                {
                    let result = t.op2(Op::Or, sort, keep, joined);
                    return done(Rule::JoinSlices, result);
                }
            }
        }
    }
    None
}
