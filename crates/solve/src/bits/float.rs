//! Bit-level comparison of floats; float arithmetic is left to Z3.

use cupping_term::Op;

use super::circuit::{Bit, Circuit};

/// Number of stored significand bits.
const fn significand(width: usize) -> usize {
    if width == 32 { 23 } else { 52 }
}

impl Circuit {
    fn any(&mut self, bits: &[Bit]) -> Bit {
        bits.iter().fold(Bit::FALSE, |any, &bit| self.or(any, bit))
    }

    fn is_nan(&mut self, a: &[Bit]) -> Bit {
        let (fraction, rest) = a.split_at(significand(a.len()));
        let exponent = &rest[..rest.len() - 1];
        let full = exponent.iter().fold(Bit::TRUE, |all, &bit| self.and(all, bit));
        let fraction = self.any(fraction);
        self.and(full, fraction)
    }

    /// `FEq`, `FLt` or `FLe`: false with NaN; the two zeros are equal.
    pub(super) fn compare_floats(&mut self, op: Op, a: &[Bit], b: &[Bit]) -> Bit {
        let top = a.len() - 1;
        let (nan_a, nan_b) = (self.is_nan(a), self.is_nan(b));
        let ordered = !self.or(nan_a, nan_b);
        let (some_a, some_b) = (self.any(&a[..top]), self.any(&b[..top]));
        let zeros = !self.or(some_a, some_b);
        let same = self.equal_words(a, b);
        let equal = self.or(same, zeros);
        // Positive floats order like their bits, negative ones in reverse.
        let up = self.less_words(&a[..top], &b[..top], false);
        let down = self.less_words(&b[..top], &a[..top], false);
        let alike = self.mux(a[top], down, up);
        let signs = self.xor(a[top], b[top]);
        let less = self.mux(signs, a[top], alike);
        let less = self.and(less, !zeros);
        let holds = match op {
            Op::FEq => equal,
            Op::FLt => less,
            _ => self.or(less, equal),
        };
        self.and(ordered, holds)
    }
}
