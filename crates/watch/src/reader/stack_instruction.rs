//! Instructions that work on the operand stack alone: arithmetic, comparisons, conversions, and what moves
//! operands. Longs and doubles take two slots, of which the first holds them.
//!
//! Evaluation does not go through the abstract interpreter of `cupping_classfile`: conditions are evaluated
//! at every call of a watched method, on untyped words in one flat array, with no allocation and no look-up
//! of constants. What the instructions mean still comes from the table: [`compile`](super::compile) asks it
//! once, and the operators are those of `cupping_classfile`.

use cupping_classfile::{Action, Arithmetic, ArrayElement, Effect, Instruction, Shuffle, StackType};

/// An instruction that works on the operand stack alone.
#[derive(Clone, Copy, Debug)]
pub(super) enum StackInstruction {
    Nop,
    Shuffle(Shuffle),
    Arithmetic(Arithmetic, StackType),
    Negate(StackType),
    Convert(StackType, StackType),
    Narrow(ArrayElement),
    /// The type, and what a comparison with NaN gives.
    Compare(StackType, i32),
}

/// The operand stack of one call.
pub(super) struct Operands<'s> {
    pub(super) slots: &'s mut [u64],
    /// The first free slot.
    pub(super) at: usize,
}

impl Operands<'_> {
    #[inline]
    pub(super) fn push(&mut self, bits: u64) -> Option<()> {
        *self.slots.get_mut(self.at)? = bits;
        self.at += 1;
        Some(())
    }

    #[inline]
    pub(super) fn push_wide(&mut self, bits: u64) -> Option<()> {
        self.push(bits)?;
        self.push(0)
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.at = self.at.checked_sub(1)?;
        self.slots.get(self.at).copied()
    }

    #[inline]
    pub(super) fn pop_wide(&mut self) -> Option<u64> {
        self.at = self.at.checked_sub(2)?;
        self.slots.get(self.at).copied()
    }

    #[inline]
    pub(super) fn pop_int(&mut self) -> Option<i32> {
        Some(self.pop()? as u32 as i32)
    }

    #[inline]
    pub(super) fn push_int(&mut self, value: i32) -> Option<()> {
        self.push(u64::from(value as u32))
    }

    fn floats(&mut self) -> Option<(f32, f32)> {
        let b = self.float()?;
        Some((self.float()?, b))
    }

    fn doubles(&mut self) -> Option<(f64, f64)> {
        let b = self.double()?;
        Some((self.double()?, b))
    }

    fn longs(&mut self) -> Option<(i64, i64)> {
        let b = self.pop_wide()? as i64;
        Some((self.pop_wide()? as i64, b))
    }

    fn float(&mut self) -> Option<f32> {
        Some(f32::from_bits(self.pop()? as u32))
    }

    fn double(&mut self) -> Option<f64> {
        Some(f64::from_bits(self.pop_wide()?))
    }

    fn push_float(&mut self, value: f32) -> Option<()> {
        self.push(u64::from(value.to_bits()))
    }

    fn push_double(&mut self, value: f64) -> Option<()> {
        self.push_wide(value.to_bits())
    }

    fn shuffle(&mut self, shuffle: &Shuffle) -> Option<()> {
        let from = self.at.checked_sub(usize::from(shuffle.take))?;
        let mut taken = [0; 4];
        taken.get_mut(..usize::from(shuffle.take))?.copy_from_slice(self.slots.get(from..self.at)?);
        self.at = from;
        shuffle.order.iter().try_for_each(|slot| self.push(*taken.get(usize::from(*slot))?))
    }
}

/// The instruction as it is evaluated; `None` if it does more.
pub(super) fn plain(instruction: &Instruction) -> Option<StackInstruction> {
    let opcode = instruction.opcode;
    Some(match (opcode.action(), opcode.effect(), opcode.stack_type()) {
        (Action::Nop, ..) => StackInstruction::Nop,
        (_, Effect::Shuffle(shuffle), _) => StackInstruction::Shuffle(*shuffle),
        (Action::Arithmetic(operator), _, Some(ty)) => StackInstruction::Arithmetic(operator, ty),
        (Action::Negate, _, Some(ty)) => StackInstruction::Negate(ty),
        (Action::Convert, _, Some(ty)) => StackInstruction::Convert(ty, opcode.result_type()?),
        (Action::Narrow(element), ..) => StackInstruction::Narrow(element),
        (Action::Compare(nan), _, Some(ty)) => StackInstruction::Compare(ty, i32::from(nan)),
        _ => return None,
    })
}

/// Does an instruction; `None` if it would throw.
#[inline]
pub(super) fn run(plain: &StackInstruction, on: &mut Operands<'_>) -> Option<()> {
    match plain {
        StackInstruction::Nop => Some(()),
        StackInstruction::Shuffle(shuffle) => on.shuffle(shuffle),
        StackInstruction::Arithmetic(operator, ty) => arithmetic(*operator, *ty, on),
        StackInstruction::Negate(StackType::Int) => on.pop_int().and_then(|a| on.push_int(a.wrapping_neg())),
        StackInstruction::Negate(StackType::Long) => {
            on.pop_wide().and_then(|a| on.push_wide(a.wrapping_neg()))
        }
        StackInstruction::Negate(StackType::Float) => on.float().and_then(|a| on.push_float(-a)),
        StackInstruction::Negate(StackType::Double) => on.double().and_then(|a| on.push_double(-a)),
        StackInstruction::Negate(_) => None,
        StackInstruction::Convert(from, to) => convert(*from, *to, on),
        StackInstruction::Narrow(element) => on.pop_int().and_then(|a| on.push_int(element.narrow(a))),
        StackInstruction::Compare(ty, nan) => {
            let order = match ty {
                StackType::Long => on.longs().map(|(a, b)| Some(a.cmp(&b)))?,
                StackType::Float => on.floats().map(|(a, b)| a.partial_cmp(&b))?,
                _ => on.doubles().map(|(a, b)| a.partial_cmp(&b))?,
            };
            on.push_int(order.map_or(*nan, |order| order as i32))
        }
    }
}

fn arithmetic(operator: Arithmetic, ty: StackType, on: &mut Operands<'_>) -> Option<()> {
    match ty {
        StackType::Int => {
            let (b, a) = (on.pop_int()?, on.pop_int()?);
            on.push_int(operator.ints(a, b)?)
        }
        StackType::Long => {
            let (a, b) = if operator.is_shift() {
                let by = i64::from(on.pop_int()?);
                (on.pop_wide()? as i64, by)
            } else {
                on.longs()?
            };
            on.push_wide(operator.longs(a, b)? as u64)
        }
        StackType::Float => on.floats().and_then(|(a, b)| on.push_float(operator.floats(a, b)?)),
        StackType::Double => on.doubles().and_then(|(a, b)| on.push_double(operator.doubles(a, b)?)),
        _ => None,
    }
}

fn convert(from: StackType, to: StackType, on: &mut Operands<'_>) -> Option<()> {
    use StackType::{Double, Float, Int, Long};
    match (from, to) {
        (Int, Long) => on.pop_int().and_then(|a| on.push_wide(i64::from(a) as u64)),
        (Int, Float) => on.pop_int().and_then(|a| on.push_float(a as f32)),
        (Int, Double) => on.pop_int().and_then(|a| on.push_double(f64::from(a))),
        (Long, Int) => on.pop_wide().and_then(|a| on.push_int(a as i32)),
        (Long, Float) => on.pop_wide().and_then(|a| on.push_float(a as i64 as f32)),
        (Long, Double) => on.pop_wide().and_then(|a| on.push_double(a as i64 as f64)),
        (Float, Int) => on.float().and_then(|a| on.push_int(a as i32)),
        (Float, Long) => on.float().and_then(|a| on.push_wide(a as i64 as u64)),
        (Float, Double) => on.float().and_then(|a| on.push_double(f64::from(a))),
        (Double, Int) => on.double().and_then(|a| on.push_int(a as i32)),
        (Double, Long) => on.double().and_then(|a| on.push_wide(a as i64 as u64)),
        (Double, Float) => on.double().and_then(|a| on.push_float(a as f32)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_classfile::{Opcode, instructions};

    #[test]
    fn slots_are_moved_as_the_table_says() {
        for (opcode, expected) in [
            (Opcode::Dup, &[1, 2, 3, 4, 4][..]),
            (Opcode::Dup2X2, &[3, 4, 1, 2, 3, 4]),
            (Opcode::Swap, &[1, 2, 4, 3]),
            (Opcode::Pop2, &[1, 2]),
        ] {
            let mut slots = [1, 2, 3, 4, 0, 0];
            let mut on = Operands { slots: &mut slots, at: 4 };
            let instruction = instructions(&[opcode as u8]).next().unwrap().unwrap();
            run(&plain(&instruction).unwrap(), &mut on).unwrap();
            let height = on.at;
            assert_eq!(&slots[..height], expected, "{opcode:?}");
        }
    }
}
