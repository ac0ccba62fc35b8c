//! Arrays: elements and lengths; natives on the bytes of strings, which the interpreter also runs inside its
//! loop.

use super::helpers::Helper;
use super::offsets::at;
use super::reps::Rep;
use super::translation::{HEAP, TABLE, Translation, flags};
use crate::classes::Kind;
use crate::heap::layout::ARRAY_BASE;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F64, I8, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

impl Translation<'_, '_> {
    /// Exits compiled code unless this is an index of the array, whose elements have this many bytes. Yields
    /// the byte offset of the element from the beginning of memory, without the header of the array.
    fn element(&mut self, array: Value, index: Value, size: u32, per_element: u32) -> Value {
        self.check_object(array);
        if self.guarded() {
            let length = self.b.ins().iadd_imm_s(array, 1);
            self.check_shadow(length);
        }
        let start = self.b.ins().ishl_imm_u(array, 3);
        let words = self.words();
        let header = self.b.ins().iadd(words, start);
        let mut length = self.b.ins().load(I32, flags(HEAP), header, 8);
        if per_element > 1 {
            length = self.b.ins().ushr_imm_u(length, i64::from(per_element.trailing_zeros()));
        }
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, length);
        self.exit_if(outside);
        let wide = self.b.ins().uextend(I64, index);
        let scaled = self.b.ins().ishl_imm_u(wide, i64::from(size.trailing_zeros()));
        let offset = self.b.ins().iadd(start, scaled);
        // The header is not trusted more than the address.
        let last = self.load_vm(I64, at::LAST_OBJECT);
        let last_byte = self.b.ins().ishl_imm_u(last, 3);
        let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, offset, last_byte);
        self.exit_if(beyond);
        if self.guarded() {
            let word = self.element_word(offset);
            self.check_shadow(word);
        }
        offset
    }

    fn element_word(&mut self, offset: Value) -> Value {
        let byte = self.b.ins().iadd_imm_s(offset, ARRAY_BASE as i64);
        self.b.ins().ushr_imm_u(byte, 3)
    }

    pub(super) fn array_load(&mut self, kind: Kind) {
        let (array, index) = (self.operand(2, Rep::Word), self.operand(1, Rep::Int));
        let offset = self.element(array, index, kind.array_bytes(), 1);
        let place = self.element_place(offset);
        let base = ARRAY_BASE as i32;
        let heap = flags(HEAP);
        let (value, rep) = match kind {
            Kind::Byte | Kind::Boolean => (self.b.ins().sload8(I32, heap, place, base), Rep::Int),
            Kind::Char => (self.b.ins().uload16(I32, heap, place, base), Rep::Int),
            Kind::Short => (self.b.ins().sload16(I32, heap, place, base), Rep::Int),
            Kind::Int => (self.b.ins().load(I32, heap, place, base), Rep::Int),
            Kind::Float => (self.b.ins().load(F32, heap, place, base), Rep::Float),
            Kind::Double => (self.b.ins().load(F64, heap, place, base), Rep::Double),
            _ => (self.b.ins().load(I64, heap, place, base), Rep::Word),
        };
        self.pop(2);
        if kind.slots() == 2 { self.push_wide(value, rep) } else { self.push(value, rep) }
    }

    fn element_place(&mut self, offset: Value) -> Value {
        let words = self.words();
        self.b.ins().iadd(words, offset)
    }

    pub(super) fn array_store(&mut self, kind: Kind) {
        let slots = kind.slots() as usize;
        let (array, index) = (self.operand(slots + 2, Rep::Word), self.operand(slots + 1, Rep::Int));
        let offset = self.element(array, index, kind.array_bytes(), 1);
        if kind == Kind::Reference {
            self.check_element(array);
        }
        let is_boolean = (kind == Kind::Byte).then(|| self.is_boolean_array(array));
        let word = self.element_word(offset);
        self.prepare_write(word);
        let place = self.element_place(offset);
        let (base, heap) = (ARRAY_BASE as i32, flags(HEAP));
        match kind {
            Kind::Byte | Kind::Boolean => {
                let mut value = self.operand(1, Rep::Int);
                if let Some(is_boolean) = is_boolean {
                    let bit = self.b.ins().band_imm_u(value, 1);
                    value = self.b.ins().select(is_boolean, bit, value);
                }
                self.b.ins().istore8(heap, value, place, base);
            }
            Kind::Char | Kind::Short => {
                let value = self.operand(1, Rep::Int);
                self.b.ins().istore16(heap, value, place, base);
            }
            Kind::Int => {
                let value = self.operand(1, Rep::Int);
                self.b.ins().store(heap, value, place, base);
            }
            Kind::Float => {
                let value = self.operand(1, Rep::Float);
                self.b.ins().store(heap, value, place, base);
            }
            Kind::Double => {
                let value = self.operand(2, Rep::Double);
                self.b.ins().store(heap, value, place, base);
            }
            _ => {
                let value = self.operand(slots, Rep::Word);
                self.b.ins().store(heap, value, place, base);
            }
        }
        self.pop(slots + 2);
    }

    /// Whether the array holds booleans, which keep one bit; exits compiled code if it holds neither booleans
    /// nor bytes.
    fn is_boolean_array(&mut self, array: Value) -> Value {
        let class = self.class_of(array);
        let bytes = i64::from(self.machine.classes.well_known.byte_array);
        match self.machine.classes.names.get("[Z") {
            Some(booleans) => self.b.ins().icmp_imm_s(IntCC::Equal, class, i64::from(booleans.0)),
            None => {
                let other = self.b.ins().icmp_imm_s(IntCC::NotEqual, class, bytes);
                self.exit_if(other);
                self.b.ins().iconst(I8, 0)
            }
        }
    }

    /// Exits compiled code unless the top reference may be stored in the array.
    fn check_element(&mut self, array: Value) {
        let value = self.operand(1, Rep::Word);
        let (some, on) = (self.b.create_block(), self.b.create_block());
        let exit = self.exit_block();
        self.b.ins().brif(value, some, &[], on, &[]);
        self.b.switch_to_block(some);
        let before = self.b.ins().iadd_imm_s(value, -1);
        let last = self.load_vm(I64, at::LAST_OBJECT);
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, before, last);
        self.branch_away(outside, exit);
        let (array_class, value_class) = (self.class_of(array), self.class_of(value));
        let high = self.b.ins().ishl_imm_u(array_class, 16);
        let both = self.b.ins().bor(high, value_class);
        let both = self.b.ins().uextend(I64, both);
        let cell = self.cell(u64::MAX);
        let known = self.b.ins().load(I64, flags(TABLE), cell, 0);
        let differs = self.b.ins().icmp(IntCC::NotEqual, known, both);
        let ask = self.b.create_block();
        self.b.set_cold_block(ask);
        self.b.ins().brif(differs, ask, &[], on, &[]);
        self.b.switch_to_block(ask);
        let fits = self.helper(Helper::CanStore, &[self.vm, both, cell]).expect("an answer is a result");
        self.b.ins().brif(fits, on, &[], exit, &[]);
        self.b.switch_to_block(on);
    }

    pub(super) fn array_length(&mut self) {
        let array = self.object(1);
        if self.guarded() {
            let length = self.b.ins().iadd_imm_s(array, 1);
            self.check_shadow(length);
        }
        let place = self.host_address(array);
        let length = self.b.ins().load(I32, flags(HEAP), place, 8);
        self.pop(1);
        self.push(length, Rep::Int);
    }

    pub(super) fn get_character(&mut self) {
        let left = self.tick();
        let (array, index) = (self.operand(2, Rep::Word), self.operand(1, Rep::Int));
        let offset = self.element(array, index, 2, 2);
        let place = self.element_place(offset);
        let value = self.b.ins().uload16(I32, flags(HEAP), place, ARRAY_BASE as i32);
        self.set_fuel(left);
        self.pop(2);
        self.push(value, Rep::Int);
    }

    pub(super) fn put_character(&mut self) {
        let left = self.tick();
        let (array, index) = (self.operand(3, Rep::Word), self.operand(2, Rep::Int));
        let offset = self.element(array, index, 2, 2);
        let word = self.element_word(offset);
        self.prepare_write(word);
        let (place, value) = (self.element_place(offset), self.operand(1, Rep::Int));
        self.b.ins().istore16(flags(HEAP), value, place, ARRAY_BASE as i32);
        self.set_fuel(left);
        self.pop(3);
    }

    pub(super) fn count_characters(&mut self) {
        let left = self.tick();
        self.array_length();
        let length = self.operand(1, Rep::Int);
        let count = self.b.ins().ushr_imm_u(length, 1);
        self.set_fuel(left);
        self.pop(1);
        self.push(count, Rep::Int);
    }
}
