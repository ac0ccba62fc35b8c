//! Jumps and switches.

use super::cursor::{Cursor, Flow};
use super::stop::Stop;
use crate::code::{CodeSlot, Op};
use crate::exit::DecisionKind;
use crate::memory::Addr;
use crate::state::Value;

/// Number of backward jumps after which a frame with shadows is checked for whether it still has any.
const CALM: u64 = 32;

impl<const SYMBOLIC: bool> Cursor<'_, SYMBOLIC> {
    /// Goes to this instruction.
    #[inline(always)]
    pub(super) fn jump(&mut self, target: i32) -> Flow {
        let target = target as usize;
        let backward = target <= self.pc;
        self.pc = target;
        if !backward {
            return Ok(());
        }
        self.tick(0)?;
        if !SYMBOLIC && self.code.heat.has_entry(self.pc) {
            self.save();
            return Err(Stop::Reload);
        }
        if SYMBOLIC && self.machine.registers.fuel.is_multiple_of(CALM) {
            self.save();
            if self.machine.mark_concrete_frame() {
                return Err(Stop::Reload);
            }
        }
        Ok(())
    }

    /// Goes to this instruction or to the next.
    #[inline(always)]
    pub(super) fn jump_if(&mut self, holds: bool, target: i32) -> Flow {
        if holds {
            return self.jump(target);
        }
        self.pc += 1;
        Ok(())
    }

    /// A comparison of an int with 0.
    #[inline(always)]
    pub(super) fn branch1(&mut self, op: Op, place: &CodeSlot, holds: impl Fn(i32) -> bool) -> Flow {
        let x = self.value(self.sp - 1);
        let holds = holds(x.as_int());
        if SYMBOLIC && x.shadow != 0 {
            self.decide(|machine| {
                let condition = machine.branch_condition(op, x, Value::int(0));
                machine.decide_branch(DecisionKind::Branch, condition, holds)
            })?;
        }
        self.sp -= 1;
        self.jump_if(holds, place.b.get())
    }

    /// A comparison of two ints.
    #[inline(always)]
    pub(super) fn branch2(&mut self, op: Op, place: &CodeSlot, holds: impl Fn(i32, i32) -> bool) -> Flow {
        let (x, y) = (self.value(self.sp - 2), self.value(self.sp - 1));
        let holds = holds(x.as_int(), y.as_int());
        if SYMBOLIC && (x.shadow | y.shadow) != 0 {
            self.decide(|machine| {
                let condition = machine.branch_condition(op, x, y);
                machine.decide_branch(DecisionKind::Branch, condition, holds)
            })?;
        }
        self.sp -= 2;
        self.jump_if(holds, place.b.get())
    }

    /// A comparison of a reference with `null`.
    #[inline(always)]
    pub(super) fn branch_null(&mut self, place: &CodeSlot, wanted: bool) -> Flow {
        self.sp -= 1;
        let holds = (self.slot(self.sp) as Addr == 0) == wanted;
        self.jump_if(holds, place.b.get())
    }

    /// A comparison of two references.
    #[inline(always)]
    pub(super) fn branch_same(&mut self, place: &CodeSlot, wanted: bool) -> Flow {
        self.sp -= 2;
        let holds = (self.slot(self.sp) as Addr == self.slot(self.sp + 1) as Addr) == wanted;
        self.jump_if(holds, place.b.get())
    }

    #[inline(always)]
    pub(super) fn jsr(&mut self, place: &CodeSlot) -> Flow {
        self.push(self.pc as u64 + 1);
        self.jump(place.b.get())
    }

    #[inline(always)]
    pub(super) fn ret(&mut self, place: &CodeSlot) -> Flow {
        let target = self.slot(self.local(place.a.get())) as usize;
        self.pc = target.min(self.code.insns.len() - 1);
        self.tick(0)
    }

    #[inline(always)]
    pub(super) fn switch(&mut self, place: &CodeSlot) -> Flow {
        let key = self.value(self.sp - 1);
        let table = &self.code.switches[place.b.get() as usize];
        if SYMBOLIC && key.shadow != 0 {
            self.decide(|machine| machine.decide_switch(key, &table.cases, table.default))?;
        }
        self.sp -= 1;
        self.jump(table.target(key.as_int()) as i32)
    }
}
