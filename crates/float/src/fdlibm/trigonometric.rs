//! Sine, cosine and tangent.

use super::reduction::reduce;
use super::{high, magnitude, polynomial, truncated};
use std::f64::consts::FRAC_PI_4;

const SINE_FIRST: f64 = -0.16666666666666632;
const SINE: [f64; 5] = [
    0.00833333333332249,
    -0.0001984126982985795,
    2.7557313707070068e-06,
    -2.5050760253406863e-08,
    1.58969099521155e-10,
];
const COSINE: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887411,
    2.480158728947673e-05,
    -2.7557314351390663e-07,
    2.087572321298175e-09,
    -1.1359647557788195e-11,
];
const TANGENT_FIRST: f64 = 0.3333333333333341;
const TANGENT_ODD: [f64; 6] = [
    0.13333333333320124,
    0.021869488294859542,
    0.0035920791075913124,
    0.0005880412408202641,
    7.817944429395571e-05,
    -1.8558637485527546e-05,
];
const TANGENT_EVEN: [f64; 6] = [
    0.05396825397622605,
    0.0088632398235993,
    0.0014562094543252903,
    0.0002464631348184699,
    7.140724913826082e-05,
    2.590730518636337e-05,
];
/// pi/4 less its nearest double.
const FRAC_PI_4_LOW: f64 = 3.061616997868383e-17;

/// `StrictMath.sin`.
pub fn sin(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (n, rest, tail) = reduce(x);
    match n & 3 {
        0 => sine(rest, tail, magnitude(x) > 0x3FE9_21FB),
        1 => cosine(rest, tail),
        2 => -sine(rest, tail, true),
        _ => -cosine(rest, tail),
    }
}

/// `StrictMath.cos`.
pub fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (n, rest, tail) = reduce(x);
    match n & 3 {
        0 => cosine(rest, tail),
        1 => -sine(rest, tail, true),
        2 => -cosine(rest, tail),
        _ => sine(rest, tail, true),
    }
}

/// `StrictMath.tan`.
pub fn tan(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (n, rest, tail) = reduce(x);
    tangent(rest, tail, n & 1 == 1)
}

/// The sine up to pi/4; without a tail there is one multiplication less.
fn sine(x: f64, tail: f64, tailed: bool) -> f64 {
    if magnitude(x) < 0x3E40_0000 {
        return x;
    }
    let square = x * x;
    let cube = square * x;
    let sum = polynomial(square, &SINE);
    if tailed {
        x - ((square * (0.5 * tail - cube * sum) - tail) - cube * SINE_FIRST)
    } else {
        x + cube * (SINE_FIRST + square * sum)
    }
}

/// The cosine up to pi/4.
fn cosine(x: f64, tail: f64) -> f64 {
    let size = magnitude(x);
    if size < 0x3E40_0000 {
        return 1.0;
    }
    let square = x * x;
    let sum = square * polynomial(square, &COSINE);
    if size < 0x3FD3_3333 {
        return 1.0 - (0.5 * square - (sum * square - x * tail));
    }
    // About a quarter of x is subtracted from both 1 and half of the square, exactly.
    let quarter =
        if size > 0x3FE9_0000 { 0.28125 } else { f64::from_bits(((size - 0x0020_0000) as u64) << 32) };
    let half = 0.5 * square - quarter;
    (1.0 - quarter) - (half - (square * sum - x * tail))
}

/// The tangent up to pi/4, or the negative cotangent.
fn tangent(x: f64, tail: f64, cotangent: bool) -> f64 {
    if magnitude(x) < 0x3E30_0000 {
        return if !cotangent { x } else { negative_inverse(x + tail, x, tail) };
    }
    let large = magnitude(x) >= 0x3FE5_9428;
    let negative = high(x) < 0;
    let (mut x, mut tail) = (x, tail);
    if large {
        if negative {
            (x, tail) = (-x, -tail);
        }
        x = (FRAC_PI_4 - x) + (FRAC_PI_4_LOW - tail);
        tail = 0.0;
    }
    let square = x * x;
    let fourth = square * square;
    let odd = polynomial(fourth, &TANGENT_ODD);
    let even = square * polynomial(fourth, &TANGENT_EVEN);
    let cube = square * x;
    let mut correction = tail + square * (cube * (odd + even) + tail);
    correction += TANGENT_FIRST * cube;
    let sum = x + correction;
    if large {
        let side = if cotangent { -1.0 } else { 1.0 };
        let result = side - 2.0 * (x - (sum * sum / (sum + side) - correction));
        return if negative { -result } else { result };
    }
    if cotangent { negative_inverse(sum, x, correction) } else { sum }
}

/// `-1 / (x + correction)`, of which `sum` is the rounded denominator, with more than a division's precision.
fn negative_inverse(sum: f64, x: f64, correction: f64) -> f64 {
    let short = truncated(sum);
    let missing = correction - (short - x);
    let inverse = -1.0 / sum;
    let short_inverse = truncated(inverse);
    short_inverse + inverse * (1.0 + short_inverse * short + short_inverse * missing)
}
