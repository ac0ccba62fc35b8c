//! `java.lang.Float` and `java.lang.Double`: the bits of numbers.

use super::{Args, Native, NativeOutcome, all_quick, symbolic};
use crate::exit::Step;
use crate::machine::Machine;
use crate::state::Value;
use crate::symbols::term_of;
use cupping_term::{TermId, Terms};

const FLOAT: &str = "java/lang/Float";
const DOUBLE: &str = "java/lang/Double";

pub(super) const NATIVES: &[Native] = &all_quick([
    symbolic(FLOAT, "floatToRawIntBits", "(F)I", |m, a| same_bits(m, a, Terms::float_to_raw_bits)),
    symbolic(FLOAT, "intBitsToFloat", "(I)F", |m, a| same_bits(m, a, Terms::bits_to_float)),
    symbolic(FLOAT, "floatToIntBits", "(F)I", |m, a| {
        let NativeOutcome::Value(raw) = same_bits(m, a, Terms::canonical_bits)? else { unreachable!() };
        let bits = if a.float(m, 0).is_nan() { 0x7FC0_0000 } else { raw.bits };
        Ok(NativeOutcome::Value(Value { bits, shadow: raw.shadow }))
    }),
    symbolic(DOUBLE, "doubleToRawLongBits", "(D)J", |m, a| same_bits(m, a, Terms::double_to_raw_bits)),
    symbolic(DOUBLE, "longBitsToDouble", "(J)D", |m, a| same_bits(m, a, Terms::bits_to_double)),
    symbolic(DOUBLE, "doubleToLongBits", "(D)J", |m, a| {
        let NativeOutcome::Value(raw) = same_bits(m, a, Terms::canonical_bits)? else { unreachable!() };
        let bits = if a.double(m, 0).is_nan() { 0x7FF8_0000_0000_0000 } else { raw.bits };
        Ok(NativeOutcome::Value(Value { bits, shadow: raw.shadow }))
    }),
]);

/// A result with the same bits as the argument, and with the term that `make` builds.
fn same_bits(m: &mut Machine, args: &Args, make: fn(&mut Terms, TermId) -> TermId) -> Step<NativeOutcome> {
    let value = args.value(m, 0);
    let shadow = match term_of(value.shadow) {
        Some(term) => {
            let term = make(&mut m.terms, term);
            m.shadow(term)
        }
        None => 0,
    };
    Ok(NativeOutcome::Value(Value { bits: value.bits, shadow }))
}
