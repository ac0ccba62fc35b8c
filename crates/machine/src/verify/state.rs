//! The state before an instruction: the types of locals and operands.

use super::failure::{Failure, bad};
use super::types::{Type, Types};

/// Types of locals and operands. Locals beyond the last one in the list are [`Type::Top`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TypeState {
    pub(super) locals: Vec<Type>,
    pub(super) stack: Vec<Type>,
    /// In a constructor: `this` may not be initialised yet (`flagThisUninit`).
    pub(super) this_uninit: bool,
}

impl TypeState {
    /// The type of a local.
    pub(super) fn local(&self, index: usize) -> Type {
        self.locals.get(index).copied().unwrap_or(Type::Top)
    }

    fn write(&mut self, index: usize, ty: Type) {
        if self.locals.len() <= index {
            self.locals.resize(index + 1, Type::Top);
        }
        self.locals[index] = ty;
    }

    /// Stores into a local, and into the next one for a long or double. Longs and doubles that are partly
    /// overwritten are lost.
    pub(super) fn store(&mut self, index: usize, ty: Type) {
        if index > 0 && self.local(index - 1).high().is_some() {
            self.write(index - 1, Type::Top);
        }
        let last = index + ty.high().is_some() as usize;
        if self.local(last + 1).is_high() {
            self.write(last + 1, Type::Top);
        }
        self.write(index, ty);
        if let Some(high) = ty.high() {
            self.write(index + 1, high);
        }
    }

    /// Pushes a value; the caller checks the depth against `max_stack`, once per instruction.
    pub(super) fn push(&mut self, ty: Type) {
        self.stack.push(ty);
        self.stack.extend(ty.high());
    }

    /// Pops one slot.
    pub(super) fn pop_slot(&mut self) -> Result<Type, Failure> {
        self.stack.pop().ok_or_else(|| bad("Operand stack underflow"))
    }

    /// Pops a value, the first slot's type for a long or double.
    pub(super) fn pop(&mut self) -> Result<Type, Failure> {
        let top = self.pop_slot()?;
        if !top.is_high() {
            return Ok(top);
        }
        let low = self.pop_slot()?;
        if low.high() == Some(top) { Ok(low) } else { Err(bad("Bad type on operand stack")) }
    }

    /// Pops one slot that is a whole value.
    pub(super) fn pop_one(&mut self) -> Result<Type, Failure> {
        let top = self.pop_slot()?;
        let whole = !top.is_high() && top.high().is_none() && top != Type::Top;
        if whole { Ok(top) } else { Err(bad("Bad type on operand stack")) }
    }

    /// Pops two slots, which hold one or two whole values; the deeper one comes first.
    pub(super) fn pop_two(&mut self) -> Result<[Type; 2], Failure> {
        let top = self.pop_slot()?;
        let below = self.pop_slot()?;
        let pair = below.high() == Some(top);
        let single = |ty: Type| !ty.is_high() && ty.high().is_none() && ty != Type::Top;
        let both = single(top) && single(below);
        if pair || both { Ok([below, top]) } else { Err(bad("Bad type on operand stack")) }
    }

    /// Replaces every slot of this type by another type, as after the call of a constructor.
    pub(super) fn replace(&mut self, from: Type, to: Type) {
        for slot in self.locals.iter_mut().chain(&mut self.stack) {
            if *slot == from {
                *slot = to;
            }
        }
    }

    /// Merges another state into this one; returns whether it changed. `None` if the stacks do not match.
    pub(super) fn merge(&mut self, other: &TypeState, types: &mut Types) -> Option<bool> {
        if self.stack.len() != other.stack.len() {
            return None;
        }
        let mut changed = false;
        if self.locals.len() > other.locals.len() {
            changed = self.locals[other.locals.len()..].iter().any(|ty| *ty != Type::Top);
            self.locals.truncate(other.locals.len());
        }
        let locals = self.locals.iter_mut().zip(&other.locals);
        for (own, theirs) in locals.chain(self.stack.iter_mut().zip(&other.stack)) {
            let merged = types.merge(*own, *theirs);
            changed |= merged != *own;
            *own = merged;
        }
        self.split_halves();
        changed |= other.this_uninit && !self.this_uninit;
        self.this_uninit |= other.this_uninit;
        Some(changed)
    }

    /// A half of a long or double is unusable without its other half.
    fn split_halves(&mut self) {
        for index in 0..self.locals.len() {
            let ty = self.locals[index];
            let broken = match ty.high() {
                Some(high) => self.local(index + 1) != high,
                None => ty.is_high() && (index == 0 || self.locals[index - 1].high() != Some(ty)),
            };
            if broken {
                self.locals[index] = Type::Top;
            }
        }
    }
}
