//! The contents of string builders.

use cupping_machine::{Addr, Kind, Machine};

/// The characters of a `StringBuilder` or `StringBuffer`.
pub(super) fn characters(machine: &Machine, builder: Addr) -> Option<Vec<u16>> {
    let class = machine.class_of(builder);
    let field = |name: &str| machine.field_offset(class, name).map(|at| machine.field(builder, at));
    let (value, coder, count) = (field("value")? as Addr, field("coder")?, field("count")? as u32);
    let byte = |at: u32| machine.element(value, at, Kind::Byte) as u8;
    let length = machine.array_length(value);
    if coder as u8 == 0 {
        return Some((0..count.min(length)).map(|at| u16::from(byte(at))).collect());
    }
    let units = (0..count.min(length / 2)).map(|at| u16::from_ne_bytes([byte(2 * at), byte(2 * at + 1)]));
    Some(units.collect())
}
