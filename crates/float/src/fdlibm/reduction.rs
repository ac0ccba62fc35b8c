//! The reduction of an argument to a quarter turn: a multiple of pi/2 and a remainder of at most pi/4 in two parts.

use super::{high, magnitude, with_high};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// 2/pi after the binary point, 64 bits a word, most significant first.
pub const TWO_OVER_PI: [u64; 25] = [
    0xA2F9_836E_4E44_1529,
    0xFC27_57D1_F534_DDC0,
    0xDB62_9599_3C43_9041,
    0xFE51_63AB_DEBB_C561,
    0xB724_6E3A_424D_D2E0,
    0x0649_2EEA_09D1_921C,
    0xFE1D_EB1C_B129_A73E,
    0xE882_35F5_2EBB_4484,
    0xE99C_7026_B45F_7E41,
    0x3991_D639_8353_39F4,
    0x9C84_5F8B_BDF9_283B,
    0x1FF8_97FF_DE05_980F,
    0xEF2F_118B_5A0A_6D1F,
    0x6D36_7ECF_27CB_09B7,
    0x4F46_3F66_9E5F_EA2D,
    0x7527_BAC7_EBE5_F17B,
    0x3D07_39F7_8A52_92EA,
    0x6BFB_5FB1_1F8D_5D08,
    0x5603_3046_FC7B_6BAB,
    0xF0CF_BC20_9AF4_361D,
    0xA9E3_9161_5EE6_1B08,
    0x6599_855F_14A0_6840,
    0x8DFF_D880_4D73_2731,
    0x0606_1556_CA73_A8C9,
    0x60E2_7BC0_8C6B_47C4,
];

/// pi/2 in 24-bit pieces.
const PI_OVER_2: [f64; 8] = [
    1.570796251296997,
    7.549789415861596e-08,
    5.390302529957765e-15,
    3.282003415807913e-22,
    1.270655753080676e-29,
    1.2293330898111133e-36,
    2.7337005381646456e-44,
    2.1674168387780482e-51,
];

/// pi/2 as a sum of 33 bits at a time, each with the remainder.
const STAGES: [(f64, f64); 3] = [
    (1.5707963267341256, 6.077100506506192e-11),
    (6.077100506303966e-11, 2.0222662487959506e-21),
    (2.0222662487111665e-21, 8.4784276603689e-32),
];

const TWO_24: f64 = 16777216.0;

/// The quadrant of `x` (its lowest two bits count) and the remainder, as two numbers whose sum it is. `x` is finite.
pub(super) fn reduce(x: f64) -> (i32, f64, f64) {
    let size = magnitude(x);
    if size <= 0x3FE9_21FB {
        return (0, x, 0.0);
    }
    let (n, rest, tail) = if size < 0x4002_D97C {
        once(x.abs())
    } else if size <= 0x4139_21FB {
        medium(x.abs())
    } else {
        large(x.abs())
    };
    if x < 0.0 { (-n, -rest, -tail) } else { (n, rest, tail) }
}

/// Below 3pi/4: one subtraction.
fn once(x: f64) -> (i32, f64, f64) {
    let mut rest = x - STAGES[0].0;
    let mut missing = STAGES[0].1;
    if magnitude(x) == 0x3FF9_21FB {
        rest -= STAGES[1].0;
        missing = STAGES[1].1;
    }
    let head = rest - missing;
    (1, head, (rest - head) - missing)
}

/// Up to 2^19 pi/2: as many stages as cancellation requires.
fn medium(x: f64) -> (i32, f64, f64) {
    let size = magnitude(x);
    let n = (x * FRAC_2_PI + 0.5) as i32;
    let times = f64::from(n);
    let mut rest = x - times * STAGES[0].0;
    let mut missing = times * STAGES[0].1;
    let mut head = rest - missing;
    if n >= 32 || size == magnitude(times * FRAC_PI_2) {
        for (stage, lost) in [(1, 16), (2, 49)] {
            if (size >> 20) - ((high(head) >> 20) & 0x7FF) <= lost {
                break;
            }
            let before = rest;
            let part = times * STAGES[stage].0;
            rest = before - part;
            missing = times * STAGES[stage].1 - ((before - rest) - part);
            head = rest - missing;
        }
    }
    (n, head, (rest - head) - missing)
}

/// Everything else, by multiplication with as much of 2/pi as matters (Payne and Hanek).
fn large(x: f64) -> (i32, f64, f64) {
    let exponent = (magnitude(x) >> 20) - 1046;
    let mut scaled = with_high(x, magnitude(x) - (exponent << 20));
    let mut pieces = [0.0; 3];
    for piece in &mut pieces[..2] {
        *piece = f64::from(scaled as i32);
        scaled = (scaled - *piece) * TWO_24;
    }
    pieces[2] = scaled;
    let used = 3 - pieces.iter().rev().take_while(|piece| **piece == 0.0).count();
    Product::new(&pieces[..used], exponent).reduce()
}

/// The 24 bits of 2/pi that begin at bit `24 * index`; nothing beyond the table, which no double reaches.
fn digit(index: usize) -> f64 {
    let bit = index * 24;
    let (word, offset) = (bit / 64, bit % 64);
    let at = |word: usize| u128::from(TWO_OVER_PI.get(word).copied().unwrap_or(0));
    let pair = at(word) << 64 | at(word + 1);
    ((pair >> (104 - offset)) as u32 & 0xFF_FFFF) as f64
}

/// The product of a number, in pieces of 24 bits, and 2/pi, without its multiples of eight.
struct Product<'a> {
    pieces: &'a [f64],
    /// First digit of 2/pi that matters.
    first: i32,
    /// Exponent of the last digit of the product before the point.
    exponent: i32,
}

/// Digits of 2/pi that are enough at first.
const ENOUGH: usize = 4;
/// Room for the digits of the worst double, with a large margin.
const ROOM: usize = 20;

impl<'a> Product<'a> {
    fn new(pieces: &'a [f64], exponent: i32) -> Product<'a> {
        let first = ((exponent - 3) / 24).max(0);
        Product { pieces, first, exponent: exponent - 24 * (first + 1) }
    }

    /// One digit of the product, before carries.
    fn column(&self, index: usize) -> f64 {
        self.pieces.iter().enumerate().fold(0.0, |sum, (at, piece)| {
            let place = self.first + index as i32 - at as i32;
            sum + piece * if place < 0 { 0.0 } else { digit(place as usize) }
        })
    }

    fn reduce(&self) -> (i32, f64, f64) {
        let mut columns = [0.0; ROOM];
        for (index, column) in columns[..=ENOUGH].iter_mut().enumerate() {
            *column = self.column(index);
        }
        let mut last = ENOUGH;
        loop {
            let mut digits = [0i32; ROOM];
            let mut top = columns[last];
            for at in 0..last {
                let carried = f64::from((top / TWO_24) as i32);
                digits[at] = (top - TWO_24 * carried) as i32;
                top = columns[last - at - 1] + carried;
            }
            let (n, half, top) = self.whole_part(top, &mut digits, last);
            let cancelled = top == 0.0 && digits[ENOUGH..last].iter().all(|digit| *digit == 0);
            if cancelled && last + ENOUGH < ROOM - 1 {
                let zeros = digits[..ENOUGH].iter().rev().take_while(|digit| **digit == 0).count();
                let more = (zeros + 1).min(ENOUGH);
                for (index, column) in columns.iter_mut().enumerate().take(last + more + 1).skip(last + 1) {
                    *column = self.column(index);
                }
                last += more;
                continue;
            }
            let (head, tail) = self.times_half_pi(top, &mut digits, last);
            return if half == 0 { (n & 7, head, tail) } else { (n & 7, -head, -tail) };
        }
    }

    /// Removes the whole part, and complements the rest if it is half or more.
    fn whole_part(&self, top: f64, digits: &mut [i32; ROOM], last: usize) -> (i32, i32, f64) {
        let q = self.exponent;
        let mut top = power_of_two(q) * top;
        top -= 8.0 * (top * 0.125).floor();
        let mut n = top as i32;
        top -= f64::from(n);
        let mut half = 0;
        if q > 0 {
            let whole = digits[last - 1] >> (24 - q);
            n += whole;
            digits[last - 1] -= whole << (24 - q);
            half = digits[last - 1] >> (23 - q);
        } else if q == 0 {
            half = digits[last - 1] >> 23;
        } else if top >= 0.5 {
            half = 2;
        }
        if half > 0 {
            n += 1;
            let mut carry = 0;
            for digit in &mut digits[..last] {
                if carry != 0 {
                    *digit = 0xFF_FFFF - *digit;
                } else if *digit != 0 {
                    carry = 1;
                    *digit = 0x100_0000 - *digit;
                }
            }
            if q == 1 || q == 2 {
                digits[last - 1] &= 0xFF_FFFF >> q;
            }
            if half == 2 {
                top = 1.0 - top;
                if carry != 0 {
                    top -= power_of_two(q);
                }
            }
        }
        (n, half, top)
    }

    /// The remainder, times pi/2.
    fn times_half_pi(&self, top: f64, digits: &mut [i32; ROOM], last: usize) -> (f64, f64) {
        let mut last = last;
        let mut q = self.exponent;
        if top == 0.0 {
            last -= 1;
            q -= 24;
            while last > 0 && digits[last] == 0 {
                last -= 1;
                q -= 24;
            }
        } else {
            let top = top * power_of_two(-q);
            if top >= TWO_24 {
                let carried = f64::from((top / TWO_24) as i32);
                digits[last] = (top - TWO_24 * carried) as i32;
                last += 1;
                q += 24;
                digits[last] = carried as i32;
            } else {
                digits[last] = top as i32;
            }
        }
        let mut scaled = [0.0; ROOM];
        let mut unit = power_of_two(q);
        for at in (0..=last).rev() {
            scaled[at] = unit * f64::from(digits[at]);
            unit /= TWO_24;
        }
        let mut products = [0.0; ROOM];
        for at in (0..=last).rev() {
            let terms = PI_OVER_2[..=ENOUGH].iter().zip(&scaled[at..=last]);
            products[last - at] = terms.fold(0.0, |sum, (piece, digit)| sum + piece * digit);
        }
        let head = products[..=last].iter().rev().fold(0.0, |sum, product| sum + product);
        let tail = products[1..=last].iter().fold(products[0] - head, |sum, product| sum + product);
        (head, tail)
    }
}

/// Two to a power that a normal number has.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
