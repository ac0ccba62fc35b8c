//! The frame under execution, held in registers: its position, its slots, and the effects of instructions on
//! them.
//!
//! All of it is inlined into the instruction loop. Functions that are not inlined must not take the cursor by
//! reference: it would have to be in memory then.

use super::stop::Stop;
use crate::choices::HOLE;
use crate::classes::ClassId;
use crate::code::heat::SAMPLE;
use crate::code::{Code, CodeSlot};
use crate::exit::{Exit, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::stack::Slots;
use crate::state::{STACK_MASK, STACK_SLOTS, Shadow, Value};
use std::cell::Cell;

/// Why a loop was left: for the other loop or for outside.
pub(super) enum Leave {
    Switch,
    Exit(Exit),
    /// The pending action after compiled code has been left, in a run on its behalf.
    Later(Stop),
}

/// The result of most instructions.
pub(super) type Flow = Result<(), Stop>;

/// The frame under execution.
pub(super) struct Cursor<'m, const SYMBOLIC: bool> {
    pub(super) machine: &'m mut Machine,
    pub(super) code: &'m Code,
    stack: &'m [Cell<u64>; STACK_SLOTS],
    shadows: &'m [Cell<Shadow>; STACK_SLOTS],
    /// Index of the instruction under execution.
    pub(super) pc: usize,
    /// First free slot of the operand stack. At the start of each instruction it equals the height recorded for
    /// the instruction.
    pub(super) sp: usize,
    /// First slot of the locals.
    pub(super) base: usize,
}

/// Checks that a frame's operands are on the stack.
///
/// Only with debug assertions, and never inlined: LLVM copies the dispatch to the end of every instruction,
/// which is desirable for an interpreter but takes minutes for some hundred of them. A call prevents that.
#[cfg(debug_assertions)]
#[inline(never)]
pub(super) fn check_slots(base: usize, sp: usize) {
    assert!(base <= sp && sp <= STACK_SLOTS, "slots {base}..{sp} of {STACK_SLOTS}");
}

impl<'m, const SYMBOLIC: bool> Cursor<'m, SYMBOLIC> {
    #[inline(always)]
    pub(super) fn new(
        machine: &'m mut Machine,
        code: &'m Code,
        stack: &'m Slots<u64>,
        shadows: &'m Slots<Shadow>,
        [pc, base]: [u32; 2],
    ) -> Self {
        let (stack, shadows) = (stack.cells(), shadows.cells());
        Cursor { machine, code, stack, shadows, pc: pc as usize, sp: 0, base: base as usize }
    }

    #[inline(always)]
    pub(super) fn slot(&self, at: usize) -> u64 {
        self.stack[at & STACK_MASK].get()
    }

    #[inline(always)]
    pub(super) fn set_slot(&self, at: usize, bits: u64) {
        self.stack[at & STACK_MASK].set(bits);
    }

    #[inline(always)]
    pub(super) fn shadow(&self, at: usize) -> Shadow {
        if SYMBOLIC { self.shadows[at & STACK_MASK].get() } else { 0 }
    }

    #[inline(always)]
    pub(super) fn set_shadow(&self, at: usize, shadow: Shadow) {
        if SYMBOLIC {
            self.shadows[at & STACK_MASK].set(shadow);
        }
    }

    #[inline(always)]
    pub(super) fn value(&self, at: usize) -> Value {
        Value { bits: self.slot(at), shadow: self.shadow(at) }
    }

    #[inline(always)]
    pub(super) fn set_value(&self, at: usize, value: Value) {
        self.set_slot(at, value.bits);
        self.set_shadow(at, value.shadow);
    }

    #[inline(always)]
    pub(super) fn set_concrete(&self, at: usize, bits: u64) {
        self.set_value(at, Value::concrete(bits));
    }

    /// Pushes one slot without a shadow.
    #[inline(always)]
    pub(super) fn push(&mut self, bits: u64) {
        self.set_concrete(self.sp, bits);
        self.sp += 1;
    }

    /// Pushes a long or double without a shadow.
    #[inline(always)]
    pub(super) fn push2(&mut self, bits: u64) {
        self.set_concrete(self.sp, bits);
        self.set_shadow(self.sp + 1, 0);
        self.sp += 2;
    }

    /// Pushes a value of `slots` slots with its shadow.
    #[inline(always)]
    pub(super) fn push_value(&mut self, slots: usize, value: Value) {
        self.set_value(self.sp, value);
        if slots == 2 {
            self.set_shadow(self.sp + 1, 0);
        }
        self.sp += slots;
    }

    #[inline(always)]
    pub(super) fn copy(&self, from: usize, to: usize) {
        self.set_value(to, self.value(from));
    }

    /// The index of a local.
    #[inline(always)]
    pub(super) fn local(&self, number: u16) -> usize {
        self.base + number as usize
    }

    #[inline(always)]
    pub(super) fn load1(&mut self, local: u16) {
        self.copy(self.local(local), self.sp);
        self.sp += 1;
    }

    #[inline(always)]
    pub(super) fn load2(&mut self, local: u16) {
        self.copy(self.local(local), self.sp);
        self.set_shadow(self.sp + 1, 0);
        self.sp += 2;
    }

    #[inline(always)]
    pub(super) fn store1(&mut self, local: u16) {
        self.sp -= 1;
        self.copy(self.sp, self.local(local));
    }

    #[inline(always)]
    pub(super) fn store2(&mut self, local: u16) {
        self.sp -= 2;
        self.copy(self.sp, self.local(local));
        self.set_shadow(self.local(local) + 1, 0);
    }

    #[inline(always)]
    pub(super) fn load_constant(&mut self, place: &CodeSlot) -> Flow {
        let cached = self.machine.memory.read(place.b.get() as Addr);
        if cached == 0 {
            return self.slow(|machine| machine.load_cached_constant(place.insn()));
        }
        self.push(cached);
        Ok(())
    }

    /// Copies the top `count` slots below the `depth` slots beneath them.
    #[inline(always)]
    pub(super) fn dup(&mut self, count: usize, depth: usize) {
        for at in (self.sp - count - depth..self.sp).rev() {
            self.copy(at, at + count);
        }
        for at in 0..count {
            self.copy(self.sp + at, self.sp - count - depth + at);
        }
        self.sp += count;
    }

    #[inline(always)]
    pub(super) fn swap(&mut self) {
        let (below, top) = (self.value(self.sp - 2), self.value(self.sp - 1));
        self.set_value(self.sp - 2, top);
        self.set_value(self.sp - 1, below);
    }

    /// Writes the cached parts of the frame back: the state before the instruction at `pc`.
    #[inline(always)]
    pub(super) fn save(&mut self) {
        let top = self.code.insns[self.pc].top;
        let frame = self.machine.current_mut();
        frame.pc = self.pc as u32;
        frame.sp = frame.base + top;
    }

    #[cold]
    #[inline(always)]
    pub(super) fn trap(&mut self, trap: Trap) -> Flow {
        self.save();
        Err(Stop::Trap(trap))
    }

    /// The exception for a null reference.
    #[inline(always)]
    pub(super) fn null_pointer(&mut self) -> Flow {
        self.trap(Trap::Raise("java/lang/NullPointerException", None))
    }

    /// An operation that works on the saved frame and may change frames.
    #[inline(always)]
    pub(super) fn slow(&mut self, run: impl FnOnce(&mut Machine) -> Step<()>) -> Flow {
        self.save();
        Err(match run(self.machine) {
            Ok(()) => Stop::Reload,
            Err(trap) => Stop::Trap(trap),
        })
    }

    /// A step that can fail but changes no frame; the saved frame serves its decisions.
    #[inline(always)]
    pub(super) fn attempt<T>(&mut self, run: impl FnOnce(&mut Machine) -> Step<T>) -> Result<T, Stop> {
        self.save();
        run(self.machine).map_err(Stop::Trap)
    }

    /// The same of a step that may report a decision.
    #[inline(always)]
    pub(super) fn decide<T>(&mut self, run: impl FnOnce(&mut Machine) -> Step<T>) -> Result<T, Stop> {
        let value = self.attempt(run)?;
        self.machine.finish_decisions();
        Ok(value)
    }

    /// Leaves for the other loop, which runs the instruction again.
    #[inline(always)]
    pub(super) fn meet_shadow(&mut self) -> Stop {
        self.save();
        Stop::Symbolic
    }

    /// The shadow of the word at this address. A frame without shadows leaves the loop if there is one.
    #[inline(always)]
    pub(super) fn word_shadow(&mut self, addr: Addr) -> Result<Shadow, Stop> {
        if !self.machine.may_have_shadow(addr) {
            return Ok(0);
        }
        match self.machine.heap_shadow(addr as u64 * 8) {
            HOLE => {
                let trap = self.machine.meet_hole(addr as u64 * 8);
                self.trap(trap).map(|()| 0)
            }
            shadow if !SYMBOLIC && shadow != 0 => Err(self.meet_shadow()),
            shadow => Ok(shadow),
        }
    }

    /// Takes fuel at a backward jump (once `pc` is its target) or a call (before anything is popped). A call
    /// runs again after the safepoint, so it gets `back` = 1 back.
    #[inline(always)]
    pub(super) fn tick(&mut self, back: u64) -> Flow {
        let fuel = &mut self.machine.registers.fuel;
        *fuel = fuel.wrapping_sub(1);
        if !fuel.is_multiple_of(SAMPLE) {
            return Ok(());
        }
        if *fuel == 0 {
            self.save();
            return Err(Stop::Safepoint(back));
        }
        // Compiled code may be entered at a backward jump; a call has not been made yet.
        if !SYMBOLIC && self.machine.note_sample() && back == 0 {
            self.save();
            return Err(Stop::Reload);
        }
        Ok(())
    }

    /// Runs static initialisers that are due.
    #[inline(always)]
    pub(super) fn initialized(&mut self, class: ClassId) -> Flow {
        if self.machine.memory.read(crate::heap::layout::state_word(class)) & 0xFF == 2 {
            return Ok(());
        }
        self.attempt(|machine| machine.ensure_initialized(class))
    }
}
