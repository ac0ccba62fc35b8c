//! Sine, cosine and tangent.

use super::Sum;
use super::double_double::power_of_two;
use crate::fdlibm::TWO_OVER_PI;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

const HALF_PI: Sum = Sum::new(FRAC_PI_2, 6.123233995736766e-17);

/// -1/3!, 1/5!, ... 1/13!
const SINE: [Sum; 6] = [
    Sum::new(-0.16666666666666666, -9.25185853854297e-18),
    Sum::new(0.008333333333333333, 1.1564823173178714e-19),
    Sum::new(-0.0001984126984126984, -1.7209558293420705e-22),
    Sum::new(2.7557319223985893e-06, -1.858393274046472e-22),
    Sum::new(-2.505210838544172e-08, 1.448814070935912e-24),
    Sum::new(1.6059043836821613e-10, 1.2585294588752098e-26),
];
/// -1/15!, ... 1/25!: of these terms the first 53 bits matter.
const SINE_TAIL: [f64; 6] = [
    -7.647163731819816e-13,
    2.8114572543455206e-15,
    -8.22063524662433e-18,
    1.9572941063391263e-20,
    -3.868170170630684e-23,
    6.446950284384474e-26,
];
/// -1/2!, 1/4!, ... 1/12!
const COSINE: [Sum; 6] = [
    Sum::new(-0.5, 0.0),
    Sum::new(0.041666666666666664, 2.3129646346357427e-18),
    Sum::new(-0.001388888888888889, 5.300543954373577e-20),
    Sum::new(2.48015873015873e-05, 2.1511947866775882e-23),
    Sum::new(-2.755731922398589e-07, -2.3767714622250297e-23),
    Sum::new(2.08767569878681e-09, -1.20734505911326e-25),
];
/// -1/14!, ... 1/26!
const COSINE_TAIL: [f64; 7] = [
    -1.1470745597729725e-11,
    4.779477332387385e-14,
    -1.5619206968586225e-16,
    4.110317623312165e-19,
    -8.896791392450574e-22,
    1.6117375710961184e-24,
    -2.4795962632247976e-27,
];

/// Below this size the sine and the tangent are the nearest doubles to their arguments.
const TINY: f64 = 1e-9;

/// `Math.sin`, correctly rounded.
pub fn sin(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.abs() < TINY {
        return x;
    }
    let (quadrant, rest) = reduce(x.abs());
    let result = if quadrant & 1 == 0 { sine(rest) } else { cosine(rest) };
    let negative = (quadrant & 2 != 0) != (x < 0.0);
    (if negative { -result } else { result }).round()
}

/// `Math.cos`, correctly rounded.
pub fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quadrant, rest) = reduce(x.abs());
    let result = if quadrant & 1 == 0 { cosine(rest) } else { sine(rest) };
    (if (quadrant + 1) & 2 != 0 { -result } else { result }).round()
}

/// `Math.tan`, correctly rounded.
pub fn tan(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.abs() < TINY {
        return x;
    }
    let (quadrant, rest) = reduce(x.abs());
    let (sine, cosine) = (sine(rest), cosine(rest));
    let result = if quadrant & 1 == 0 { sine / cosine } else { -(cosine / sine) };
    (if x < 0.0 { -result } else { result }).round()
}

fn sine(x: Sum) -> Sum {
    let square = x * x;
    let tail = SINE_TAIL.iter().rev().fold(0.0, |sum, coefficient| coefficient + square.high * sum);
    x + x * square * square.polynomial(&SINE, tail)
}

fn cosine(x: Sum) -> Sum {
    let square = x * x;
    let tail = COSINE_TAIL.iter().rev().fold(0.0, |sum, coefficient| coefficient + square.high * sum);
    Sum::from(1.0) + square * square.polynomial(&COSINE, tail)
}

/// The quadrant of a non-negative number, and the remainder, from -pi/4 to pi/4.
///
/// The number is multiplied by 256 bits of 2/pi, starting where they begin to matter (Payne and Hanek). No double is
/// closer than 2^-62 to a multiple of pi/2, so more than a hundred bits are left.
fn reduce(x: f64) -> (u32, Sum) {
    if x <= FRAC_PI_4 {
        return (0, Sum::from(x));
    }
    let exponent = (x.to_bits() >> 52) as i32 - 1075;
    let significand = x.to_bits() & 0x000F_FFFF_FFFF_FFFF | 0x0010_0000_0000_0000;
    let skipped = (exponent - 2).max(0) as usize;
    let product = multiply(significand, skipped);
    // Two bits of quadrant, then the fraction.
    let shift = (62 + exponent - skipped as i32) as usize;
    let mut words = [0u64; 5];
    for (at, word) in words.iter_mut().enumerate() {
        let part = |index: usize| u128::from(product.get(index).copied().unwrap_or(0));
        let at = at + shift / 64;
        *word = ((part(at) << 64 | part(at + 1)) >> (64 - shift % 64)) as u64;
    }
    let mut quadrant = (words[0] >> 62) as u32;
    let mut fraction = [0u64; 4];
    for (at, word) in fraction.iter_mut().enumerate() {
        *word = words[at] << 2 | words[at + 1] >> 62;
    }
    let negative = fraction[0] >> 63 != 0;
    if negative {
        quadrant += 1;
        fraction.iter_mut().for_each(|word| *word = !*word);
    }
    let rest = to_sum(&fraction) * HALF_PI;
    (quadrant, if negative { -rest } else { rest })
}

/// The product with 256 bits of 2/pi that begin after those skipped: the most significant word first.
fn multiply(significand: u64, skipped: usize) -> [u64; 5] {
    let mut product = [0u64; 5];
    let mut carry = 0u128;
    for at in (0..4).rev() {
        let word = skipped / 64 + at;
        let part = |index: usize| u128::from(TWO_OVER_PI.get(index).copied().unwrap_or(0));
        let bits = ((part(word) << 64 | part(word + 1)) >> (64 - skipped % 64)) as u64;
        let sum = u128::from(bits) * u128::from(significand) + carry;
        product[at + 1] = sum as u64;
        carry = sum >> 64;
    }
    product[0] = carry as u64;
    product
}

/// A fraction below one half, as its first 106 bits.
fn to_sum(fraction: &[u64; 4]) -> Sum {
    let zeros = (0..256).take_while(|bit| fraction[bit / 64] >> (63 - bit % 64) & 1 == 0).count();
    let piece = |from: usize| {
        let part = |index: usize| u128::from(fraction.get(index).copied().unwrap_or(0));
        let pair = part(from / 64) << 64 | part(from / 64 + 1);
        ((pair << (from % 64)) >> 75) as u64 as f64 * power_of_two(-(from as i32) - 53)
    };
    let (high, low) = (piece(zeros), piece(zeros + 53));
    super::double_double::exact_sum(high, low)
}
