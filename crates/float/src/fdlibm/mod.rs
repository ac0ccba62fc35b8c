//! `StrictMath`: the functions whose every bit the JDK defines, by the algorithms of fdlibm 5.3.
//!
//! A result depends on the order of each single addition, so seemingly possible simplifications are not. The JDKs
//! before 21 call native code for these; later ones have them in Java, which runs as it is. Only operations that
//! IEEE 754 rounds correctly are used, so no library of the host affects the results.

mod exponentials;
mod inverse;
mod logarithms;
mod reduction;
mod remainder;
mod roots;
mod trigonometric;

pub use exponentials::{cosh, expm1, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithms::{log, log1p, log10, special_logarithm};
pub use reduction::TWO_OVER_PI;
pub use remainder::remainder;
pub use roots::cbrt;
pub use trigonometric::{cos, sin, tan};

/// The upper half of the bits: sign, exponent and twenty bits of the significand.
fn high(x: f64) -> i32 {
    (x.to_bits() >> 32) as i32
}

/// The upper half without the sign, which orders magnitudes.
fn magnitude(x: f64) -> i32 {
    high(x) & 0x7FFF_FFFF
}

/// The lower half of the bits.
fn low(x: f64) -> u32 {
    x.to_bits() as u32
}

/// The number with another upper half.
fn with_high(x: f64, high: i32) -> f64 {
    f64::from_bits(u64::from(high as u32) << 32 | u64::from(low(x)))
}

/// The number with an empty lower half, so that products of two such numbers are (nearly) exact.
fn truncated(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xFFFF_FFFF_0000_0000)
}

/// The number times a power of two, computed on its exponent: only correct while the result is a normal number.
fn shifted(x: f64, exponent: i32) -> f64 {
    with_high(x, high(x).wrapping_add(exponent << 20))
}

/// `coefficients[0] + x * (coefficients[1] + x * ...)`, from the inside.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    let Some((last, others)) = coefficients.split_last() else { return 0.0 };
    others.iter().rev().fold(*last, |sum, coefficient| coefficient + x * sum)
}

/// `ln 2` in two parts, the first so short that its products with exponents are exact.
const LN2_HIGH: f64 = 0.6931471803691238;
const LN2_LOW: f64 = 1.9082149292705877e-10;
