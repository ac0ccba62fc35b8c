//! Primitive values as literals.

use cupping_case::Literal;
use cupping_machine::Kind;

/// A primitive under a model.
pub(super) fn literal(kind: Kind, bits: u64) -> Literal {
    match kind {
        Kind::Boolean => Literal::Boolean(bits & 1 != 0),
        Kind::Byte => Literal::Byte(bits as i8),
        Kind::Short => Literal::Short(bits as i16),
        Kind::Char => Literal::Char(bits as u16),
        Kind::Long => Literal::Long(bits as i64),
        Kind::Float => Literal::Float(f32::from_bits(bits as u32)),
        Kind::Double => Literal::Double(f64::from_bits(bits)),
        _ => Literal::Int(bits as u32 as i32),
    }
}
