//! Sums of two doubles, which carry a hundred bits and more (Dekker 1971, Knuth's TAOCP 2, §4.2.2).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number as its nearest double and the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    /// The nearest double.
    pub high: f64,
    /// The rest, at most half a unit in the last place of `high`.
    pub low: f64,
}

/// `a + b`, exactly.
pub(super) fn exact_sum(a: f64, b: f64) -> Sum {
    let high = a + b;
    let other = high - a;
    Sum { high, low: (a - (high - other)) + (b - other) }
}

/// `a + b`, exactly, where `a` is not smaller in magnitude.
fn ordered_sum(a: f64, b: f64) -> Sum {
    let high = a + b;
    Sum { high, low: b - (high - a) }
}

/// The upper 26 bits of a number, and the lower ones; for numbers below 2^996.
fn halves(x: f64) -> (f64, f64) {
    let scaled = 134217729.0 * x;
    let upper = scaled - (scaled - x);
    (upper, x - upper)
}

/// `a * b`, exactly, unless it or its last bits are out of range.
pub(super) fn exact_product(a: f64, b: f64) -> Sum {
    let high = a * b;
    let (a1, a0) = halves(a);
    let (b1, b0) = halves(b);
    Sum { high, low: ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0 }
}

impl Sum {
    pub(super) const fn new(high: f64, low: f64) -> Sum {
        Sum { high, low }
    }

    /// Times a power of two, exactly.
    pub(super) fn scale(self, factor: f64) -> Sum {
        Sum { high: self.high * factor, low: self.low * factor }
    }

    /// The nearest double.
    pub(super) fn round(self) -> f64 {
        self.high + self.low
    }

    /// `coefficients[0] + x * (coefficients[1] + ... + x * tail)`
    pub(super) fn polynomial(self, coefficients: &[Sum], tail: f64) -> Sum {
        coefficients.iter().rev().fold(Sum::from(tail), |sum, coefficient| *coefficient + self * sum)
    }

    /// A positive number times two to the power of `exponent`, rounded once, also where the result is
    /// subnormal or too large.
    pub(super) fn round_scaled(self, exponent: i32) -> f64 {
        let sum = ordered_sum(self.high, self.low);
        let size = ((sum.high.to_bits() >> 52) & 0x7FF) as i32 - 1023;
        if size + exponent < -1080 {
            return 0.0;
        }
        if size + exponent >= -1022 {
            return sum.high * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2);
        }
        // Adding this number leaves no bit below the smallest subnormal number.
        let anchor = power_of_two(52 - 1074 - exponent);
        let moved = exact_sum(anchor, sum.high);
        let rounded = moved.high + (moved.low + sum.low) - anchor;
        rounded * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2)
    }
}

/// Two to a power that a normal number has.
pub(super) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl From<f64> for Sum {
    fn from(high: f64) -> Sum {
        Sum { high, low: 0.0 }
    }
}

impl Neg for Sum {
    type Output = Sum;
    fn neg(self) -> Sum {
        Sum { high: -self.high, low: -self.low }
    }
}

impl Add for Sum {
    type Output = Sum;
    fn add(self, other: Sum) -> Sum {
        let high = exact_sum(self.high, other.high);
        let low = exact_sum(self.low, other.low);
        let sum = ordered_sum(high.high, high.low + low.high);
        ordered_sum(sum.high, sum.low + low.low)
    }
}

impl Sub for Sum {
    type Output = Sum;
    fn sub(self, other: Sum) -> Sum {
        self + -other
    }
}

impl Mul for Sum {
    type Output = Sum;
    fn mul(self, other: Sum) -> Sum {
        let product = exact_product(self.high, other.high);
        ordered_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Sum {
    type Output = Sum;
    fn div(self, other: Sum) -> Sum {
        let first = self.high / other.high;
        let rest = self - other * Sum::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Sum::from(second);
        ordered_sum(first, second) + Sum::from(rest.high / other.high)
    }
}
