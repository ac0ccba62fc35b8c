//! Values of slots, with their shadows.

use crate::memory::Addr;

/// A symbolic shadow: the number of a term, or 0 if the value is only concrete.
pub type Shadow = u32;

/// A slot with its shadow; long and double take the first of their two slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Value {
    /// The bits: ints zero-extended from 32 bits, floats as IEEE bits, references as addresses.
    pub bits: u64,
    /// The term it is the value of, or 0.
    pub shadow: Shadow,
}

impl Value {
    /// A value without a shadow.
    pub const fn concrete(bits: u64) -> Value {
        Value { bits, shadow: 0 }
    }

    /// An int.
    pub const fn int(value: i32) -> Value {
        Value::concrete(value as u32 as u64)
    }

    /// A boolean.
    pub const fn boolean(value: bool) -> Value {
        Value::concrete(value as u64)
    }

    /// A long.
    pub const fn long(value: i64) -> Value {
        Value::concrete(value as u64)
    }

    /// A reference.
    pub const fn reference(addr: Addr) -> Value {
        Value::concrete(addr as u64)
    }

    /// A float.
    pub fn float(value: f32) -> Value {
        Value::concrete(value.to_bits() as u64)
    }

    /// A double.
    pub fn double(value: f64) -> Value {
        Value::concrete(value.to_bits())
    }

    /// As an int.
    pub const fn as_int(self) -> i32 {
        self.bits as u32 as i32
    }

    /// As a reference.
    pub const fn as_ref(self) -> Addr {
        self.bits as Addr
    }
}
