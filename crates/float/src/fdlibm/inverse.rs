//! Arcsine, arccosine and arctangent.

use super::{high, low, magnitude, polynomial, truncated};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const ARCSINE_OVER: [f64; 6] = [
    0.16666666666666666,
    -0.3255658186224009,
    0.20121253213486293,
    -0.04005553450067941,
    0.0007915349942898145,
    3.479331075960212e-05,
];
const ARCSINE_UNDER: [f64; 5] =
    [1.0, -2.403394911734414, 2.0209457602335057, -0.6882839716054533, 0.07703815055590194];

const ARCTANGENT_EVEN: [f64; 6] = [
    0.3333333333333293,
    0.14285714272503466,
    0.09090887133436507,
    0.06661073137387531,
    0.049768779946159324,
    0.016285820115365782,
];
const ARCTANGENT_ODD: [f64; 5] = [
    -0.19999999999876483,
    -0.11111110405462356,
    -0.0769187620504483,
    -0.058335701337905735,
    -0.036531572744216916,
];

/// The arctangents of 0.5, 1, 1.5 and infinity, in two parts.
const KNOWN: [(f64, f64); 4] = [
    (0.4636476090008061, 2.2698777452961687e-17),
    (FRAC_PI_4, 3.061616997868383e-17),
    (0.982793723247329, 1.3903311031230998e-17),
    (FRAC_PI_2, FRAC_PI_2_LOW),
];

/// pi/2 less its nearest double.
const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;
const PI_LOW: f64 = 1.2246467991473532e-16;

/// `(asin(x) - x) / x` as a function of the square of x.
fn excess(square: f64) -> f64 {
    square * polynomial(square, &ARCSINE_OVER) / polynomial(square, &ARCSINE_UNDER)
}

/// `StrictMath.asin`.
pub fn asin(x: f64) -> f64 {
    let size = magnitude(x);
    if size >= 0x3FF0_0000 {
        return if x.abs() == 1.0 { x * FRAC_PI_2 + x * FRAC_PI_2_LOW } else { f64::NAN };
    }
    if size < 0x3FE0_0000 {
        return if size < 0x3E40_0000 { x } else { x + x * excess(x * x) };
    }
    // asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))
    let square = (1.0 - x.abs()) * 0.5;
    let root = square.sqrt();
    let excess = excess(square);
    let result = if size >= 0x3FEF_3333 {
        FRAC_PI_2 - (2.0 * (root + root * excess) - FRAC_PI_2_LOW)
    } else {
        let short = truncated(root);
        let missing = (square - short * short) / (root + short);
        let small = 2.0 * root * excess - (FRAC_PI_2_LOW - 2.0 * missing);
        FRAC_PI_4 - (small - (FRAC_PI_4 - 2.0 * short))
    };
    if x < 0.0 { -result } else { result }
}

/// `StrictMath.acos`.
pub fn acos(x: f64) -> f64 {
    let size = magnitude(x);
    if size >= 0x3FF0_0000 {
        return match x {
            1.0 => 0.0,
            -1.0 => PI + 2.0 * FRAC_PI_2_LOW,
            _ => f64::NAN,
        };
    }
    if size < 0x3FE0_0000 {
        if size <= 0x3C60_0000 {
            return FRAC_PI_2 + FRAC_PI_2_LOW;
        }
        return FRAC_PI_2 - (x - (FRAC_PI_2_LOW - x * excess(x * x)));
    }
    let square = (1.0 - x.abs()) * 0.5;
    let root = square.sqrt();
    let excess = excess(square);
    if x < 0.0 {
        return PI - 2.0 * (root + (excess * root - FRAC_PI_2_LOW));
    }
    let short = truncated(root);
    let missing = (square - short * short) / (root + short);
    2.0 * (short + (excess * root + missing))
}

/// `StrictMath.atan`.
pub fn atan(x: f64) -> f64 {
    let size = magnitude(x);
    if x.is_nan() {
        return f64::NAN;
    }
    if size >= 0x4410_0000 {
        return if x > 0.0 { FRAC_PI_2 + FRAC_PI_2_LOW } else { -FRAC_PI_2 - FRAC_PI_2_LOW };
    }
    if size < 0x3FDC_0000 {
        return if size < 0x3E20_0000 { x } else { x - x * series(x) };
    }
    let positive = x.abs();
    let (known, rest) = if size < 0x3FE6_0000 {
        (0, (2.0 * positive - 1.0) / (2.0 + positive))
    } else if size < 0x3FF3_0000 {
        (1, (positive - 1.0) / (positive + 1.0))
    } else if size < 0x4003_8000 {
        (2, (positive - 1.5) / (1.0 + 1.5 * positive))
    } else {
        (3, -1.0 / positive)
    };
    let (head, tail) = KNOWN[known];
    let result = head - ((rest * series(rest) - tail) - rest);
    if x < 0.0 { -result } else { result }
}

/// `(x - atan(x)) / x`
fn series(x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    square * polynomial(fourth, &ARCTANGENT_EVEN) + fourth * polynomial(fourth, &ARCTANGENT_ODD)
}

/// The angle of the point (x, y).
pub fn atan2(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if high(x) == 0x3FF0_0000 && low(x) == 0 {
        return atan(y);
    }
    let left = x.is_sign_negative();
    let angle = if y == 0.0 {
        if left { PI } else { 0.0 }
    } else if x == 0.0 {
        FRAC_PI_2
    } else if x.is_infinite() {
        match (y.is_infinite(), left) {
            (true, false) => FRAC_PI_4,
            (true, true) => 3.0 * FRAC_PI_4,
            (false, false) => 0.0,
            (false, true) => PI,
        }
    } else if y.is_infinite() {
        FRAC_PI_2
    } else {
        let steepness = (magnitude(y) - magnitude(x)) >> 20;
        let acute = if steepness > 60 {
            FRAC_PI_2 + 0.5 * PI_LOW
        } else if left && steepness < -60 {
            0.0
        } else {
            atan((y / x).abs())
        };
        if left { PI - (acute - PI_LOW) } else { acute }
    };
    if y.is_sign_negative() { -angle } else { angle }
}
