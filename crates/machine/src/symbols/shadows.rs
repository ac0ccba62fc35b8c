//! Shadows: the symbolic side of instructions, and decisions on it.
//!
//! A shadow is the number of a term whose value under the current model is the concrete value beside it.
//! Ints and everything narrower are terms of 32 bits, as on the JVM's stack.

use crate::choices::HOLE;
use crate::choices::slots::Choice;
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{HeapShadow, Shadow, Value};
use crate::symbols::{shadow_of, term_of};
use cupping_term::{Sort, TermId};

impl Machine {
    /// The term of a value: its shadow, or a constant.
    pub fn term(&mut self, value: Value, sort: Sort) -> TermId {
        match term_of(value.shadow) {
            Some(term) => term,
            None => self.terms.constant(sort, value.bits & sort.mask()),
        }
    }

    /// The shadow for a computed term: 0 if it has become a constant.
    pub fn shadow(&self, term: TermId) -> Shadow {
        if self.terms.as_constant(term).is_some() { 0 } else { shadow_of(term) }
    }

    /// The shadow of the slot of memory at this byte address.
    #[inline]
    pub fn heap_shadow(&self, byte: u64) -> Shadow {
        if self.may_have_shadow((byte >> 3) as Addr) { flagged_shadow(self, byte) } else { 0 }
    }

    /// Whether the slot at this byte address has a shadow, is a hole or is marked, so that reading it is more
    /// than a load.
    pub(crate) fn has_shadow(&self, byte: u64) -> bool {
        self.choices.get(byte) != Choice::None
            || !self.registers.heap_shadows.is_empty() && self.registers.heap_shadows.contains_key(&byte)
    }

    /// Whether the page of this word may hold shadows.
    #[inline(always)]
    pub(crate) fn may_have_shadow(&self, addr: Addr) -> bool {
        self.shadows.may_be_at(addr)
    }

    /// Whether the word may have a term. Words that are never holes, such as the length of an array, have no
    /// other shadows.
    #[inline(always)]
    pub(crate) fn may_have_term(&self, addr: Addr) -> bool {
        self.may_have_shadow(addr) && !self.registers.heap_shadows.is_empty()
    }

    /// Sets or removes the shadow of the slot of `size` bytes at this byte address.
    #[inline]
    pub fn set_heap_shadow(&mut self, byte: u64, size: u32, shadow: Shadow) {
        if shadow == 0 {
            if self.may_have_shadow((byte >> 3) as Addr) {
                clear_shadow(self, byte);
            }
            return;
        }
        self.shadows.flag(byte);
        self.choices.set(byte, 1, Choice::None);
        self.registers.heap_shadows.insert(byte, HeapShadow { shadow, size: size as u8 });
    }
}

fn flagged_shadow(machine: &Machine, byte: u64) -> Shadow {
    match machine.choices.get(byte) {
        Choice::None if machine.registers.heap_shadows.is_empty() => 0,
        Choice::None => machine.registers.heap_shadows.get(&byte).map_or(0, |it| it.shadow),
        Choice::Hole => HOLE,
        Choice::Marked(mark) => {
            machine.choices.note_read(mark);
            0
        }
    }
}

fn clear_shadow(machine: &mut Machine, byte: u64) {
    if !machine.choices.is_empty() {
        machine.choices.set(byte, 1, Choice::None);
    }
    if !machine.registers.heap_shadows.is_empty() {
        machine.registers.heap_shadows.remove(&byte);
    }
}

/// Limit on the shadows in memory, for a run with bounded memory. Each takes about fifty bytes.
const MAX_SHADOWS: usize = 300_000;

impl Machine {
    /// Copies the shadows of the `bytes` bytes from `from` to the slots from `to`.
    ///
    /// # Errors
    ///
    /// In a run with bounded memory, there are more shadows than allowed: it copies symbols again and again.
    pub(crate) fn copy_shadows(&mut self, from: u64, to: u64, bytes: u64) -> Step<()> {
        if !self.shadows.any() {
            return Ok(());
        }
        let may_be_from = |start: u64| self.shadows.may_be_within(start, start + bytes);
        if bytes == 0 || !(may_be_from(from) || may_be_from(to)) {
            return Ok(());
        }
        let found: Vec<(u64, HeapShadow)> = (0..bytes)
            .filter_map(|offset| Some((offset, *self.registers.heap_shadows.get(&(from + offset))?)))
            .collect();
        if self.halts_when_full && self.registers.heap_shadows.len() + found.len() > MAX_SHADOWS {
            return Err(Trap::Exit(Exit::Halted(Halt::OutOfFuel)));
        }
        let mut holes = Vec::new();
        for offset in 0..bytes {
            match self.choices.get(from + offset) {
                Choice::None => {}
                Choice::Hole => holes.push(offset),
                // A copy of a chosen value is a value like any other.
                Choice::Marked(mark) => self.choices.note_read(mark),
            }
        }
        for offset in 0..bytes {
            clear_shadow(self, to + offset);
        }
        for (offset, HeapShadow { shadow, size }) in found {
            self.set_heap_shadow(to + offset, size.into(), shadow);
        }
        // A read of the copy finds a hole that belongs to no object.
        holes.into_iter().for_each(|offset| self.dig(to + offset, 1));
        Ok(())
    }
}

impl Machine {
    /// Starts with no terms, for a state without any shadow.
    pub fn forget_terms(&mut self) {
        self.terms = cupping_term::Terms::new();
        self.shadows = Default::default();
        self.choices = Default::default();
    }
}
