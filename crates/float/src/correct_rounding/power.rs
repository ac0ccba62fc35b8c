//! Powers and the cube root.

use super::Sum;
use super::double_double::{exact_product, power_of_two};
use super::exponential::wide_exp;
use super::logarithm::wide_log;
use crate::fdlibm;

/// `Math.pow`, which unlike C's gives NaN for 1 and -1 to an infinite power, and for 1 to NaN.
pub fn pow(base: f64, exponent: f64) -> f64 {
    if exponent == 0.0 {
        return 1.0;
    }
    if base.is_nan() || exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) {
        return f64::NAN;
    }
    let odd = is_odd(exponent);
    let sign = if base.is_sign_negative() && odd { -1.0 } else { 1.0 };
    let size = base.abs();
    if size == 0.0 || size.is_infinite() || exponent.is_infinite() {
        let grows = (size > 1.0) == (exponent > 0.0);
        return sign * if grows { f64::INFINITY } else { 0.0 };
    }
    if base < 0.0 && exponent != exponent.trunc() {
        return f64::NAN;
    }
    if exponent == 1.0 {
        return base;
    }
    if exponent == 0.5 {
        return base.sqrt();
    }
    sign * positive_power(size, exponent)
}

/// Whether a number is whole and odd.
fn is_odd(x: f64) -> bool {
    x.abs() < 9007199254740992.0 && x == x.trunc() && (x as i64) & 1 == 1
}

fn positive_power(base: f64, exponent: f64) -> f64 {
    let log = wide_log(base);
    let estimate = log.high * exponent;
    if estimate > 710.0 {
        return f64::INFINITY;
    }
    if estimate < -746.0 {
        return 0.0;
    }
    // Such a small exponent that halving it would lose bits makes no difference to 1.
    if estimate.abs() < 1e-18 {
        return 1.0;
    }
    let (result, scale) = wide_exp(exact_product(log.high, exponent) + Sum::from(log.low * exponent));
    let result = if base.to_bits().trailing_zeros() >= 17 { even_tie(result) } else { result };
    result.round_scaled(scale)
}

/// The result for a base of at most 36 bits, the only case in which it may be halfway between two doubles: it counts
/// as halfway if it is as close to that as our error.
fn even_tie(result: Sum) -> Sum {
    let next = if result.low < 0.0 { result.high.next_down() } else { result.high.next_up() };
    let half = 0.5 * (next - result.high);
    if (result.low - half).abs() < half.abs() * power_of_two(-32) {
        Sum::new(result.high, half)
    } else {
        result
    }
}

/// `Math.cbrt`, correctly rounded.
pub fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // A third of the exponent is removed first, so that no square is out of range.
    let mut scaled = x;
    let mut third = 1.0;
    if x.abs() < power_of_two(-300) {
        scaled *= power_of_two(600);
        third = power_of_two(-200);
    } else if x.abs() > power_of_two(300) {
        scaled *= power_of_two(-600);
        third = power_of_two(200);
    }
    let near = fdlibm::cbrt(scaled);
    let square = exact_product(near, near);
    let missing = Sum::from(scaled) - square * Sum::from(near);
    (near + missing.high / (3.0 * square.high)) * third
}
