//! Terms of accesses that do not fit the slots they touch: a long read from an `int[]`, a long written to a
//! `byte[]`, a float read as an int.

use crate::classes::Kind;
use crate::machine::Machine;
use crate::state::{HeapShadow, Shadow, Value};
use crate::symbols::{sort_of, term_of};
use cupping_term::{Sort, TermId};

impl Machine {
    /// The shadow of the `kind.array_bytes()` bytes of array elements from this byte address.
    pub(super) fn bytes_shadow(&mut self, at: u64, kind: Kind) -> Shadow {
        let size = kind.array_bytes() as u64;
        if !self.shadows.any()
            || !(0..size + 7).any(|i| self.heap_shadow((at + size - 1).saturating_sub(i)) != 0)
        {
            return 0;
        }
        let exact = self.heap_shadow(at);
        if let (Some(term), Some(slot)) = (term_of(exact), self.registers.heap_shadows.get(&at))
            && slot.size as u64 == size
            && self.terms.sort(term) == sort_of(kind)
        {
            // Elements of one size differ in how they are widened: byte and boolean, char and short.
            return self.narrowed_shadow(Value { bits: 0, shadow: exact }, kind);
        }
        let sort = if size == 8 { Sort::Bv64 } else { Sort::Bv32 };
        let mut joined = self.terms.constant(sort, 0);
        for i in 0..size {
            let byte = self.byte_term(at + i);
            let wide = self.terms.zext(sort, byte);
            let distance = self.terms.int(i as i32 * 8);
            let placed = self.terms.shl(wide, distance);
            joined = self.terms.or(joined, placed);
        }
        let term = match kind {
            Kind::Float => self.terms.bits_to_float(joined),
            Kind::Double => self.terms.bits_to_double(joined),
            _ => joined,
        };
        let shadow = self.shadow(term);
        self.narrowed_shadow(Value { bits: 0, shadow }, kind)
    }

    /// The term of one byte of memory, of sort `Bv8`.
    fn byte_term(&mut self, at: u64) -> TermId {
        for before in 0..8 {
            let start = at - before;
            if let Some(HeapShadow { shadow, size }) = self.registers.heap_shadows.get(&start).copied()
                && u64::from(size) > before
                && let Some(term) = term_of(shadow)
            {
                let raw = self.raw_term(term);
                let distance = self.terms.int(before as i32 * 8);
                let moved = self.terms.lshr(raw, distance);
                return self.terms.truncate(Sort::Bv8, moved);
            }
        }
        let bits = self.memory.read_bytes(at, 1);
        self.terms.constant(Sort::Bv8, bits & 0xFF)
    }

    /// The bits of a term as an integer of the same width.
    fn raw_term(&mut self, term: TermId) -> TermId {
        match self.terms.sort(term) {
            Sort::F32 => self.terms.float_to_raw_bits(term),
            Sort::F64 => self.terms.double_to_raw_bits(term),
            _ => term,
        }
    }

    /// Gives the elements of kind `element` that a store of a symbolic value covers their parts of it.
    pub(super) fn set_element_shadows(&mut self, at: u64, kind: Kind, value: Value, element: Kind) {
        let Some(term) = term_of(value.shadow) else { return };
        let raw = self.raw_term(term);
        let width = element.array_bytes();
        for part in 0..(kind.array_bytes() / width) {
            let distance = self.terms.int((part * width) as i32 * 8);
            let mut piece = self.terms.lshr(raw, distance);
            if self.terms.sort(piece) == Sort::Bv64 && width < 8 {
                piece = self.terms.truncate(Sort::Bv32, piece);
            }
            let piece = match element {
                Kind::Float => self.terms.bits_to_float(piece),
                Kind::Double => self.terms.bits_to_double(piece),
                _ => piece,
            };
            let shadow = self.shadow(piece);
            let shadow = self.narrowed_shadow(Value { bits: 0, shadow }, element);
            self.set_heap_shadow(at + (part * width) as u64, width, shadow);
        }
    }
}
