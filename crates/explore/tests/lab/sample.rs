//! Random inputs that favour corner cases.

use super::input::{Argument, Datum};
use proptest::prelude::{Just, Strategy, any, prop_oneof};

/// A value of a parameter.
pub fn datum(argument: &Argument) -> impl Strategy<Value = Datum> + use<> {
    let width = argument.width();
    match argument {
        Argument::Primitive(_) => word().prop_map(move |w| Datum::Word(fit(width, w))).boxed(),
        Argument::Array(_, max) => words(word(), *max, width).boxed(),
        Argument::Text(max) => words(letter(), *max, width).boxed(),
    }
}

fn words(word: impl Strategy<Value = u64>, max: u32, width: u32) -> impl Strategy<Value = Datum> {
    proptest::collection::vec(word.prop_map(move |w| fit(width, w)), 0..=max as usize).prop_map(Datum::Words)
}

/// A character that the samples compare with, or any other.
fn letter() -> impl Strategy<Value = u64> {
    let known: Vec<u64> = "abcxyzjqmAaBBno=.0142\u{3000}\u{4000}".chars().map(|c| c as u64).collect();
    prop_oneof![
        8 => proptest::sample::select(known),
        1 => any::<u16>().prop_map(u64::from),
        1 => prop_oneof![Just(0xD83D), Just(0xDE00)],
    ]
}

/// Bits that are often a corner case of some type.
fn word() -> impl Strategy<Value = u64> {
    let corners: Vec<u64> = [
        0,
        1,
        2,
        5,
        33,
        63,
        64,
        65,
        97,
        122,
        127,
        128,
        255,
        256,
        384,
        32767,
        32768,
        65535,
        65536,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0000,
        u64::MAX,
    ]
    .into_iter()
    .chain(
        [0.0, -0.0, 1.0, -1.0, 1.5, 4.0, 0.1, 1e10, -0.5, 16777216.0, f32::INFINITY, f32::NAN, f32::MAX]
            .map(|x: f32| x.to_bits() as u64),
    )
    .chain(
        [0.0, -0.0, 1.0, 1.5, 4.0, -0.5, 1e11, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
            .map(f64::to_bits),
    )
    .collect();
    prop_oneof![
        proptest::sample::select(corners),
        any::<u64>(),
        (-200_i64..200).prop_map(|x| x as u64),
        any::<i32>().prop_map(|x| (x as f64).to_bits()),
        any::<i16>().prop_map(|x| (x as f32 / 8.0).to_bits() as u64),
    ]
}

/// The low bits that fit a variable of this width.
fn fit(width: u32, word: u64) -> u64 {
    if width >= 64 { word } else { word & ((1 << width) - 1) }
}
