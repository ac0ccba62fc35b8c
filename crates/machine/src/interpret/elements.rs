//! Loads and stores of array elements.

use super::cursor::{Cursor, Flow};
use super::stop::Stop;
use crate::choices::HOLE;
use crate::classes::{ClassKind, Kind};
use crate::exit::{Step, Trap};
use crate::heap::layout::{ARRAY_HEADER, element_byte};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;

impl Machine {
    /// Whether `value` may be an element of `array`.
    #[inline]
    fn can_store(&self, array: Addr, value: Addr) -> bool {
        match self.class(self.class_of(array)).kind {
            ClassKind::Array { element, .. } => self.is_subtype(self.class_of(value), element),
            _ => false,
        }
    }

    /// The element of an array, with its shadow; the index may have one too.
    #[inline(never)]
    fn load_element(&mut self, kind: Kind, array: Addr, index: Value) -> Step<Value> {
        if array == 0 {
            return Err(Trap::Raise("java/lang/NullPointerException", None));
        }
        let (at, size) = (index.bits as u32, kind.array_bytes());
        if self.shadows.any() && at < self.array_length(array) {
            let byte = element_byte(array, at, size);
            if self.heap_shadow(byte) == HOLE {
                return Err(self.meet_hole(byte));
            }
        }
        if index.shadow != 0 || self.may_have_term(array + 1) {
            return self.symbolic_array_load(array, index, kind);
        }
        if at >= self.array_length(array) {
            return Err(out_of_bounds(at as i32, self.array_length(array)));
        }
        let byte = element_byte(array, at, size);
        let bits = widened(kind, self.memory.read_bytes(byte, size));
        Ok(Value { bits, shadow: self.heap_shadow(byte) })
    }
}

/// The exception for an index out of bounds, with the JDK's message.
#[cold]
pub(crate) fn out_of_bounds(index: i32, length: u32) -> Trap {
    let message = format!("Index {index} out of bounds for length {length}");
    Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", Some(message))
}

/// An element widened to a slot.
#[inline(always)]
fn widened(kind: Kind, bits: u64) -> u64 {
    match kind {
        Kind::Byte => bits as i8 as i32 as u32 as u64,
        Kind::Short => bits as i16 as i32 as u32 as u64,
        _ => bits,
    }
}

impl<const SYMBOLIC: bool> Cursor<'_, SYMBOLIC> {
    /// The element in the plain case: the array exists, the index is within bounds, and no shadow is near.
    #[inline(always)]
    pub(super) fn plain_element(&self, kind: Kind, array: Addr, index: Value) -> Option<u64> {
        let (at, size) = (index.bits as u32, kind.array_bytes());
        if array == 0 || (SYMBOLIC && index.shadow != 0) || at >= self.machine.array_length(array) {
            return None;
        }
        let byte = element_byte(array, at, size);
        let is_shadowed = self.machine.may_have_term(array + 1)
            || self.machine.may_have_shadow((byte >> 3) as Addr) && self.machine.has_shadow(byte);
        if is_shadowed {
            return None;
        }
        Some(widened(kind, self.machine.memory.read_bytes(byte, size)))
    }

    #[inline(always)]
    pub(super) fn array_load(&mut self, kind: Kind) -> Flow {
        let (array, index) = (self.slot(self.sp - 2) as Addr, self.value(self.sp - 1));
        let element = match self.plain_element(kind, array, index) {
            Some(element) => Value::concrete(element),
            None => {
                let element = self.attempt(|machine| machine.load_element(kind, array, index))?;
                if !SYMBOLIC && element.shadow != 0 {
                    return Err(Stop::Symbolic);
                }
                self.machine.finish_decisions();
                element
            }
        };
        self.sp -= 2;
        self.push_value(kind.slots() as usize, element);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn array_store(&mut self, kind: Kind) -> Flow {
        let slots = kind.slots() as usize;
        let array = self.slot(self.sp - slots - 2) as Addr;
        if array == 0 {
            return self.null_pointer();
        }
        let (index, stored) = (self.value(self.sp - slots - 1), self.value(self.sp - slots));
        let (at, size) = (index.bits as u32, kind.array_bytes());
        if SYMBOLIC && (index.shadow | stored.shadow) != 0 || self.machine.may_have_term(array + 1) {
            self.decide(|machine| machine.symbolic_array_store(array, index, stored, kind))?;
        } else {
            if at >= self.machine.array_length(array) {
                let length = self.machine.array_length(array);
                return self.trap(out_of_bounds(at as i32, length));
            }
            let byte = element_byte(array, at, size);
            self.machine.memory.write_bytes(byte, size, stored.bits);
            self.machine.set_heap_shadow(byte, size, 0);
        }
        self.sp -= slots + 2;
        Ok(())
    }

    /// `bastore`: arrays of boolean share the instruction with those of byte, but keep one bit.
    #[inline(always)]
    pub(super) fn byte_store(&mut self) -> Flow {
        let array = self.slot(self.sp - 3) as Addr;
        if array != 0 && self.machine.element_kind(self.machine.class_of(array)) == Kind::Boolean {
            if self.shadow(self.sp - 1) == 0 {
                self.set_slot(self.sp - 1, self.slot(self.sp - 1) & 1);
            }
            return self.array_store(Kind::Boolean);
        }
        self.array_store(Kind::Byte)
    }

    #[inline(always)]
    pub(super) fn reference_store(&mut self) -> Flow {
        let array = self.slot(self.sp - 3) as Addr;
        let index = self.value(self.sp - 2);
        let (at, stored) = (index.bits as u32, self.slot(self.sp - 1) as Addr);
        if array == 0 {
            return self.null_pointer();
        }
        if SYMBOLIC && index.shadow != 0 || self.machine.may_have_term(array + 1) {
            self.decide(|machine| {
                machine.check_bounds(array, index)?;
                machine.concretize(index, Kind::Int)
            })?;
        }
        if at >= self.machine.array_length(array) {
            let length = self.machine.array_length(array);
            return self.trap(out_of_bounds(at as i32, length));
        }
        if stored != 0 && !self.machine.can_store(array, stored) {
            let name = self.machine.class_name_of(stored).replace('/', ".");
            return self.trap(Trap::Raise("java/lang/ArrayStoreException", Some(name)));
        }
        let element = array + ARRAY_HEADER + at;
        self.machine.memory.write(element, stored as u64);
        self.machine.set_heap_shadow(u64::from(element) * 8, 8, 0);
        self.sp -= 3;
        Ok(())
    }
}
