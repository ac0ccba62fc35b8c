//! Instructions that work on the operand stack alone: arithmetic, comparisons, conversions, and what moves
//! operands. Longs and doubles take two slots, of which the first holds them.

use cupping_classfile::Opcode;

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

    fn ints(&mut self, work: impl Fn(i32, i32) -> Option<i32>) -> Option<()> {
        let (b, a) = (self.pop_int()?, self.pop_int()?);
        self.push_int(work(a, b)?)
    }

    fn longs(&mut self, work: impl Fn(i64, i64) -> Option<i64>) -> Option<()> {
        let (b, a) = (self.pop_wide()? as i64, self.pop_wide()? as i64);
        self.push_wide(work(a, b)? as u64)
    }

    fn shift_long(&mut self, work: impl Fn(i64, u32) -> i64) -> Option<()> {
        let (by, a) = (self.pop_int()? as u32, self.pop_wide()? as i64);
        self.push_wide(work(a, by) as u64)
    }

    fn floats(&mut self, work: impl Fn(f32, f32) -> f32) -> Option<()> {
        let (b, a) = (f32::from_bits(self.pop()? as u32), f32::from_bits(self.pop()? as u32));
        self.push(u64::from(work(a, b).to_bits()))
    }

    fn doubles(&mut self, work: impl Fn(f64, f64) -> f64) -> Option<()> {
        let (b, a) = (f64::from_bits(self.pop_wide()?), f64::from_bits(self.pop_wide()?));
        self.push_wide(work(a, b).to_bits())
    }

    fn compare_floats(&mut self, nan: i32) -> Option<()> {
        let (b, a) = (f32::from_bits(self.pop()? as u32), f32::from_bits(self.pop()? as u32));
        self.push_int(a.partial_cmp(&b).map_or(nan, |order| order as i32))
    }

    fn compare_doubles(&mut self, nan: i32) -> Option<()> {
        let (b, a) = (f64::from_bits(self.pop_wide()?), f64::from_bits(self.pop_wide()?));
        self.push_int(a.partial_cmp(&b).map_or(nan, |order| order as i32))
    }

    fn float(&mut self) -> Option<f32> {
        Some(f32::from_bits(self.pop()? as u32))
    }

    fn double(&mut self) -> Option<f64> {
        Some(f64::from_bits(self.pop_wide()?))
    }

    /// Copies the slots on top to below some more.
    fn copy_under(&mut self, count: usize, below: usize) -> Option<()> {
        let from = self.at.checked_sub(count + below)?;
        let end = self.at.checked_add(count).filter(|end| *end <= self.slots.len())?;
        self.slots.copy_within(from..self.at, from + count);
        self.slots.copy_within(self.at..end, from);
        self.at = end;
        Some(())
    }
}

/// Whether [`run`] does this instruction.
pub(super) fn knows(opcode: Opcode) -> bool {
    use Opcode::*;
    (Iadd..=Lxor).contains(&opcode)
        || (I2l..=Dcmpg).contains(&opcode)
        || (Pop..=Swap).contains(&opcode)
        || opcode == Nop
}

/// Does an instruction; `None` if it would throw.
#[inline]
pub(super) fn run(opcode: Opcode, on: &mut Operands<'_>) -> Option<()> {
    use Opcode::*;
    match opcode {
        Nop => Some(()),
        Pop => on.pop().map(|_| ()),
        Pop2 => on.pop_wide().map(|_| ()),
        Dup => on.copy_under(1, 0),
        DupX1 => on.copy_under(1, 1),
        DupX2 => on.copy_under(1, 2),
        Dup2 => on.copy_under(2, 0),
        Dup2X1 => on.copy_under(2, 1),
        Dup2X2 => on.copy_under(2, 2),
        Swap => {
            let (b, a) = (on.pop()?, on.pop()?);
            on.push(b)?;
            on.push(a)
        }
        Iadd => on.ints(|a, b| Some(a.wrapping_add(b))),
        Isub => on.ints(|a, b| Some(a.wrapping_sub(b))),
        Imul => on.ints(|a, b| Some(a.wrapping_mul(b))),
        Idiv => on.ints(|a, b| (b != 0).then(|| a.wrapping_div(b))),
        Irem => on.ints(|a, b| (b != 0).then(|| a.wrapping_rem(b))),
        Ishl => on.ints(|a, b| Some(a.wrapping_shl(b as u32))),
        Ishr => on.ints(|a, b| Some(a.wrapping_shr(b as u32))),
        Iushr => on.ints(|a, b| Some((a as u32).wrapping_shr(b as u32) as i32)),
        Iand => on.ints(|a, b| Some(a & b)),
        Ior => on.ints(|a, b| Some(a | b)),
        Ixor => on.ints(|a, b| Some(a ^ b)),
        Ladd => on.longs(|a, b| Some(a.wrapping_add(b))),
        Lsub => on.longs(|a, b| Some(a.wrapping_sub(b))),
        Lmul => on.longs(|a, b| Some(a.wrapping_mul(b))),
        Ldiv => on.longs(|a, b| (b != 0).then(|| a.wrapping_div(b))),
        Lrem => on.longs(|a, b| (b != 0).then(|| a.wrapping_rem(b))),
        Lshl => on.shift_long(i64::wrapping_shl),
        Lshr => on.shift_long(i64::wrapping_shr),
        Lushr => on.shift_long(|a, by| (a as u64).wrapping_shr(by) as i64),
        Land => on.longs(|a, b| Some(a & b)),
        Lor => on.longs(|a, b| Some(a | b)),
        Lxor => on.longs(|a, b| Some(a ^ b)),
        Fadd => on.floats(|a, b| a + b),
        Fsub => on.floats(|a, b| a - b),
        Fmul => on.floats(|a, b| a * b),
        Fdiv => on.floats(|a, b| a / b),
        Frem => on.floats(|a, b| a % b),
        Dadd => on.doubles(|a, b| a + b),
        Dsub => on.doubles(|a, b| a - b),
        Dmul => on.doubles(|a, b| a * b),
        Ddiv => on.doubles(|a, b| a / b),
        Drem => on.doubles(|a, b| a % b),
        Ineg => {
            let a = on.pop_int()?;
            on.push_int(a.wrapping_neg())
        }
        Lneg => {
            let a = on.pop_wide()? as i64;
            on.push_wide(a.wrapping_neg() as u64)
        }
        Fneg => {
            let a = on.float()?;
            on.push(u64::from((-a).to_bits()))
        }
        Dneg => {
            let a = on.double()?;
            on.push_wide((-a).to_bits())
        }
        Lcmp => {
            let (b, a) = (on.pop_wide()? as i64, on.pop_wide()? as i64);
            on.push_int(a.cmp(&b) as i32)
        }
        Fcmpl => on.compare_floats(-1),
        Fcmpg => on.compare_floats(1),
        Dcmpl => on.compare_doubles(-1),
        Dcmpg => on.compare_doubles(1),
        _ => convert(opcode, on),
    }
}

fn convert(opcode: Opcode, on: &mut Operands<'_>) -> Option<()> {
    use Opcode::*;
    match opcode {
        I2l => on.pop_int().and_then(|a| on.push_wide(i64::from(a) as u64)),
        I2f => on.pop_int().and_then(|a| on.push(u64::from((a as f32).to_bits()))),
        I2d => on.pop_int().and_then(|a| on.push_wide(f64::from(a).to_bits())),
        I2b => on.pop_int().and_then(|a| on.push_int(i32::from(a as i8))),
        I2c => on.pop_int().and_then(|a| on.push_int(i32::from(a as u16))),
        I2s => on.pop_int().and_then(|a| on.push_int(i32::from(a as i16))),
        L2i => on.pop_wide().and_then(|a| on.push_int(a as i32)),
        L2f => on.pop_wide().and_then(|a| on.push(u64::from((a as i64 as f32).to_bits()))),
        L2d => on.pop_wide().and_then(|a| on.push_wide((a as i64 as f64).to_bits())),
        F2i => on.float().and_then(|a| on.push_int(a as i32)),
        F2l => on.float().and_then(|a| on.push_wide(a as i64 as u64)),
        F2d => on.float().and_then(|a| on.push_wide(f64::from(a).to_bits())),
        D2i => on.double().and_then(|a| on.push_int(a as i32)),
        D2l => on.double().and_then(|a| on.push_wide(a as i64 as u64)),
        D2f => on.double().and_then(|a| on.push(u64::from((a as f32).to_bits()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_copied_under_others() {
        for (opcode, expected) in [
            (Opcode::Dup, &[1, 2, 3, 4, 4][..]),
            (Opcode::DupX1, &[1, 2, 4, 3, 4]),
            (Opcode::DupX2, &[1, 4, 2, 3, 4]),
            (Opcode::Dup2, &[1, 2, 3, 4, 3, 4]),
            (Opcode::Dup2X1, &[1, 3, 4, 2, 3, 4]),
            (Opcode::Dup2X2, &[3, 4, 1, 2, 3, 4]),
            (Opcode::Swap, &[1, 2, 4, 3]),
        ] {
            let mut slots = [1, 2, 3, 4, 0, 0];
            let mut on = Operands { slots: &mut slots, at: 4 };
            run(opcode, &mut on).unwrap();
            let height = on.at;
            assert_eq!(&slots[..height], expected, "{opcode:?}");
        }
    }
}
