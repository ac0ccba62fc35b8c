//! The functions of `Math` that HotSpot computes by code of its own: correctly rounded.
//!
//! HotSpot's stubs err by little more than half a unit in the last place, so nearly all their results are the
//! nearest doubles. Here the results are computed to about a hundred bits, as sums of two doubles, and rounded
//! once: independent of the host, and the nearest double unless a result is within 2^-95 or so of the middle
//! between two. Only operations that IEEE 754 rounds correctly are used.

mod double_double;
mod exponential;
mod logarithm;
mod power;
mod trigonometric;

use double_double::Sum;

pub use exponential::{exp, tanh};
pub use logarithm::{log, log10};
pub use power::{cbrt, pow};
pub use trigonometric::{cos, sin, tan};

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases within a few thousandths of a unit of the middle between two doubles, or that HotSpot rounds the wrong
    /// way; the results are those of a calculation with 400 bits.
    #[test]
    fn results_are_the_nearest_doubles() {
        type Sample = (fn(f64) -> f64, f64, f64);
        let unary: &[Sample] = &[
            (sin, -2.5, -0.5984721441039565),
            (sin, -325536.5496445737, 0.9999789360067849),
            (cos, 1.017832653233368e26, 0.6397240089578082),
            (cos, -301.43497278090103, 0.9875562206120737),
            (tan, 3.133404466912517e204, 1.1000078662466763),
            (tan, -128.25, 0.6204196487567963),
            (exp, 0.6767621988072903, 1.967497043829278),
            (exp, -428.25, 1.0313073785165025e-186),
            (tanh, 0.08204205172024426, 0.08185847372819179),
            (cbrt, 7.874619487093458, 1.9894965593553813),
        ];
        for (function, x, expected) in unary {
            assert_eq!(function(*x), *expected, "of {x}");
        }
        let powers = [
            (710.4758600739439, 0.6875, 91.29356402927198),
            (277467.4565753372, -9.254443230423035e-5, 0.9988407705844916),
            (2.532502003233592e-99, 3.1207002265313166, 2.041904931739184e-308),
            (f64::MAX, 0.5, 1.3407807929942596e154),
        ];
        for (base, exponent, expected) in powers {
            assert_eq!(pow(base, exponent), expected, "{base} to {exponent}");
        }
    }
}
