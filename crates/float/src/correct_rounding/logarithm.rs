//! Logarithms.

use super::Sum;
use super::double_double::exact_product;
use super::exponential::{LN2, LN2_REST, small_expm1};
use crate::fdlibm;
use std::f64::consts::{FRAC_1_SQRT_2, LOG10_E};

/// 1 / ln 10
const PER_LN10: Sum = Sum::new(LOG10_E, 1.098319650216765e-17);
const TWO_54: f64 = 18014398509481984.0;

/// A positive number as one from sqrt(1/2) to sqrt(2), and an exponent of two.
fn split(x: f64) -> (f64, i32) {
    let (x, lacking) = if x < f64::MIN_POSITIVE { (x * TWO_54, -54) } else { (x, 0) };
    let exponent = (x.to_bits() >> 52) as i32 - 1022 + lacking;
    let significand = f64::from_bits(x.to_bits() & 0x000F_FFFF_FFFF_FFFF | 0x3FE0_0000_0000_0000);
    if significand < FRAC_1_SQRT_2 { (2.0 * significand, exponent - 1) } else { (significand, exponent) }
}

/// The logarithm of a positive, finite number, by a step of Newton's from fdlibm's.
pub(super) fn wide_log(x: f64) -> Sum {
    let (significand, exponent) = split(x);
    let near = fdlibm::log(significand);
    let missing = Sum::from(significand - 1.0) + Sum::from(significand) * small_expm1(Sum::from(-near));
    let missing = missing - Sum::from(0.5 * missing.high * missing.high);
    let fraction = Sum::from(near) + missing;
    if exponent == 0 {
        return fraction;
    }
    let exponent = f64::from(exponent);
    exact_product(exponent, LN2.high) + (Sum::from(exponent) * Sum::new(LN2.low, LN2_REST) + fraction)
}

/// `Math.log`, correctly rounded.
pub fn log(x: f64) -> f64 {
    fdlibm::special_logarithm(x).unwrap_or_else(|| wide_log(x).round())
}

/// `Math.log10`, correctly rounded.
pub fn log10(x: f64) -> f64 {
    fdlibm::special_logarithm(x).unwrap_or_else(|| (wide_log(x) * PER_LN10).round())
}
