//! Exponentials and the hyperbolic functions, which are based on them.

use super::{LN2_HIGH, LN2_LOW, high, low, magnitude, polynomial, shifted, with_high};
use std::f64::consts::LOG2_E;

const EXP: [f64; 5] = [
    0.16666666666666602,
    -0.0027777777777015593,
    6.613756321437934e-05,
    -1.6533902205465252e-06,
    4.1381367970572385e-08,
];
const EXPM1: [f64; 6] = [
    1.0,
    -0.03333333333333313,
    0.0015873015872548146,
    -7.93650757867488e-05,
    4.008217827329362e-06,
    -2.0109921818362437e-07,
];
/// The largest number whose exponential is finite.
const OVERFLOW: f64 = 709.782712893384;
/// Below it the exponential is zero.
const UNDERFLOW: f64 = -745.1332191019411;
const TWO_TO_MINUS_1000: f64 = f64::from_bits(0x0170_0000_0000_0000);

/// A multiple of `ln 2` and the remainder, in two parts; `x` is more than half of `ln 2` away from zero.
fn split(x: f64) -> (i32, f64, f64) {
    let sign = if x < 0.0 { -1.0 } else { 1.0 };
    if magnitude(x) < 0x3FF0_A2B2 {
        return (sign as i32, x - sign * LN2_HIGH, sign * LN2_LOW);
    }
    let exponent = (LOG2_E * x + 0.5 * sign) as i32;
    let times = f64::from(exponent);
    (exponent, x - times * LN2_HIGH, times * LN2_LOW)
}

pub(super) fn exp(x: f64) -> f64 {
    let size = magnitude(x);
    if x.is_nan() {
        return f64::NAN;
    }
    if x > OVERFLOW {
        return f64::INFINITY;
    }
    if x < UNDERFLOW {
        return 0.0;
    }
    if size < 0x3E30_0000 {
        return 1.0 + x;
    }
    let (exponent, head, tail) = if size > 0x3FD6_2E42 { split(x) } else { (0, x, 0.0) };
    let rest = head - tail;
    let square = rest * rest;
    let c = rest - square * polynomial(square, &EXP);
    if exponent == 0 {
        return 1.0 - ((rest * c) / (c - 2.0) - rest);
    }
    let y = 1.0 - ((tail - (rest * c) / (2.0 - c)) - head);
    if exponent >= -1021 { shifted(y, exponent) } else { shifted(y, exponent + 1000) * TWO_TO_MINUS_1000 }
}

/// `exp(x) - 1`
pub fn expm1(x: f64) -> f64 {
    let size = magnitude(x);
    if x.is_nan() {
        return f64::NAN;
    }
    if x > OVERFLOW {
        return f64::INFINITY;
    }
    if size >= 0x4043_687A && x < 0.0 {
        return -1.0;
    }
    if size < 0x3C90_0000 {
        return x;
    }
    let (exponent, head, tail) = if size > 0x3FD6_2E42 { split(x) } else { (0, x, 0.0) };
    let x = if exponent == 0 { x } else { head - tail };
    let lost = if exponent == 0 { 0.0 } else { (head - x) - tail };
    let half = 0.5 * x;
    let half_square = x * half;
    let r = polynomial(half_square, &EXPM1);
    let t = 3.0 - r * half;
    let mut e = half_square * ((r - t) / (6.0 - x * t));
    if exponent == 0 {
        return x - (x * e - half_square);
    }
    e = x * (e - lost) - lost;
    e -= half_square;
    match exponent {
        -1 => 0.5 * (x - e) - 0.5,
        1 if x < -0.25 => -2.0 * (e - (x + 0.5)),
        1 => 1.0 + 2.0 * (x - e),
        2..=19 => {
            let one_less = with_high(0.0, 0x3FF0_0000 - (0x20_0000 >> exponent));
            shifted(one_less - (e - x), exponent)
        }
        20..=56 => {
            let unit = with_high(0.0, (0x3FF - exponent) << 20);
            shifted((x - (e + unit)) + 1.0, exponent)
        }
        _ => shifted(1.0 - (e - x), exponent) - 1.0,
    }
}

/// Half the exponential of a positive number, even if the exponential itself overflows.
fn half_exp(x: f64) -> f64 {
    if magnitude(x) < 0x4086_2E42 {
        return 0.5 * exp(x);
    }
    if high(x) < 0x4086_33CE || (high(x) == 0x4086_33CE && low(x) <= 0x8FB9_F87D) {
        let root = exp(0.5 * x);
        return 0.5 * root * root;
    }
    f64::INFINITY
}

/// `StrictMath.sinh`.
pub fn sinh(x: f64) -> f64 {
    if !x.is_finite() {
        return x + x;
    }
    let size = magnitude(x);
    if size < 0x3E30_0000 {
        return x;
    }
    let sign = if x < 0.0 { -1.0 } else { 1.0 };
    if size >= 0x4036_0000 {
        return sign * half_exp(x.abs());
    }
    let t = expm1(x.abs());
    if size < 0x3FF0_0000 {
        return 0.5 * sign * (2.0 * t - t * t / (t + 1.0));
    }
    0.5 * sign * (t + t / (t + 1.0))
}

/// `StrictMath.cosh`.
pub fn cosh(x: f64) -> f64 {
    if !x.is_finite() {
        return x * x;
    }
    let size = magnitude(x);
    if size < 0x3FD6_2E43 {
        let t = expm1(x.abs());
        let sum = 1.0 + t;
        return if size < 0x3C80_0000 { sum } else { 1.0 + (t * t) / (sum + sum) };
    }
    if size < 0x4036_0000 {
        let t = exp(x.abs());
        return 0.5 * t + 0.5 / t;
    }
    half_exp(x.abs())
}

/// `StrictMath.tanh`.
pub fn tanh(x: f64) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    let size = magnitude(x);
    if size < 0x3C80_0000 {
        return x * (1.0 + x);
    }
    let result = if size >= 0x4036_0000 {
        1.0
    } else if size >= 0x3FF0_0000 {
        1.0 - 2.0 / (expm1(2.0 * x.abs()) + 2.0)
    } else {
        let t = expm1(-2.0 * x.abs());
        -t / (t + 2.0)
    };
    if x < 0.0 { -result } else { result }
}
