//! Sequences that run as one instruction (see `code::fuse`).
//!
//! Each form does at once what its instructions do one by one, without the operand stack in between. In unusual
//! cases (a shadow, a null reference, an index out of bounds), only the first instruction runs, and the others
//! run one by one; so everything that can fail or decide is in the plain forms.

use super::arithmetic::int;
use super::cursor::{Cursor, Flow};
use crate::classes::Kind;
use crate::code::{CodeSlot, Op};
use crate::memory::Addr;
use crate::state::Value;

impl<const SYMBOLIC: bool> Cursor<'_, SYMBOLIC> {
    #[inline(always)]
    fn plain(&self, values: &[Value]) -> bool {
        !SYMBOLIC || values.iter().all(|value| value.shadow == 0)
    }

    /// Local and local, which is `c`.
    #[inline(always)]
    pub(super) fn ints_ll(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let (x, y) = (self.value(self.local(place.a.get())), self.value(self.local(place.c.get())));
        if !self.plain(&[x, y]) {
            return self.load1(place.a.get());
        }
        self.push(run(x.bits as u32, y.bits as u32) as u64);
        self.pc += 2;
    }

    /// Local and constant `e`.
    #[inline(always)]
    pub(super) fn ints_lk(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let x = self.value(self.local(place.a.get()));
        if !self.plain(&[x]) {
            return self.load1(place.a.get());
        }
        self.push(run(x.bits as u32, place.e.get() as u32) as u64);
        self.pc += 2;
    }

    /// Stack and local.
    #[inline(always)]
    pub(super) fn ints_sl(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let (x, y) = (self.value(self.sp - 1), self.value(self.local(place.a.get())));
        if !self.plain(&[x, y]) {
            return self.load1(place.a.get());
        }
        self.set_slot(self.sp - 1, run(x.bits as u32, y.bits as u32) as u64);
        self.pc += 1;
    }

    /// Stack and constant.
    #[inline(always)]
    pub(super) fn ints_sk(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let x = self.value(self.sp - 1);
        if !self.plain(&[x]) {
            return self.push(int(place.b.get()));
        }
        self.set_slot(self.sp - 1, run(x.bits as u32, place.b.get() as u32) as u64);
        self.pc += 1;
    }

    /// Stack and stack, to local `c`. The first instruction is the operation itself.
    #[inline(always)]
    pub(super) fn ints_ss_to(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let (x, y) = (self.value(self.sp - 2), self.value(self.sp - 1));
        if !self.plain(&[x, y]) {
            return self.ints(place.insn().op, run);
        }
        self.sp -= 2;
        self.set_concrete(self.local(place.c.get()), run(x.bits as u32, y.bits as u32) as u64);
        self.pc += 1;
    }

    /// Local and local `c`, to local `e`.
    #[inline(always)]
    pub(super) fn ints_ll_to(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let (x, y) = (self.value(self.local(place.a.get())), self.value(self.local(place.c.get())));
        if !self.plain(&[x, y]) {
            return self.load1(place.a.get());
        }
        self.set_concrete(self.local(place.e.get() as u16), run(x.bits as u32, y.bits as u32) as u64);
        self.pc += 3;
    }

    /// Local and constant `e`, to local `c`.
    #[inline(always)]
    pub(super) fn ints_lk_to(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let x = self.value(self.local(place.a.get()));
        if !self.plain(&[x]) {
            return self.load1(place.a.get());
        }
        self.set_concrete(self.local(place.c.get()), run(x.bits as u32, place.e.get() as u32) as u64);
        self.pc += 3;
    }

    /// Stack and local, to local `c`.
    #[inline(always)]
    pub(super) fn ints_sl_to(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let (x, y) = (self.value(self.sp - 1), self.value(self.local(place.a.get())));
        if !self.plain(&[x, y]) {
            return self.load1(place.a.get());
        }
        self.sp -= 1;
        self.set_concrete(self.local(place.c.get()), run(x.bits as u32, y.bits as u32) as u64);
        self.pc += 2;
    }

    /// Stack and constant, to local `c`.
    #[inline(always)]
    pub(super) fn ints_sk_to(&mut self, place: &CodeSlot, run: impl Fn(u32, u32) -> u32) {
        let x = self.value(self.sp - 1);
        if !self.plain(&[x]) {
            return self.push(int(place.b.get()));
        }
        self.sp -= 1;
        self.set_concrete(self.local(place.c.get()), run(x.bits as u32, place.b.get() as u32) as u64);
        self.pc += 2;
    }

    /// Longs or doubles: local and local `c`.
    #[inline(always)]
    pub(super) fn wides_ll(&mut self, place: &CodeSlot, run: impl Fn(u64, u64) -> u64) {
        let (x, y) = (self.value(self.local(place.a.get())), self.value(self.local(place.c.get())));
        if !self.plain(&[x, y]) {
            return self.load2(place.a.get());
        }
        self.push2(run(x.bits, y.bits));
        self.pc += 2;
    }

    /// Longs or doubles: stack and local.
    #[inline(always)]
    pub(super) fn wides_sl(&mut self, place: &CodeSlot, run: impl Fn(u64, u64) -> u64) {
        let (x, y) = (self.value(self.sp - 2), self.value(self.local(place.a.get())));
        if !self.plain(&[x, y]) {
            return self.load2(place.a.get());
        }
        self.set_slot(self.sp - 2, run(x.bits, y.bits));
        self.pc += 1;
    }

    /// Longs or doubles: stack and constant.
    #[inline(always)]
    pub(super) fn wides_sk(&mut self, place: &CodeSlot, run: impl Fn(u64, u64) -> u64) {
        let (x, constant) = (self.value(self.sp - 2), self.code.wide[place.b.get() as usize]);
        if !self.plain(&[x]) {
            return self.push2(constant);
        }
        self.set_slot(self.sp - 2, run(x.bits, constant));
        self.pc += 1;
    }

    /// A long divided by a constant, which is not 0.
    #[inline(always)]
    pub(super) fn divide_sk(&mut self, place: &CodeSlot, run: impl Fn(u64, u64) -> u64) {
        match self.code.wide[place.b.get() as usize] {
            0 => self.push2(0),
            _ => self.wides_sk(place, run),
        }
    }

    /// An int as a long, with the bits of constant `e` alone: what makes it unsigned.
    #[inline(always)]
    pub(super) fn widen_and(&mut self, place: &CodeSlot) {
        let x = self.value(self.sp - 1);
        if !self.plain(&[x]) {
            return self.convert(Op::I2L, 1, 2, |a| a as i32 as i64 as u64);
        }
        let constant = self.code.wide[place.e.get() as usize];
        self.sp -= 1;
        self.push2(x.as_int() as i64 as u64 & constant);
        self.pc += 2;
    }

    /// Longs or doubles: stack and stack, to local `c`. The first instruction is the operation itself.
    #[inline(always)]
    pub(super) fn wides_ss_to(&mut self, place: &CodeSlot, run: impl Fn(u64, u64) -> u64) {
        let (x, y) = (self.value(self.sp - 4), self.value(self.sp - 2));
        if !self.plain(&[x, y]) {
            return self.wides(place.insn().op, run);
        }
        self.sp -= 4;
        self.set_concrete(self.local(place.c.get()), run(x.bits, y.bits));
        self.set_shadow(self.local(place.c.get()) + 1, 0);
        self.pc += 1;
    }

    /// A long shifted by a constant.
    #[inline(always)]
    pub(super) fn shift_sk(&mut self, place: &CodeSlot, run: impl Fn(u64, u64) -> u64) {
        let x = self.value(self.sp - 2);
        if !self.plain(&[x]) {
            return self.push(int(place.b.get()));
        }
        self.set_slot(self.sp - 2, run(x.bits, place.b.get() as u64));
        self.pc += 1;
    }

    /// A jump to `e` on local and local `c`.
    #[inline(always)]
    pub(super) fn branch_ll(&mut self, place: &CodeSlot, holds: impl Fn(i32, i32) -> bool) -> Flow {
        let (x, y) = (self.value(self.local(place.a.get())), self.value(self.local(place.c.get())));
        if !self.plain(&[x, y]) {
            return self.first1(place);
        }
        self.pc += 2;
        self.jump_if(holds(x.as_int(), y.as_int()), place.e.get())
    }

    /// A jump to `e` on local and constant `b`.
    #[inline(always)]
    pub(super) fn branch_lk(&mut self, place: &CodeSlot, holds: impl Fn(i32, i32) -> bool) -> Flow {
        let x = self.value(self.local(place.a.get()));
        if !self.plain(&[x]) {
            return self.first1(place);
        }
        self.pc += 2;
        self.jump_if(holds(x.as_int(), place.b.get()), place.e.get())
    }

    /// A jump to `e` on stack and local.
    #[inline(always)]
    pub(super) fn branch_sl(&mut self, place: &CodeSlot, holds: impl Fn(i32, i32) -> bool) -> Flow {
        let (x, y) = (self.value(self.sp - 1), self.value(self.local(place.a.get())));
        if !self.plain(&[x, y]) {
            return self.first1(place);
        }
        self.sp -= 1;
        self.pc += 1;
        self.jump_if(holds(x.as_int(), y.as_int()), place.e.get())
    }

    /// A jump to `e` on stack and constant `b`.
    #[inline(always)]
    pub(super) fn branch_sk(&mut self, place: &CodeSlot, holds: impl Fn(i32, i32) -> bool) -> Flow {
        let x = self.value(self.sp - 1);
        if !self.plain(&[x]) {
            self.push(int(place.b.get()));
            self.pc += 1;
            return Ok(());
        }
        self.sp -= 1;
        self.pc += 1;
        self.jump_if(holds(x.as_int(), place.b.get()), place.e.get())
    }

    /// A jump to `e` on a local.
    #[inline(always)]
    pub(super) fn branch_l(&mut self, place: &CodeSlot, holds: impl Fn(i32) -> bool) -> Flow {
        let x = self.value(self.local(place.a.get()));
        if !self.plain(&[x]) {
            return self.first1(place);
        }
        self.pc += 1;
        self.jump_if(holds(x.as_int()), place.e.get())
    }

    /// A jump to `e` on the order of two longs or doubles.
    #[inline(always)]
    pub(super) fn branch_order(
        &mut self,
        place: &CodeSlot,
        order: impl Fn(u64, u64) -> i32,
        holds: impl Fn(i32) -> bool,
    ) -> Flow {
        let (x, y) = (self.value(self.sp - 4), self.value(self.sp - 2));
        if !self.plain(&[x, y]) {
            self.compare(place.insn().op, 2, order);
            self.pc += 1;
            return Ok(());
        }
        self.sp -= 4;
        self.pc += 1;
        self.jump_if(holds(order(x.bits, y.bits)), place.e.get())
    }

    /// The first instruction alone: a load of one slot.
    #[inline(always)]
    fn first1(&mut self, place: &CodeSlot) -> Flow {
        self.load1(place.a.get());
        self.pc += 1;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn load_load(&mut self, place: &CodeSlot) {
        self.load1(place.a.get());
        self.load1(place.c.get());
        self.pc += 1;
    }

    #[inline(always)]
    pub(super) fn load_store(&mut self, place: &CodeSlot) {
        self.copy(self.local(place.a.get()), self.local(place.c.get()));
        self.pc += 1;
    }

    #[inline(always)]
    pub(super) fn constant_store(&mut self, place: &CodeSlot) {
        self.set_concrete(self.local(place.c.get()), int(place.b.get()));
        self.pc += 1;
    }

    #[inline(always)]
    pub(super) fn load_dup(&mut self, place: &CodeSlot) {
        self.load1(place.a.get());
        self.load1(place.a.get());
        self.pc += 1;
    }

    #[inline(always)]
    pub(super) fn load_return(&mut self, place: &CodeSlot) -> Flow {
        self.load1(place.a.get());
        self.pc += 1;
        self.give_back(1)
    }

    /// The field at word `c` of an object in a local.
    #[inline(always)]
    pub(super) fn get_field_l(&mut self, place: &CodeSlot, slots: usize) {
        let object = self.slot(self.local(place.a.get())) as Addr;
        let addr = object + place.c.get() as u32;
        let is_shadowed = self.machine.may_have_shadow(addr) && self.machine.has_shadow(u64::from(addr) * 8);
        if object == 0 || is_shadowed {
            return self.load1(place.a.get());
        }
        let bits = self.machine.memory.read(addr);
        self.push_value(slots, Value::concrete(bits));
        self.pc += 1;
    }

    /// Puts a local into the field at word `c` of an object on the stack.
    #[inline(always)]
    pub(super) fn put_field_l(&mut self, place: &CodeSlot) {
        let object = self.slot(self.sp - 1) as Addr;
        let stored = self.value(self.local(place.a.get()));
        let addr = object + place.c.get() as u32;
        if object == 0 || self.machine.may_have_shadow(addr) || !self.plain(&[stored]) {
            return self.load1(place.a.get());
        }
        self.machine.memory.write(addr, stored.bits);
        self.sp -= 1;
        self.pc += 1;
    }

    #[inline(always)]
    pub(super) fn array_length_l(&mut self, place: &CodeSlot) {
        let array = self.slot(self.local(place.a.get())) as Addr;
        if array == 0 || self.machine.may_have_term(array + 1) {
            return self.load1(place.a.get());
        }
        self.push(self.machine.array_length(array) as u64);
        self.pc += 1;
    }

    /// An element of an array in a local at an index in local `c`.
    #[inline(always)]
    pub(super) fn element_ll(&mut self, place: &CodeSlot, kind: Kind) {
        let array = self.slot(self.local(place.a.get())) as Addr;
        let index = self.value(self.local(place.c.get()));
        match self.plain_element(kind, array, index) {
            Some(element) => {
                self.push_value(kind.slots() as usize, Value::concrete(element));
                self.pc += 2;
            }
            None => self.load1(place.a.get()),
        }
    }

    /// An element of an array on the stack at an index in a local.
    #[inline(always)]
    pub(super) fn element_sl(&mut self, place: &CodeSlot, kind: Kind) {
        let array = self.slot(self.sp - 1) as Addr;
        let index = self.value(self.local(place.a.get()));
        match self.plain_element(kind, array, index) {
            Some(element) => {
                self.sp -= 1;
                self.push_value(kind.slots() as usize, Value::concrete(element));
                self.pc += 1;
            }
            None => self.load1(place.a.get()),
        }
    }

    #[inline(always)]
    pub(super) fn increment_goto(&mut self, place: &CodeSlot) -> Flow {
        self.increment(place);
        self.pc += 1;
        self.jump(place.e.get())
    }
}
