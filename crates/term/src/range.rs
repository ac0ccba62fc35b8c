//! Interval bounds of bit-vector terms under all models. They are stored with each term and decide
//! comparisons during construction.

use crate::op::Op;
use crate::sort::Sort;
use crate::table::Table;

/// Inclusive bounds of a term's value, read as unsigned and as signed. Floats have the full range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least unsigned value.
    pub umin: u64,
    /// Greatest unsigned value.
    pub umax: u64,
    /// Least signed value.
    pub smin: i64,
    /// Greatest signed value.
    pub smax: i64,
}

impl Range {
    /// All values of a sort.
    #[must_use]
    pub const fn full(sort: Sort) -> Range {
        Range { umin: 0, umax: sort.mask(), smin: sort.min_signed(), smax: sort.max_signed() }
    }

    /// One value.
    pub(crate) fn constant(sort: Sort, bits: u64) -> Range {
        let signed = sort.signed(bits);
        Range { umin: bits, umax: bits, smin: signed, smax: signed }
    }

    /// Derives the signed bounds from unsigned ones.
    fn unsigned(sort: Sort, umin: u64, umax: u64) -> Range {
        Range { umin, umax, ..Range::full(sort) }.tightened(sort)
    }

    /// Derives the unsigned bounds from signed ones.
    fn signed(sort: Sort, smin: i64, smax: i64) -> Range {
        Range { smin, smax, ..Range::full(sort) }.tightened(sort)
    }

    /// Tightens the signed bounds by the unsigned ones and vice versa.
    fn tightened(mut self, sort: Sort) -> Range {
        let top = sort.max_signed() as u64;
        if self.umax <= top || self.umin > top {
            self.smin = self.smin.max(sort.signed(self.umin));
            self.smax = self.smax.min(sort.signed(self.umax));
        }
        if self.smin >= 0 || self.smax < 0 {
            self.umin = self.umin.max(sort.wrap(self.smin));
            self.umax = self.umax.min(sort.wrap(self.smax));
        }
        self
    }

    /// Whether the sign bit is never set.
    #[must_use]
    pub const fn never_negative(self) -> bool {
        self.smin >= 0
    }

    /// The value of a table at any index.
    pub(crate) fn of_table(table: &Table) -> Range {
        let values = || table.runs().iter().map(|run| run.value);
        let signed = || values().map(|v| table.sort().signed(v));
        Range {
            umin: values().min().unwrap_or(0),
            umax: values().max().unwrap_or(0),
            smin: signed().min().unwrap_or(0),
            smax: signed().max().unwrap_or(0),
        }
    }
}

/// The result of an operation on arguments with these bounds; only the first `op.arity()` count.
pub(crate) fn apply(op: Op, sort: Sort, [a, b, c]: [Range; 3]) -> Range {
    let full = Range::full(sort);
    if sort.is_float() || sort == Sort::Bool {
        return full;
    }
    let fits =
        |number: i128| i128::from(sort.min_signed()) <= number && number <= i128::from(sort.max_signed());
    let signed = |low: i128, high: i128| {
        if fits(low) && fits(high) { Range::signed(sort, low as i64, high as i64) } else { full }
    };
    let wide = |x: i64| i128::from(x);
    match op {
        Op::ZExt => Range::unsigned(sort, a.umin, a.umax),
        Op::SExt => Range::signed(sort, a.smin, a.smax),
        Op::Truncate if a.umax <= sort.mask() => Range::unsigned(sort, a.umin, a.umax),
        Op::Truncate => signed(wide(a.smin), wide(a.smax)),
        Op::Add => signed(wide(a.smin) + wide(b.smin), wide(a.smax) + wide(b.smax)),
        Op::Sub => signed(wide(a.smin) - wide(b.smax), wide(a.smax) - wide(b.smin)),
        Op::Neg => signed(-wide(a.smax), -wide(a.smin)),
        Op::Mul => {
            let corners = [a.smin, a.smax].map(|x| [b.smin, b.smax].map(|y| wide(x) * wide(y))).concat();
            signed(*corners.iter().min().unwrap_or(&0), *corners.iter().max().unwrap_or(&0))
        }
        Op::SDiv if a.never_negative() && b.smin > 0 => Range::signed(sort, 0, a.smax / b.smin),
        Op::SRem if b.smin > 0 => {
            // The remainder has the dividend's sign, and neither operand has a smaller magnitude.
            let low = if a.smin >= 0 { 0 } else { (1 - b.smax).max(a.smin) };
            Range::signed(sort, low, (b.smax - 1).min(a.smax.max(0)))
        }
        Op::And => Range::unsigned(sort, 0, a.umax.min(b.umax)),
        Op::Or | Op::Xor => {
            let most = a.umax | b.umax;
            let ones = u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
            let least = if op == Op::Or { a.umin.max(b.umin) } else { 0 };
            Range::unsigned(sort, least, ones)
        }
        Op::LShr if b.umin == b.umax => {
            let distance = b.umin & u64::from(sort.bits() - 1);
            Range::unsigned(sort, a.umin >> distance, a.umax >> distance)
        }
        Op::LShr => Range::unsigned(sort, 0, a.umax),
        Op::AShr if b.umin == b.umax => {
            let distance = b.umin & u64::from(sort.bits() - 1);
            Range::signed(sort, a.smin >> distance, a.smax >> distance)
        }
        Op::AShr => Range::signed(sort, a.smin.min(0), a.smax.max(-1)),
        Op::Shl if b.umin == b.umax => {
            let factor = 1_i128 << (b.umin & u64::from(sort.bits() - 1));
            signed(wide(a.smin) * factor, wide(a.smax) * factor)
        }
        Op::Ite => Range {
            umin: b.umin.min(c.umin),
            umax: b.umax.max(c.umax),
            smin: b.smin.min(c.smin),
            smax: b.smax.max(c.smax),
        },
        _ => full,
    }
}
