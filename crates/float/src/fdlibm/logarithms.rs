//! Logarithms: natural, decimal, and of a number a little above one.

use super::{LN2_HIGH, LN2_LOW, high, magnitude, polynomial, shifted, with_high};
use std::f64::consts::LOG10_E;

const FIRST: f64 = 0.6666666666666735;
/// The coefficients of `(log(1 + f) - 2s) / s` in the square of `s = f / (2 + f)`.
const COEFFICIENTS: [f64; 7] = [
    FIRST,
    0.3999999999940942,
    0.2857142874366239,
    0.22222198432149784,
    0.1818357216161805,
    0.15313837699209373,
    0.14798198605116586,
];
const ODD: [f64; 4] = [FIRST, COEFFICIENTS[2], COEFFICIENTS[4], COEFFICIENTS[6]];
const EVEN: [f64; 3] = [COEFFICIENTS[1], COEFFICIENTS[3], COEFFICIENTS[5]];

const TWO_54: f64 = 18014398509481984.0;
const LOG10_2_HIGH: f64 = 0.30102999566361177;
const LOG10_2_LOW: f64 = 3.694239077158931e-13;

/// The result for NaN, infinity, zero and negative numbers.
pub fn special_logarithm(x: f64) -> Option<f64> {
    if x == 0.0 {
        Some(f64::NEG_INFINITY)
    } else if x.is_nan() || x < 0.0 {
        Some(f64::NAN)
    } else if x.is_infinite() {
        Some(x)
    } else {
        None
    }
}

/// A positive number as a normal one and the exponent that it lacks.
fn normal(x: f64) -> (f64, i32) {
    if high(x) < 0x0010_0000 { (x * TWO_54, -54) } else { (x, 0) }
}

/// `StrictMath.log`.
pub fn log(x: f64) -> f64 {
    if let Some(result) = special_logarithm(x) {
        return result;
    }
    let (x, exponent) = normal(x);
    let significand = high(x) & 0xF_FFFF;
    let carry = (significand + 0x9_5F64) & 0x10_0000;
    let exponent = f64::from(exponent + (high(x) >> 20) - 1023 + (carry >> 20));
    let f = with_high(x, significand | (carry ^ 0x3FF0_0000)) - 1.0;
    if 0xF_FFFF & (2 + significand) < 3 {
        if f == 0.0 {
            return if exponent == 0.0 { 0.0 } else { exponent * LN2_HIGH + exponent * LN2_LOW };
        }
        let rest = f * f * (0.5 - 0.3333333333333333 * f);
        if exponent == 0.0 {
            return f - rest;
        }
        return exponent * LN2_HIGH - ((rest - exponent * LN2_LOW) - f);
    }
    let s = f / (2.0 + f);
    let square = s * s;
    let fourth = square * square;
    let rest = square * polynomial(fourth, &ODD) + fourth * polynomial(fourth, &EVEN);
    if ((significand - 0x6_147A) | (0x6_B851 - significand)) > 0 {
        let half = 0.5 * f * f;
        if exponent == 0.0 {
            return f - (half - s * (half + rest));
        }
        return exponent * LN2_HIGH - ((half - (s * (half + rest) + exponent * LN2_LOW)) - f);
    }
    if exponent == 0.0 {
        return f - s * (f - rest);
    }
    exponent * LN2_HIGH - ((s * (f - rest) - exponent * LN2_LOW) - f)
}

/// `StrictMath.log10`.
pub fn log10(x: f64) -> f64 {
    if let Some(result) = special_logarithm(x) {
        return result;
    }
    let (x, exponent) = normal(x);
    let exponent = exponent + (high(x) >> 20) - 1023;
    let negative = i32::from(exponent < 0);
    let significand = with_high(x, (high(x) & 0xF_FFFF) | ((0x3FF - negative) << 20));
    let exponent = f64::from(exponent + negative);
    (exponent * LOG10_2_LOW + LOG10_E * log(significand)) + exponent * LOG10_2_HIGH
}

/// `log(1 + x)`
pub fn log1p(x: f64) -> f64 {
    if x == -1.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_nan() || x < -1.0 {
        return f64::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    let size = magnitude(x);
    if size < 0x3E20_0000 {
        return if size < 0x3C90_0000 { x } else { x - x * x * 0.5 };
    }
    // By bits: from sqrt(2)/2 - 1 to sqrt(2) - 1, nothing has to be added to x.
    let direct = high(x) < 0x3FDA_827A && (high(x) > 0 || high(x) <= 0xBFD2_BEC3_u32 as i32);
    let (f, exponent, correction, vanishing) = if direct { (x, 0.0, 0.0, false) } else { plus_one(x) };
    let half = 0.5 * f * f;
    if vanishing {
        if f == 0.0 {
            let correction = correction + exponent * LN2_LOW;
            return if exponent == 0.0 { 0.0 } else { exponent * LN2_HIGH + correction };
        }
        let rest = half * (1.0 - 0.6666666666666666 * f);
        if exponent == 0.0 {
            return f - rest;
        }
        return exponent * LN2_HIGH - ((rest - (exponent * LN2_LOW + correction)) - f);
    }
    let s = f / (2.0 + f);
    let square = s * s;
    let rest = square * polynomial(square, &COEFFICIENTS);
    if exponent == 0.0 {
        return f - (half - s * (half + rest));
    }
    exponent * LN2_HIGH - ((half - (s * (half + rest) + (exponent * LN2_LOW + correction))) - f)
}

/// `1 + x` as `2^exponent (1 + f)`, the rounding error of x (relative to the sum), and whether f has no leading
/// bits.
fn plus_one(x: f64) -> (f64, f64, f64, bool) {
    let large = high(x) >= 0x4340_0000;
    let sum = if large { x } else { 1.0 + x };
    let mut exponent = (high(sum) >> 20) - 1023;
    let lost = if large {
        0.0
    } else if exponent > 0 {
        1.0 - (sum - x)
    } else {
        x - (sum - 1.0)
    };
    let mut significand = high(sum) & 0xF_FFFF;
    let mut reduced = shifted(sum, -exponent);
    if significand >= 0x6_A09E {
        exponent += 1;
        reduced = with_high(sum, significand | 0x3FE0_0000);
        significand = (0x10_0000 - significand) >> 2;
    }
    (reduced - 1.0, f64::from(exponent), lost / sum, significand == 0)
}
