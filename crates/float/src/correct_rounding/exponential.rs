//! The exponential, and the hyperbolic tangent.

use super::Sum;
use super::double_double::exact_product;
use std::f64::consts::{LN_2, LOG2_E};

/// ln 2 in three parts.
pub(super) const LN2: Sum = Sum::new(LN_2, 2.3190468138462996e-17);
pub(super) const LN2_REST: f64 = 5.707708438416212e-34;

/// 1, 1/2!, ... 1/5!
const LEADING: [Sum; 5] = [
    Sum::new(1.0, 0.0),
    Sum::new(0.5, 0.0),
    Sum::new(0.16666666666666666, 9.25185853854297e-18),
    Sum::new(0.041666666666666664, 2.3129646346357427e-18),
    Sum::new(0.008333333333333333, 1.1564823173178714e-19),
];
/// 1/6!, ... 1/12!: of these terms the first 53 bits matter.
const TRAILING: [f64; 7] = [
    0.001388888888888889,
    0.0001984126984126984,
    2.48015873015873e-05,
    2.7557319223985893e-06,
    2.755731922398589e-07,
    2.505210838544172e-08,
    2.08767569878681e-09,
];

/// `exp(x) - 1` for numbers up to 0.4 or so, with a small *relative* error.
pub(super) fn small_expm1(x: Sum) -> Sum {
    let x = x.scale(1.0 / 64.0);
    let tail = TRAILING.iter().rev().fold(0.0, |sum, coefficient| coefficient + x.high * sum);
    let mut result = x * x.polynomial(&LEADING, tail);
    for _ in 0..6 {
        // (1 + e)^2 - 1
        result = result.scale(2.0) + result * result;
    }
    result
}

/// `exp(x)` as a number near 1 and an exponent of two; `x` is between -1500 and 1500.
pub(super) fn wide_exp(x: Sum) -> (Sum, i32) {
    let exponent = (x.high * LOG2_E).round_ties_even();
    let multiple = Sum::from(exponent);
    let rest = x - exact_product(exponent, LN2.high) - multiple * Sum::new(LN2.low, LN2_REST);
    (small_expm1(rest) + Sum::from(1.0), exponent as i32)
}

/// `Math.exp`, correctly rounded.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    if x > 710.0 {
        return f64::INFINITY;
    }
    if x < -746.0 {
        return 0.0;
    }
    let (result, exponent) = wide_exp(Sum::from(x));
    result.round_scaled(exponent)
}

/// `Math.tanh`, correctly rounded.
pub fn tanh(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() || size < 1e-9 {
        return x;
    }
    if size > 22.0 {
        return 1.0_f64.copysign(x);
    }
    let one = Sum::from(1.0);
    let less_one = if size < 0.17 {
        small_expm1(Sum::from(2.0 * size))
    } else {
        let (result, exponent) = wide_exp(Sum::from(2.0 * size));
        result.scale(super::double_double::power_of_two(exponent)) - one
    };
    (less_one / (less_one + one + one)).round().copysign(x)
}
