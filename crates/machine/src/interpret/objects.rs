//! Objects and arrays: fields, statics, creation, casts.

use super::cursor::{Cursor, Flow};
use super::stop::Stop;
use crate::classes::{ClassId, Kind};
use crate::code::{CodeSlot, Insn, Op, Site, turns};
use crate::exit::{Exit, Halt, Trap};
use crate::heap::layout::state_word;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::recording::data_flow::{RecordedAccess, of_another};
use crate::state::Value;
use crate::threads::StopReason;
use crate::threads::races::Meeting;
use cupping_coverage::{Operands, hit};

/// The kind of a field narrower than an int, by the number that [`crate::code::Op`] gives it.
pub(crate) fn narrow_kind(number: i32) -> Kind {
    match number & 15 {
        0 => Kind::Boolean,
        1 => Kind::Byte,
        2 => Kind::Char,
        _ => Kind::Short,
    }
}

impl Machine {
    #[cold]
    fn class_cast(&self, object: Addr, target: ClassId) -> Trap {
        Trap::Raise("java/lang/ClassCastException", Some(self.cast_message(self.class_of(object), target)))
    }

    /// Marks a coverage probe as hit.
    #[inline]
    pub(crate) fn hit_probe(&mut self, probe: u32) {
        if self.listener.is_on() {
            self.report_probe(probe);
        }
        let (word, bit) = (probe as usize / 64, 1u64 << (probe % 64));
        if self.registers.coverage.get(word).is_some_and(|w| w & bit != 0) {
            return;
        }
        hit(std::rc::Rc::make_mut(&mut self.registers.coverage), probe);
    }
}

impl<const SYMBOLIC: bool> Cursor<'_, SYMBOLIC> {
    #[inline(always)]
    pub(super) fn get_field(&mut self, place: &CodeSlot, slots: usize) -> Flow {
        let object = self.slot(self.sp - 1) as Addr;
        if object == 0 {
            return self.null_pointer();
        }
        let addr = object + place.a.get() as u32;
        let shadow = self.word_shadow(addr)?;
        let bits = self.machine.memory.read(addr);
        self.sp -= 1;
        self.push_value(slots, Value { bits, shadow });
        Ok(())
    }

    #[inline(always)]
    pub(super) fn put_field(&mut self, place: &CodeSlot, slots: usize, kind: Kind) -> Flow {
        let object = self.slot(self.sp - slots - 1) as Addr;
        if object == 0 {
            return self.null_pointer();
        }
        self.put_word(object + place.a.get() as u32, slots, kind);
        self.sp -= slots + 1;
        Ok(())
    }

    /// Puts the value on top of the stack into a field or static.
    #[inline(always)]
    fn put_word(&mut self, addr: Addr, slots: usize, kind: Kind) {
        let stored = self.value(self.sp - slots);
        self.machine.memory.write(addr, kind.narrow(stored.bits));
        if self.machine.may_have_shadow(addr) || (SYMBOLIC && stored.shadow != 0) {
            let shadow = self.machine.narrowed_shadow(stored, kind);
            self.machine.set_heap_shadow(addr as u64 * 8, 8, shadow);
        }
    }

    /// The location of the static field, once its class is initialised.
    #[inline(always)]
    fn static_field(&mut self, class: u32, offset: u16) -> Result<Addr, super::stop::Stop> {
        let class = ClassId(class);
        self.initialized(class)?;
        Ok((self.machine.memory.read(state_word(class)) >> 8) as Addr + offset as u32)
    }

    #[inline(always)]
    pub(super) fn get_static(&mut self, place: &CodeSlot, slots: usize) -> Flow {
        let addr = self.static_field(place.b.get() as u32, place.a.get())?;
        let shadow = self.word_shadow(addr)?;
        let bits = self.machine.memory.read(addr);
        self.push_value(slots, Value { bits, shadow });
        Ok(())
    }

    #[inline(always)]
    pub(super) fn put_static(&mut self, place: &CodeSlot, class: u32, slots: usize, kind: Kind) -> Flow {
        let addr = self.static_field(class, place.a.get())?;
        self.put_word(addr, slots, kind);
        self.sp -= slots;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn new_object(&mut self, place: &CodeSlot) -> Flow {
        let class = ClassId(place.b.get() as u32);
        self.initialized(class)?;
        let object = self.attempt(|machine| machine.new_object(class))?;
        self.push(object as u64);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn new_array(&mut self, place: &CodeSlot) -> Flow {
        let length = self.value(self.sp - 1);
        if SYMBOLIC && length.shadow != 0 {
            self.decide(|machine| machine.decide_size(length))?;
        }
        let class = ClassId(place.b.get() as u32);
        let array = self.attempt(|machine| match length.as_int() {
            count @ ..0 => Err(Trap::Raise("java/lang/NegativeArraySizeException", Some(count.to_string()))),
            count => machine.new_array(class, count as u32),
        })?;
        self.set_concrete(self.sp - 1, array as u64);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn array_length(&mut self) -> Flow {
        let array = self.slot(self.sp - 1) as Addr;
        if array == 0 {
            return self.null_pointer();
        }
        let shadow = self.word_shadow(array + 1)?;
        let bits = self.machine.array_length(array) as u64;
        self.set_value(self.sp - 1, Value { bits, shadow });
        Ok(())
    }

    #[inline(always)]
    pub(super) fn check_cast(&mut self, place: &CodeSlot) -> Flow {
        let object = self.slot(self.sp - 1) as Addr;
        let target = ClassId(place.b.get() as u32);
        if object != 0 && !self.machine.is_subtype(self.machine.class_of(object), target) {
            let trap = self.machine.class_cast(object, target);
            return self.trap(trap);
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn instance_of(&mut self, place: &CodeSlot) {
        let object = self.slot(self.sp - 1) as Addr;
        let target = ClassId(place.b.get() as u32);
        let holds = object != 0 && self.machine.is_subtype(self.machine.class_of(object), target);
        self.set_slot(self.sp - 1, holds as u64);
    }

    #[inline(always)]
    pub(super) fn throw(&mut self) -> Flow {
        match self.slot(self.sp - 1) as Addr {
            0 => self.null_pointer(),
            exception => self.trap(Trap::Throw(exception)),
        }
    }

    #[inline(always)]
    pub(super) fn monitor_enter(&mut self) -> Flow {
        match self.slot(self.sp - 1) as Addr {
            0 => self.null_pointer(),
            object => self.slow(|machine| machine.monitor_enter(object)),
        }
    }

    #[inline(always)]
    pub(super) fn monitor_exit(&mut self) -> Flow {
        match self.slot(self.sp - 1) as Addr {
            0 => self.null_pointer(),
            object => {
                self.attempt(|machine| machine.leave_monitor(object))?;
                self.sp -= 1;
                Ok(())
            }
        }
    }

    #[inline(always)]
    pub(super) fn probe(&mut self, place: &CodeSlot) {
        self.machine.hit_probe(place.b.get() as u32);
    }

    /// Pauses the run before the next instruction, if the place is armed.
    #[inline(always)]
    pub(super) fn pause(&mut self, place: &CodeSlot) -> Flow {
        let number = place.b.get() as u32;
        if !self.machine.plans.is_armed(number) {
            return Ok(());
        }
        // The run goes on behind this.
        self.pc += 1;
        self.save();
        Err(Stop::Exit(Exit::Halted(Halt::Arrived(number))))
    }

    /// Inspects the operands of the next instruction, which has requirements.
    #[inline(always)]
    pub(super) fn require(&mut self, place: &CodeSlot) -> Flow {
        let site = &self.code.checks[place.b.get() as usize];
        let (x, y) = match site.operands {
            Operands::Ints | Operands::Floats => (self.value(self.sp - 2), self.value(self.sp - 1)),
            Operands::Longs | Operands::Doubles => (self.value(self.sp - 4), self.value(self.sp - 2)),
            Operands::IntAndZero => (self.value(self.sp - 1), Value::int(0)),
            Operands::LongAndZero => (self.value(self.sp - 2), Value::long(0)),
            Operands::LocalAndConstant(local, by) => (self.value(self.local(local)), Value::int(by)),
        };
        self.decide(|machine| machine.require(site, x, y))
    }

    /// Records the access to a field by the next instruction.
    #[inline(always)]
    pub(super) fn access(&mut self, place: &CodeSlot) {
        let how = place.a.get();
        let slots = (how & 3) as usize;
        if how >= of_another::ACCESS {
            return self.access_of_another(how, place.b.get() as u32);
        }
        // A static field has no object, and the stack may be empty.
        let object = match (how & 4 != 0, how & 16 != 0) {
            (true, _) => 0,
            (_, true) => self.slot(self.base) as Addr,
            _ => self.slot(self.sp - 1 - slots) as Addr,
        };
        let site = Site { method: self.code.method, at: self.pc as u32 };
        let access = RecordedAccess { object, key: place.b.get() as u32, is_tracked: how & 8 != 0, site };
        if slots == 0 { self.machine.note_use(access) } else { self.machine.note_definition(access) }
    }

    /// Takes note of the object of a value, or records the access to the contents of another object's field.
    #[cold]
    fn access_of_another(&mut self, how: u16, key: u32) {
        let is_access = how & of_another::ACCESS != 0;
        let depth = usize::from(how >> of_another::DEPTH);
        let is_after = how & of_another::AFTER != 0;
        let value = if is_access && is_after { 0 } else { self.slot(self.sp - 1 - depth) as Addr };
        let definitions = &mut self.machine.registers.definitions;
        let object = match (is_access, is_after) {
            (false, false) => return definitions.keep(value),
            (false, true) => return definitions.note_owner(value, key),
            (true, false) => definitions.owner(value, key).unwrap_or(0),
            (true, true) => definitions.kept(),
        };
        if how & of_another::BEFORE != 0 {
            return definitions.keep(object);
        }
        if object != 0 {
            let site = Site { method: self.code.method, at: self.pc as u32 };
            let access = RecordedAccess { object, key, is_tracked: true, site };
            if how & 3 == 0 { self.machine.note_use(access) } else { self.machine.note_definition(access) }
        }
    }

    /// Records the access to an array element by the next instruction.
    #[inline(always)]
    pub(super) fn element_access(&mut self, place: &CodeSlot) {
        let slots = place.a.get() as usize;
        let at = self.sp - 1 - slots;
        let (array, index) = (self.slot(at - 1) as Addr, self.slot(at) as u32);
        let index = (self.shadow(at) == 0).then_some(index);
        let site = Site { method: self.code.method, at: self.pc as u32 };
        self.machine.note_element(array, index, slots != 0, site);
    }

    /// Ends the turn of the thread before the next instruction, if its access may race.
    #[inline(always)]
    pub(super) fn turn(&mut self, place: &CodeSlot) -> Flow {
        let (how, object) = (place.a.get(), self.slot(self.sp - place.b.get() as usize) as Addr);
        if how == turns::MADE {
            self.machine.note_made(object);
            return Ok(());
        }
        let meeting = Meeting {
            object: if how & turns::STATIC != 0 { self.statics_after() } else { object },
            writes: how & turns::WRITES != 0,
            in_library: how & turns::LIBRARY != 0,
        };
        if !self.machine.meets_others(meeting) {
            return Ok(());
        }
        self.pc += 1;
        self.slow(|machine| machine.block(StopReason::Ready))
    }

    /// The state word of the class whose static field the next instruction accesses; of the current class if
    /// the field is unresolved.
    fn statics_after(&self) -> Addr {
        let Insn { op, b, .. } = self.code.insns[self.pc + 1].insn();
        let class = match op {
            Op::GetStatic1 | Op::GetStatic2 | Op::PutStatic1 | Op::PutStatic2 => ClassId(b as u32),
            Op::PutStaticNarrow => ClassId(b as u32 >> 4),
            _ => self.code.class,
        };
        state_word(class)
    }
}
