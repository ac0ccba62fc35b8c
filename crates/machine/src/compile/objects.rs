//! Fields and statics, and the creation and type tests of objects.
//!
//! Every address is checked against the bounds of memory before it is used, whatever the verifier has proved: a
//! mistake there, or in the machine, must not let Java code reach the host.

use super::context::FIELD_REACH;
use super::helpers::Helper;
use super::offsets::at;
use super::reps::Rep;
use super::translation::{HEAP, TABLE, Translation, VM, flags};
use crate::classes::{ClassId, Kind};
use crate::code::Insn;
use crate::heap::layout::{InitState, state_word};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use std::cell::Cell;

impl Translation<'_, '_> {
    /// Exits compiled code unless an object may begin at this address: it is not null, and memory continues
    /// after it.
    pub(super) fn check_object(&mut self, object: Value) {
        if !self.note_checked(object) {
            return;
        }
        let before = self.b.ins().iadd_imm_s(object, -1);
        let last = self.load_vm(I64, at::LAST_OBJECT);
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, before, last);
        self.exit_if(outside);
    }

    /// The address in the host of the word at this address in memory.
    pub(super) fn host_address(&mut self, addr: Value) -> Value {
        let words = self.words();
        let offset = self.b.ins().ishl_imm_u(addr, 3);
        self.b.ins().iadd(words, offset)
    }

    /// Exits compiled code if there may be a shadow on the page of the word at this address.
    pub(super) fn check_shadow(&mut self, addr: Value) {
        if !self.guarded() {
            return;
        }
        let exit = self.exit_block();
        let page = self.b.ins().ushr_imm_u(addr, 5);
        let count = self.load_vm(I64, at::SHADOW_PAGE_COUNT);
        let known = self.b.ins().icmp(IntCC::UnsignedLessThan, page, count);
        let (look, on) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(known, look, &[], on, &[]);
        self.b.switch_to_block(look);
        let pages = self.load_vm(I64, at::SHADOW_PAGES);
        let place = self.b.ins().iadd(pages, page);
        let flag = self.b.ins().load(I8, flags(TABLE), place, 0);
        self.b.ins().brif(flag, exit, &[], on, &[]);
        self.b.switch_to_block(on);
    }

    /// Saves the page of the word at this address, unless it has been saved since the last fork.
    pub(super) fn prepare_write(&mut self, addr: Value) {
        let page = self.b.ins().ushr_imm_u(addr, 5);
        let epochs = self.load_vm(I64, at::PAGE_EPOCHS);
        let offset = self.b.ins().ishl_imm_u(page, 2);
        let place = self.b.ins().iadd(epochs, offset);
        let saved = self.b.ins().load(I32, flags(TABLE), place, 0);
        let present = self.load_vm(I32, at::EPOCH);
        let is_old = self.b.ins().icmp(IntCC::NotEqual, saved, present);
        let (save, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(save);
        self.b.ins().brif(is_old, save, &[], on, &[]);
        self.b.switch_to_block(save);
        self.helper(Helper::SavePage, &[self.vm, page]);
        self.b.ins().jump(on, &[]);
        self.b.switch_to_block(on);
    }

    /// The class of an object, in 32 bits.
    pub(super) fn class_of(&mut self, object: Value) -> Value {
        let place = self.host_address(object);
        let class = self.b.ins().load(I16, flags(HEAP), place, 0);
        self.b.ins().uextend(I32, class)
    }

    /// The object this many slots below the top, which is not null.
    pub(super) fn object(&mut self, depth: usize) -> Value {
        let object = self.operand(depth, Rep::Word);
        self.check_object(object);
        object
    }

    pub(super) fn get_field(&mut self, offset: u16, slots: usize) {
        if u32::from(offset) >= FIELD_REACH {
            return self.exit_here();
        }
        let object = self.object(1);
        if self.guarded() {
            let addr = self.b.ins().iadd_imm_s(object, i64::from(offset));
            self.check_shadow(addr);
        }
        let place = self.host_address(object);
        let value = self.b.ins().load(I64, flags(HEAP), place, i32::from(offset) * 8);
        self.pop(1);
        if slots == 2 { self.push_wide(value, Rep::Word) } else { self.push(value, Rep::Word) }
    }

    pub(super) fn put_field(&mut self, offset: u16, slots: usize, kind: Kind) {
        if u32::from(offset) >= FIELD_REACH {
            return self.exit_here();
        }
        let object = self.object(slots + 1);
        let addr = self.b.ins().iadd_imm_s(object, i64::from(offset));
        self.put_word(addr, slots, kind);
        self.pop(slots + 1);
    }

    pub(super) fn put_word(&mut self, addr: Value, slots: usize, kind: Kind) {
        self.check_shadow(addr);
        self.prepare_write(addr);
        let value = match kind {
            Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short => {
                let value = self.operand(slots, Rep::Int);
                let narrow = self.narrowed(value, kind);
                self.b.ins().uextend(I64, narrow)
            }
            _ => self.operand(slots, Rep::Word),
        };
        let place = self.host_address(addr);
        self.b.ins().store(flags(HEAP), value, place, 0);
    }

    pub(super) fn narrowed(&mut self, value: Value, kind: Kind) -> Value {
        match kind {
            Kind::Boolean => self.b.ins().band_imm_u(value, 1),
            Kind::Char => self.b.ins().band_imm_u(value, 0xFFFF),
            Kind::Byte => {
                let narrow = self.b.ins().ireduce(I8, value);
                self.b.ins().sextend(I32, narrow)
            }
            Kind::Short => {
                let narrow = self.b.ins().ireduce(I16, value);
                self.b.ins().sextend(I32, narrow)
            }
            _ => value,
        }
    }

    /// The state word of a class; exits compiled code if the class is not initialised.
    pub(super) fn initialized(&mut self, class: ClassId) -> Value {
        let words = self.words();
        let state = self.b.ins().load(I64, flags(HEAP), words, state_word(class) as i32 * 8);
        let low = self.b.ins().ireduce(I8, state);
        let is_due = self.b.ins().icmp_imm_s(IntCC::NotEqual, low, InitState::Initialized as i64);
        self.exit_if(is_due);
        state
    }

    pub(super) fn static_word(&mut self, class: u32, offset: u16) -> Value {
        let state = self.initialized(ClassId(class));
        let statics = self.b.ins().ushr_imm_u(state, 8);
        let statics = self.b.ins().ireduce(I32, statics);
        let statics = self.b.ins().uextend(I64, statics);
        self.check_object(statics);
        if u32::from(offset) < FIELD_REACH {
            return self.b.ins().iadd_imm_s(statics, i64::from(offset));
        }
        let addr = self.b.ins().iadd_imm_s(statics, i64::from(offset));
        let count = self.load_vm(I64, at::WORD_COUNT);
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, addr, count);
        self.exit_if(outside);
        addr
    }

    pub(super) fn get_static(&mut self, insn: Insn, slots: usize) {
        let addr = self.static_word(insn.b as u32, insn.a);
        self.check_shadow(addr);
        let place = self.host_address(addr);
        let value = self.b.ins().load(I64, flags(HEAP), place, 0);
        if slots == 2 { self.push_wide(value, Rep::Word) } else { self.push(value, Rep::Word) }
    }

    pub(super) fn put_static(&mut self, class: u32, offset: u16, slots: usize, kind: Kind) {
        let addr = self.static_word(class, offset);
        self.put_word(addr, slots, kind);
        self.pop(slots);
    }

    /// The reference that an `ldc` has loaded into this word.
    pub(super) fn cached_constant(&mut self, word: u32) {
        let words = self.words();
        let value = self.b.ins().load(I64, flags(HEAP), words, word as i32 * 8);
        let is_missing = self.b.ins().icmp_imm_s(IntCC::Equal, value, 0);
        self.exit_if(is_missing);
        self.push(value, Rep::Word);
    }

    pub(super) fn new_object(&mut self, class: u32) {
        self.initialized(ClassId(class));
        self.store_fuel();
        let class = self.b.ins().iconst(I32, i64::from(class));
        let object = self.helper(Helper::NewObject, &[self.vm, class]).expect("an object is a result");
        self.keep_new(object);
    }

    pub(super) fn new_array(&mut self, class: u32) {
        let length = self.operand(1, Rep::Int);
        let is_negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, length, 0);
        self.exit_if(is_negative);
        self.store_fuel();
        let class = self.b.ins().iconst(I32, i64::from(class));
        let array = self.helper(Helper::NewArray, &[self.vm, class, length]).expect("an array is a result");
        let missing = self.b.ins().icmp_imm_s(IntCC::Equal, array, 0);
        self.exit_if(missing);
        self.pop(1);
        self.reload();
        self.push(array, Rep::Word);
    }

    pub(super) fn keep_new(&mut self, object: Value) {
        let missing = self.b.ins().icmp_imm_s(IntCC::Equal, object, 0);
        self.exit_if(missing);
        self.reload();
        self.push(object, Rep::Word);
    }

    /// Whether the object, which is not null, is an instance of the class: 0 if not.
    pub(super) fn is_instance(&mut self, object: Value, target: u32) -> Value {
        let before = self.b.ins().iadd_imm_s(object, -1);
        let last = self.load_vm(I64, at::LAST_OBJECT);
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, before, last);
        self.exit_if(outside);
        let class = self.class_of(object);
        let (ask, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(ask);
        self.b.append_block_param(on, I32);
        // The cell holds a class and the result for it.
        let cell = self.cell(u64::from(u32::MAX));
        let known = self.b.ins().load(I64, flags(TABLE), cell, 0);
        let known_class = self.b.ins().ireduce(I32, known);
        let answer = self.b.ins().ushr_imm_u(known, 32);
        let answer = self.b.ins().ireduce(I32, answer);
        let same = self.b.ins().icmp(IntCC::Equal, known_class, class);
        self.b.ins().brif(same, on, &[answer.into()], ask, &[]);
        self.b.switch_to_block(ask);
        let target = self.b.ins().iconst(I32, i64::from(target));
        let answer = self.helper(Helper::IsInstance, &[self.vm, class, target, cell]);
        self.b.ins().jump(on, &[answer.expect("an answer is a result").into()]);
        self.b.switch_to_block(on);
        self.b.block_params(on)[0]
    }

    pub(super) fn check_cast(&mut self, target: u32) {
        let object = self.operand(1, Rep::Word);
        let exit = self.exit_block();
        let (some, on) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(object, some, &[], on, &[]);
        self.b.switch_to_block(some);
        let holds = self.is_instance(object, target);
        self.b.ins().brif(holds, on, &[], exit, &[]);
        self.b.switch_to_block(on);
    }

    pub(super) fn instance_of(&mut self, target: u32) {
        let object = self.operand(1, Rep::Word);
        let (some, on) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(on, I32);
        let no = self.b.ins().iconst(I32, 0);
        self.b.ins().brif(object, some, &[], on, &[no.into()]);
        self.b.switch_to_block(some);
        let holds = self.is_instance(object, target);
        self.b.ins().jump(on, &[holds.into()]);
        self.b.switch_to_block(on);
        let result = self.b.block_params(on)[0];
        self.pop(1);
        self.push(result, Rep::Int);
    }

    /// Marks a probe as hit, unless it is already. Exits compiled code if an observer listens.
    pub(super) fn probe(&mut self, probe: u32) {
        let listens = self.load_vm(I64, at::LISTENS);
        self.exit_if(listens);
        let (look, hit, on) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(hit);
        let words = self.load_vm(I64, at::COVERAGE_WORDS);
        let known = self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, words, i64::from(probe / 64));
        self.b.ins().brif(known, look, &[], hit, &[]);
        self.b.switch_to_block(look);
        let coverage = self.load_vm(I64, at::COVERAGE);
        let word = self.b.ins().load(I64, flags(VM), coverage, (probe / 64) as i32 * 8);
        let bit = self.b.ins().band_imm_u(word, (1u64 << (probe % 64)) as i64);
        self.b.ins().brif(bit, on, &[], hit, &[]);
        self.b.switch_to_block(hit);
        let number = self.b.ins().iconst(I32, i64::from(probe));
        self.helper(Helper::HitProbe, &[self.vm, number]);
        self.b.ins().jump(on, &[]);
        self.b.switch_to_block(on);
    }

    /// The address of a new cell for this instruction, with its initial content.
    pub(super) fn cell(&mut self, first: u64) -> Value {
        let cell = Box::new(Cell::new(first));
        let address = cell.as_ptr() as i64;
        self.cells.push(cell);
        self.b.ins().iconst(I64, address)
    }
}
