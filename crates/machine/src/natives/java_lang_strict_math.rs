//! `java.lang.StrictMath` and the methods of `java.lang.Math` that a JVM replaces.
//!
//! `StrictMath` is defined as fdlibm: natives before JDK 21, Java code since, which then runs as it is. For the
//! natives stands the `libm` crate, a port of fdlibm's successor in FreeBSD, which differs from it in the last
//! bit now and then (see `StrictFunctions` in the corpus). `Math` may differ from `StrictMath` in the last bit,
//! and on HotSpot does: its stubs are nearly always correctly rounded.

use super::support::double;
use super::{Args, Native, Outcome, fallback, row, symbolic};
use crate::exit::Step;
use crate::machine::Machine;
use crate::state::Value;
use crate::symbolic::term_of;
use cupping_term::{TermId, Terms};

const STRICT: &str = "java/lang/StrictMath";
const MATH: &str = "java/lang/Math";
const UNARY: &str = "(D)D";
const BINARY: &str = "(DD)D";

/// The native of a function of one number whose last bit may be off.
macro_rules! near {
    ($function:path) => {
        |m, a| {
            let result = $function(a.double(m, 0));
            near(m, result)
        }
    };
}

pub(super) const NATIVES: &[Native] = &[
    fallback(STRICT, "sin", UNARY, near!(libm::sin)),
    fallback(STRICT, "cos", UNARY, near!(libm::cos)),
    fallback(STRICT, "tan", UNARY, near!(libm::tan)),
    fallback(STRICT, "asin", UNARY, near!(libm::asin)),
    fallback(STRICT, "acos", UNARY, near!(libm::acos)),
    fallback(STRICT, "atan", UNARY, near!(libm::atan)),
    fallback(STRICT, "log", UNARY, near!(libm::log)),
    fallback(STRICT, "log10", UNARY, near!(libm::log10)),
    fallback(STRICT, "atan2", BINARY, |m, a| {
        let result = libm::atan2(a.double(m, 0), a.double(m, 2));
        near(m, result)
    }),
    fallback(STRICT, "sinh", UNARY, near!(libm::sinh)),
    fallback(STRICT, "cosh", UNARY, near!(libm::cosh)),
    fallback(STRICT, "tanh", UNARY, near!(libm::tanh)),
    fallback(STRICT, "expm1", UNARY, near!(libm::expm1)),
    fallback(STRICT, "log1p", UNARY, near!(libm::log1p)),
    fallback(STRICT, "IEEEremainder", BINARY, |m, a| double(ieee_remainder(a.double(m, 0), a.double(m, 2)))),
    symbolic(STRICT, "sqrt", UNARY, |m, a| unary_term(m, a, f64::sqrt, Terms::fsqrt)),
    symbolic(MATH, "sqrt", UNARY, |m, a| unary_term(m, a, f64::sqrt, Terms::fsqrt)),
    symbolic(MATH, "abs", UNARY, |m, a| unary_term(m, a, f64::abs, Terms::fabs)),
    symbolic(MATH, "abs", "(F)F", absolute_float),
    row(MATH, "fma", "(DDD)D", |m, a| double(a.double(m, 0).mul_add(a.double(m, 2), a.double(m, 4)))),
    row(MATH, "fma", "(FFF)F", |m, a| {
        let sum = a.float(m, 0).mul_add(a.float(m, 1), a.float(m, 2));
        Ok(Outcome::Value(Value::float(sum)))
    }),
    row(MATH, "sin", UNARY, near!(f64::sin)),
    row(MATH, "cos", UNARY, near!(f64::cos)),
    row(MATH, "tan", UNARY, near!(f64::tan)),
    row(MATH, "log", UNARY, near!(f64::ln)),
    row(MATH, "log10", UNARY, near!(f64::log10)),
    row(MATH, "exp", UNARY, near!(f64::exp)),
    row(MATH, "pow", BINARY, |m, a| {
        let result = power(a.double(m, 0), a.double(m, 2));
        near(m, result)
    }),
];

/// A result that may be off in its last bit, so that nothing exact is claimed of what follows from it; the
/// results that every library agrees on are whole numbers, infinities and NaN.
fn near(m: &mut Machine, result: f64) -> Step<Outcome> {
    if result.is_finite() && result.fract() != 0.0 {
        m.registers.volatile_reads += 1;
    }
    double(result)
}

fn unary_term(
    m: &mut Machine,
    args: &Args,
    compute: fn(f64) -> f64,
    make: fn(&mut Terms, TermId) -> TermId,
) -> Step<Outcome> {
    let value = args.value(m, 0);
    let result = compute(f64::from_bits(value.bits));
    let shadow = match term_of(value.shadow) {
        Some(term) => {
            let term = make(&mut m.terms, term);
            m.shadow(term)
        }
        None => 0,
    };
    Ok(Outcome::Value(Value { bits: result.to_bits(), shadow }))
}

fn absolute_float(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let value = args.value(m, 0);
    let shadow = match term_of(value.shadow) {
        Some(term) => {
            let term = m.terms.fabs(term);
            m.shadow(term)
        }
        None => 0,
    };
    Ok(Outcome::Value(Value { bits: value.bits & 0x7FFF_FFFF, shadow }))
}

/// `Math.pow`, which unlike C's gives NaN for ±1 to an infinite power and for 1 to NaN.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent != 0.0 && (exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite())) {
        return f64::NAN;
    }
    base.powf(exponent)
}

/// `Math.IEEEremainder`: the remainder for the quotient rounded to nearest, ties to even.
fn ieee_remainder(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f64::NAN;
    }
    if y.is_infinite() {
        return x;
    }
    libm::remquo(x, y).0
}
