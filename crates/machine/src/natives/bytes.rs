//! Bytes in transit between arrays, memory outside the heap and files, with the terms whose values they are.
//!
//! Operations that cannot keep terms (checksums and compression of large data, names of files) fix the bytes
//! that they read: other values of them are another path.

use crate::classes::Kind;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{java_lang_string, pieces};
use crate::state::{HeapShadow, Shadow, Value};
use crate::world::Bytes;

/// Bytes of the widest slot.
const WIDEST: u64 = 8;
impl Machine {
    /// Whether bytes of memory may have shadows.
    pub(super) fn may_have_shadows(&self, at: u64, length: u64) -> bool {
        length > 0 && self.shadows.may_be_within(at.saturating_sub(WIDEST), at.saturating_add(length))
    }
}

/// The shadows of bytes of memory, by their offsets: each is that of an element of a `byte[]`.
fn byte_shadows(m: &mut Machine, at: u64, length: u64) -> Vec<(usize, Shadow)> {
    if !m.may_have_shadows(at, length) {
        return Vec::new();
    }
    let found = (0..length).map(|offset| (offset as usize, pieces::bytes_shadow(m, at + offset, Kind::Byte)));
    found.filter(|(_, shadow)| *shadow != 0).collect()
}

/// Bytes of memory that is there.
pub(super) fn bytes_at(m: &mut Machine, at: u64, length: u64) -> Bytes {
    let plain = (0..length).map(|offset| m.memory.read_bytes(at + offset, 1) as u8).collect();
    Bytes { plain, shadows: byte_shadows(m, at, length) }
}

/// Writes bytes to existing memory: a `byte[]`, or memory outside the heap.
pub(super) fn put_bytes(m: &mut Machine, at: u64, bytes: &Bytes) {
    clear_byte_shadows(m, at, bytes.plain.len() as u64);
    for (offset, byte) in bytes.plain.iter().enumerate() {
        m.memory.write_bytes(at + offset as u64, 1, u64::from(*byte));
    }
    for (offset, shadow) in &bytes.shadows {
        m.set_heap_shadow(at + *offset as u64, 1, *shadow);
    }
}

/// Removes the shadows of bytes of memory; the other bytes of a wider slot keep theirs.
pub(super) fn clear_byte_shadows(m: &mut Machine, at: u64, length: u64) {
    if !m.may_have_shadows(at, length) {
        return;
    }
    let end = at + length;
    let mut kept = Vec::new();
    for start in at.saturating_sub(WIDEST)..end {
        let Some(HeapShadow { size, .. }) = m.registers.heap_shadows.get(&start).copied() else {
            m.set_heap_shadow(start.max(at), 1, 0);
            continue;
        };
        let slot = start..start + u64::from(size);
        if slot.end <= at {
            continue;
        }
        for byte in slot.filter(|byte| *byte < at || *byte >= end) {
            kept.push((byte, pieces::bytes_shadow(m, byte, Kind::Byte)));
        }
        m.set_heap_shadow(start, 1, 0);
    }
    for (byte, shadow) in kept {
        m.set_heap_shadow(byte, 1, shadow);
    }
}

/// Fixes bytes of memory to their present values.
pub(super) fn fix_bytes(m: &mut Machine, at: u64, length: u64) -> Step<()> {
    for (offset, shadow) in byte_shadows(m, at, length) {
        let byte = m.memory.read_bytes(at + offset as u64, 1) as u8;
        let bits = i32::from(byte as i8) as u32;
        m.concretize(Value { bits: u64::from(bits), shadow }, Kind::Int)?;
    }
    Ok(())
}

/// Fixes the length and the characters of a string.
pub(super) fn fix_text(m: &mut Machine, string: Addr) -> Step<()> {
    let array = m.field_ref(string, m.classes.well_known.string_value);
    if array == 0 {
        return Ok(());
    }
    let length = java_lang_string::char_length(m, array);
    m.concretize(length, Kind::Int)?;
    let at = crate::heap::layout::element_byte(array, 0, 1);
    if m.may_have_shadows(at, u64::from(m.array_length(array))) {
        for index in 0..length.bits as u32 {
            let character = java_lang_string::char_value(m, array, index);
            m.concretize(character, Kind::Int)?;
        }
    }
    Ok(())
}
