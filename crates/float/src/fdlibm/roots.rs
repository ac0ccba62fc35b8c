//! The cube root.

use super::{high, truncated, with_high};

const TWO_54: f64 = 18014398509481984.0;

/// The cube root: a third of the exponent, a rational approximation to 23 bits, a step of Newton's.
pub fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x + x;
    }
    let positive = x.abs();
    let guess = if high(positive) < 0x0010_0000 {
        let scaled = TWO_54 * positive;
        with_high(scaled, high(scaled) / 3 + 696_219_795)
    } else {
        with_high(0.0, high(positive) / 3 + 715_094_163)
    };
    let s = 0.5428571428571428 + guess * guess / positive * guess;
    let better = guess
        * (0.35714285714285715 + 1.6071428571428572 / (s + 1.4142857142857144 - 0.7053061224489796 / s));
    // Truncated to 20 bits and made a little larger than the root, so that its square is exact.
    let short = with_high(truncated(better), high(better) + 1);
    let quotient = positive / (short * short);
    let step = (quotient - short) / (short + short + quotient);
    let result = short + short * step;
    if x < 0.0 { -result } else { result }
}
