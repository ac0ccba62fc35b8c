//! The arguments of a native, read from the stack of the machine.

use super::call::Args;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;

impl Args {
    /// The value at this slot (a long or double takes two).
    pub fn value(&self, machine: &Machine, slot: u32) -> Value {
        let at = self.base + slot;
        Value {
            bits: machine.stack.get(at),
            shadow: if self.symbolic { machine.stack.shadow(at) } else { 0 },
        }
    }

    /// The reference at this slot.
    pub fn reference(&self, machine: &Machine, slot: u32) -> Addr {
        machine.stack.get(self.base + slot) as Addr
    }

    /// The reference at this slot, or a `NullPointerException`.
    pub fn non_null(&self, machine: &Machine, slot: u32) -> Step<Addr> {
        match self.reference(machine, slot) {
            0 => Err(crate::exit::Trap::Raise("java/lang/NullPointerException", None)),
            object => Ok(object),
        }
    }

    /// The int at this slot.
    pub fn int(&self, machine: &Machine, slot: u32) -> i32 {
        machine.stack.get(self.base + slot) as u32 as i32
    }

    /// The long at this slot.
    pub fn long(&self, machine: &Machine, slot: u32) -> i64 {
        machine.stack.get(self.base + slot) as i64
    }

    /// The float at this slot.
    pub fn float(&self, machine: &Machine, slot: u32) -> f32 {
        f32::from_bits(machine.stack.get(self.base + slot) as u32)
    }

    /// The double at this slot.
    pub fn double(&self, machine: &Machine, slot: u32) -> f64 {
        f64::from_bits(machine.stack.get(self.base + slot))
    }
}
