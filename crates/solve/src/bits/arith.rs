//! Arithmetic circuits over words, lowest bit first.

use super::circuit::{Bit, Circuit};

impl Circuit {
    pub(super) fn constant(bits: u64, width: u32) -> Vec<Bit> {
        (0..width).map(|i| Bit::constant(bits >> i & 1 == 1)).collect()
    }

    /// `a + b + carry`, and the carry out.
    pub(super) fn add_words(&mut self, a: &[Bit], b: &[Bit], mut carry: Bit) -> (Vec<Bit>, Bit) {
        let sum = a
            .iter()
            .zip(b)
            .map(|(&x, &y)| {
                let half = self.xor(x, y);
                let bit = self.xor(half, carry);
                carry = self.majority(x, y, carry);
                bit
            })
            .collect();
        (sum, carry)
    }

    pub(super) fn sub_words(&mut self, a: &[Bit], b: &[Bit]) -> Vec<Bit> {
        let complement: Vec<Bit> = b.iter().map(|&bit| !bit).collect();
        self.add_words(a, &complement, Bit::TRUE).0
    }

    pub(super) fn negate(&mut self, a: &[Bit]) -> Vec<Bit> {
        let zero = vec![Bit::FALSE; a.len()];
        self.sub_words(&zero, a)
    }

    pub(super) fn mux_words(&mut self, condition: Bit, a: &[Bit], b: &[Bit]) -> Vec<Bit> {
        a.iter().zip(b).map(|(&x, &y)| self.mux(condition, x, y)).collect()
    }

    pub(super) fn equal_words(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        a.iter().zip(b).fold(Bit::TRUE, |all, (&x, &y)| {
            let same = self.same(x, y);
            self.and(all, same)
        })
    }

    /// Unsigned `a < b`, or `a <= b` where `or_equal`.
    pub(super) fn less_words(&mut self, a: &[Bit], b: &[Bit], or_equal: bool) -> Bit {
        a.iter().zip(b).fold(Bit::constant(or_equal), |below, (&x, &y)| {
            // The most significant different bit decides.
            self.majority(!x, y, below)
        })
    }

    /// The low half of the product.
    pub(super) fn mul_words(&mut self, a: &[Bit], b: &[Bit]) -> Vec<Bit> {
        let width = a.len();
        // Use the factor with more known bits for the rows: zero rows cost nothing.
        let known = |w: &[Bit]| w.iter().filter(|b| **b == Bit::FALSE).count();
        let (rows, word) = if known(a) > known(b) { (a, b) } else { (b, a) };
        let mut total = vec![Bit::FALSE; width];
        for (shift, &row) in rows.iter().enumerate() {
            if row == Bit::FALSE {
                continue;
            }
            let partial: Vec<Bit> = word[..width - shift].iter().map(|&bit| self.and(bit, row)).collect();
            let (sum, _) = self.add_words(&total[shift..], &partial, Bit::FALSE);
            total.splice(shift.., sum);
        }
        total
    }

    /// Java's signed quotient and remainder; dividing by zero gives 0 and the dividend.
    pub(super) fn div_words(&mut self, a: &[Bit], b: &[Bit]) -> (Vec<Bit>, Vec<Bit>) {
        let width = a.len();
        let (sign_a, sign_b) = (a[width - 1], b[width - 1]);
        let (negative_a, negative_b) = (self.negate(a), self.negate(b));
        let size_a = self.mux_words(sign_a, &negative_a, a);
        let size_b = self.mux_words(sign_b, &negative_b, b);
        // Long division of the magnitudes. The rest is smaller than the divisor, and one bit wider so that the shift
        // loses nothing: constants, by which most code divides, have few bits.
        let known = size_b.iter().rev().take_while(|bit| **bit == Bit::FALSE).count();
        let mut divisor = size_b[..width - known].to_vec();
        divisor.push(Bit::FALSE);
        let mut rest = vec![Bit::FALSE; divisor.len()];
        let mut quotient = vec![Bit::FALSE; width];
        for place in (0..width).rev() {
            rest.pop();
            rest.insert(0, size_a[place]);
            let fits = self.less_words(&divisor, &rest, true);
            let less = self.sub_words(&rest, &divisor);
            rest = self.mux_words(fits, &less, &rest);
            quotient[place] = fits;
        }
        rest.resize(width, Bit::FALSE);
        let opposite = self.xor(sign_a, sign_b);
        let negative_quotient = self.negate(&quotient);
        let negative_rest = self.negate(&rest);
        let quotient = self.mux_words(opposite, &negative_quotient, &quotient);
        let rest = self.mux_words(sign_a, &negative_rest, &rest);
        let zero = vec![Bit::FALSE; width];
        let by_zero = self.equal_words(b, &zero);
        (self.mux_words(by_zero, &zero, &quotient), self.mux_words(by_zero, a, &rest))
    }

    /// A shift by the low bits of `distance`: to the left, or to the right with `fill` shifted in.
    pub(super) fn shift_words(&mut self, a: &[Bit], distance: &[Bit], left: bool, fill: Bit) -> Vec<Bit> {
        let width = a.len();
        let mut word = a.to_vec();
        for (stage, &by_stage) in distance.iter().take(width.trailing_zeros() as usize).enumerate() {
            let by = 1 << stage;
            let moved: Vec<Bit> = (0..width)
                .map(|i| {
                    let from = if left { i.checked_sub(by) } else { Some(i + by) };
                    from.and_then(|from| word.get(from)).copied().unwrap_or(fill)
                })
                .collect();
            word = self.mux_words(by_stage, &moved, &word);
        }
        word
    }
}
