//! Terms of accesses that do not match the slots: a long read from an `int[]`, a long written to a `byte[]`, a
//! float read as an int.

use crate::classes::Kind;
use crate::machine::Machine;
use crate::state::{HeapShadow, Shadow, Value};
use crate::symbols::{sort_of, term_of};
use cupping_term::{Sort, TermId};

/// The shadow of the `kind.array_bytes()` bytes of array elements from this byte address.
pub(super) fn bytes_shadow(m: &mut Machine, at: u64, kind: Kind) -> Shadow {
    let size = kind.array_bytes() as u64;
    if !m.shadows.any() || !(0..size + 7).any(|i| m.heap_shadow((at + size - 1).saturating_sub(i)) != 0) {
        return 0;
    }
    let exact = m.heap_shadow(at);
    if let (Some(term), Some(slot)) = (term_of(exact), m.registers.heap_shadows.get(&at))
        && slot.size as u64 == size
        && m.terms.sort(term) == sort_of(kind)
    {
        // Elements of one size differ only in how they are widened: byte and boolean, char and short.
        return m.narrowed_shadow(Value { bits: 0, shadow: exact }, kind);
    }
    let sort = if size == 8 { Sort::Bv64 } else { Sort::Bv32 };
    let mut joined = m.terms.constant(sort, 0);
    for i in 0..size {
        let byte = byte_term(m, at + i);
        let wide = m.terms.zext(sort, byte);
        let distance = m.terms.int(i as i32 * 8);
        let placed = m.terms.shl(wide, distance);
        joined = m.terms.or(joined, placed);
    }
    let term = match kind {
        Kind::Float => m.terms.bits_to_float(joined),
        Kind::Double => m.terms.bits_to_double(joined),
        _ => joined,
    };
    let shadow = m.shadow(term);
    m.narrowed_shadow(Value { bits: 0, shadow }, kind)
}

/// The term of one byte of memory, of sort `Bv8`.
fn byte_term(m: &mut Machine, at: u64) -> TermId {
    for before in 0..8 {
        let start = at - before;
        if let Some(HeapShadow { shadow, size }) = m.registers.heap_shadows.get(&start).copied()
            && u64::from(size) > before
            && let Some(term) = term_of(shadow)
        {
            let raw = raw_term(m, term);
            let distance = m.terms.int(before as i32 * 8);
            let moved = m.terms.lshr(raw, distance);
            return m.terms.truncate(Sort::Bv8, moved);
        }
    }
    let bits = m.memory.read_bytes(at, 1);
    m.terms.constant(Sort::Bv8, bits & 0xFF)
}

/// The bits of a term as an integer of the same width.
fn raw_term(m: &mut Machine, term: TermId) -> TermId {
    match m.terms.sort(term) {
        Sort::F32 => m.terms.float_to_raw_bits(term),
        Sort::F64 => m.terms.double_to_raw_bits(term),
        _ => term,
    }
}

/// Distributes the shadow of a stored value over the elements of kind `element` that the store covers.
pub(super) fn set_element_shadows(m: &mut Machine, at: u64, kind: Kind, value: Value, element: Kind) {
    let Some(term) = term_of(value.shadow) else { return };
    let raw = raw_term(m, term);
    let width = element.array_bytes();
    for part in 0..(kind.array_bytes() / width) {
        let distance = m.terms.int((part * width) as i32 * 8);
        let mut piece = m.terms.lshr(raw, distance);
        if m.terms.sort(piece) == Sort::Bv64 && width < 8 {
            piece = m.terms.truncate(Sort::Bv32, piece);
        }
        let piece = match element {
            Kind::Float => m.terms.bits_to_float(piece),
            Kind::Double => m.terms.bits_to_double(piece),
            _ => piece,
        };
        let shadow = m.shadow(piece);
        let shadow = m.narrowed_shadow(Value { bits: 0, shadow }, element);
        m.set_heap_shadow(at + (part * width) as u64, width, shadow);
    }
}
