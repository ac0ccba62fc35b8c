//! `java.lang.StrictMath` and the methods of `java.lang.Math` that a JVM replaces.
//!
//! `StrictMath` is defined as fdlibm: natives before JDK 21, and since then Java code, which runs as it is.
//! `Math` may differ from `StrictMath` in the last bit, and does so on HotSpot, whose stubs are nearly always
//! correctly rounded.

use super::support::double;
use super::{Args, Native, NativeOutcome, all_quick, fallback, row, symbolic};
use crate::exit::Step;
use crate::machine::Machine;
use crate::state::Value;
use crate::symbols::term_of;
use cupping_float::{correct_rounding, fdlibm};
use cupping_term::{TermId, Terms};

const STRICT: &str = "java/lang/StrictMath";
const MATH: &str = "java/lang/Math";
const UNARY: &str = "(D)D";
const BINARY: &str = "(DD)D";

/// First feature version whose HotSpot has a stub for the method.
const TANH_STUB: u16 = 24;
const CBRT_STUB: u16 = 25;

/// The native of a function of one number.
macro_rules! exact {
    ($function:path) => {
        |m, a| double($function(a.double(m, 0)))
    };
}

/// The same for one whose last bit may be off.
macro_rules! near {
    ($function:path) => {
        |m, a| {
            let result = $function(a.double(m, 0));
            near(m, result)
        }
    };
}

pub(super) const NATIVES: &[Native] = &all_quick([
    fallback(STRICT, "sin", UNARY, exact!(fdlibm::sin)),
    fallback(STRICT, "cos", UNARY, exact!(fdlibm::cos)),
    fallback(STRICT, "tan", UNARY, exact!(fdlibm::tan)),
    fallback(STRICT, "asin", UNARY, exact!(fdlibm::asin)),
    fallback(STRICT, "acos", UNARY, exact!(fdlibm::acos)),
    fallback(STRICT, "atan", UNARY, exact!(fdlibm::atan)),
    fallback(STRICT, "log", UNARY, exact!(fdlibm::log)),
    fallback(STRICT, "log10", UNARY, exact!(fdlibm::log10)),
    fallback(STRICT, "atan2", BINARY, |m, a| double(fdlibm::atan2(a.double(m, 0), a.double(m, 2)))),
    fallback(STRICT, "sinh", UNARY, exact!(fdlibm::sinh)),
    fallback(STRICT, "cosh", UNARY, exact!(fdlibm::cosh)),
    fallback(STRICT, "tanh", UNARY, exact!(fdlibm::tanh)),
    fallback(STRICT, "expm1", UNARY, exact!(fdlibm::expm1)),
    fallback(STRICT, "log1p", UNARY, exact!(fdlibm::log1p)),
    fallback(STRICT, "IEEEremainder", BINARY, |m, a| {
        double(fdlibm::remainder(a.double(m, 0), a.double(m, 2)))
    }),
    symbolic(STRICT, "sqrt", UNARY, |m, a| unary_term(m, a, f64::sqrt, Terms::fsqrt)),
    symbolic(MATH, "sqrt", UNARY, |m, a| unary_term(m, a, f64::sqrt, Terms::fsqrt)),
    symbolic(MATH, "abs", UNARY, |m, a| unary_term(m, a, f64::abs, Terms::fabs)),
    symbolic(MATH, "abs", "(F)F", absolute_float),
    row(MATH, "fma", "(DDD)D", |m, a| double(a.double(m, 0).mul_add(a.double(m, 2), a.double(m, 4)))),
    row(MATH, "fma", "(FFF)F", |m, a| {
        let sum = a.float(m, 0).mul_add(a.float(m, 1), a.float(m, 2));
        Ok(NativeOutcome::Value(Value::float(sum)))
    }),
    row(MATH, "sin", UNARY, near!(correct_rounding::sin)),
    row(MATH, "cos", UNARY, near!(correct_rounding::cos)),
    row(MATH, "tan", UNARY, near!(correct_rounding::tan)),
    row(MATH, "log", UNARY, near!(correct_rounding::log)),
    row(MATH, "log10", UNARY, near!(correct_rounding::log10)),
    row(MATH, "exp", UNARY, near!(correct_rounding::exp)),
    row(MATH, "pow", BINARY, |m, a| {
        let result = correct_rounding::pow(a.double(m, 0), a.double(m, 2));
        near(m, result)
    }),
    row(MATH, "tanh", UNARY, |m, a| stub_since(m, a, TANH_STUB, correct_rounding::tanh, fdlibm::tanh)),
    row(MATH, "cbrt", UNARY, |m, a| stub_since(m, a, CBRT_STUB, correct_rounding::cbrt, fdlibm::cbrt)),
]);

/// A method of `Math` that HotSpot replaces by a stub from a version on; before that it is the method of
/// `StrictMath`.
fn stub_since(
    m: &mut Machine,
    a: &Args,
    since: u16,
    stub: fn(f64) -> f64,
    strict: fn(f64) -> f64,
) -> Step<NativeOutcome> {
    let argument = a.double(m, 0);
    if m.program.jdk().feature_version() < since {
        return double(strict(argument));
    }
    near(m, stub(argument))
}

/// A result whose last bit may be wrong, so that no exact claim may follow from it. All libraries agree on
/// whole numbers, infinities and NaN.
fn near(m: &mut Machine, result: f64) -> Step<NativeOutcome> {
    if result.is_finite() && result.fract() != 0.0 {
        m.registers.volatile_reads += 1;
        let last_bit = u64::from(m.registers.variation & 1);
        return double(f64::from_bits(result.to_bits() ^ last_bit));
    }
    double(result)
}

fn unary_term(
    m: &mut Machine,
    args: &Args,
    compute: fn(f64) -> f64,
    make: fn(&mut Terms, TermId) -> TermId,
) -> Step<NativeOutcome> {
    let value = args.value(m, 0);
    let result = compute(f64::from_bits(value.bits));
    let shadow = match term_of(value.shadow) {
        Some(term) => {
            let term = make(&mut m.terms, term);
            m.shadow(term)
        }
        None => 0,
    };
    Ok(NativeOutcome::Value(Value { bits: result.to_bits(), shadow }))
}

fn absolute_float(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let value = args.value(m, 0);
    let shadow = match term_of(value.shadow) {
        Some(term) => {
            let term = m.terms.fabs(term);
            m.shadow(term)
        }
        None => 0,
    };
    Ok(NativeOutcome::Value(Value { bits: value.bits & 0x7FFF_FFFF, shadow }))
}
