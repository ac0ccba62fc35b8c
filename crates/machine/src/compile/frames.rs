//! Entry of compiled code, and the frame state that calls and returns need.

use super::context::{ENTERED, PENDING, REFUSED, RETURNED, Record};
use super::helpers::Helper;
use super::offsets::at;
use super::reps::{Rep, Reps};
use super::translation::Translation;
use crate::state::{STACK_RESERVE, STACK_SLOTS};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Switch;
use std::mem::offset_of;

impl Translation<'_, '_> {
    /// Code of the entry: for calls, and for the interpreter at each of its entries.
    pub(super) fn enter(&mut self) {
        let (called, resumed, refused) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(resumed);
        self.b.set_cold_block(refused);
        self.b.ins().brif(self.entry, resumed, &[], called, &[]);

        self.b.switch_to_block(called);
        let here = self.b.ins().get_stack_pointer(I64);
        let lowest = self.load_vm(I64, at::STACK_LIMIT);
        let shallow = self.b.ins().icmp(IntCC::UnsignedLessThan, here, lowest);
        self.branch_away(shallow, refused);
        let most = self.load_vm(I64, at::FRAME_LIMIT);
        let many = self.b.ins().icmp(IntCC::UnsignedGreaterThan, self.depth, most);
        self.branch_away(many, refused);
        let needed = self.code.max_locals as usize + self.code.max_stack as usize + STACK_RESERVE;
        let last = STACK_SLOTS.saturating_sub(needed) as i64;
        let high = self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, self.base, last);
        self.branch_away(high, refused);
        let serial = self.load_vm(I32, at::FRAME_COUNT);
        let count = self.b.ins().iadd_imm_s(serial, 1);
        self.store_vm(count, at::FRAME_COUNT);
        if self.calls {
            let pending = self.b.ins().iconst(I32, i64::from(PENDING));
            self.fill_record(serial, pending);
        }
        self.load_variables();
        let first = self.blocks.starts[0].clone().expect("a method begins somewhere");
        self.load_locals(&first);
        self.jump_to(0, &first);

        self.b.switch_to_block(refused);
        let (state, nothing) = (self.b.ins().iconst(I64, REFUSED), self.b.ins().iconst(I64, 0));
        self.b.ins().return_(&[state, nothing]);

        self.b.switch_to_block(resumed);
        if self.calls {
            let (entered, none) = (self.b.ins().iconst(I32, i64::from(ENTERED)), self.b.ins().iconst(I32, 0));
            self.fill_record(none, entered);
        }
        self.load_variables();
        let mut switch = Switch::new();
        let mut entries = Vec::new();
        for (number, target) in [0].into_iter().chain(self.blocks.entries.iter().copied()).enumerate() {
            let block = self.b.create_block();
            switch.set_entry(number as u128 + 1, block);
            entries.push((block, target));
        }
        switch.emit(&mut self.b, self.entry, refused);
        for (block, target) in entries {
            self.b.switch_to_block(block);
            let reps = self.blocks.starts[target as usize].clone().expect("an entry is a block");
            self.load_locals(&reps);
            self.stack = Vec::new();
            for (at, rep) in reps.stack.iter().enumerate() {
                let operand = rep.map(|rep| (self.load_slot(self.code.max_locals as usize + at, rep), rep));
                self.stack.push(operand);
            }
            self.jump_to(target, &reps);
        }
    }

    pub(super) fn load_variables(&mut self) {
        let words = self.load_vm(I64, at::WORDS);
        self.b.def_var(self.words, words);
        let fuel = self.load_vm(I64, at::FUEL);
        self.b.def_var(self.fuel, fuel);
    }

    /// Makes the record of this frame the innermost one.
    pub(super) fn fill_record(&mut self, serial: Value, presence: Value) {
        let previous = self.load_vm(I64, at::TOP);
        let function = self.b.ins().iconst(I32, i64::from(self.function));
        let base = self.b.ins().ireduce(I32, self.base);
        let fields = [
            (previous, offset_of!(Record, previous)),
            (base, offset_of!(Record, base)),
            (serial, offset_of!(Record, serial)),
            (function, offset_of!(Record, function)),
            (presence, offset_of!(Record, presence)),
        ];
        for (value, offset) in fields {
            self.b.ins().stack_store(I64, value, self.record, offset as i32);
        }
        let address = self.b.ins().stack_addr(I64, self.record, 0);
        self.store_vm(address, at::TOP);
    }

    pub(super) fn load_locals(&mut self, reps: &Reps) {
        self.locals = reps.locals.clone();
        for (local, rep) in reps.locals.iter().enumerate() {
            let Some(rep) = *rep else { continue };
            // A local that no argument has filled is 0; its slot is written only at an exit.
            let value = self.load_slot(local, rep);
            self.define_local(local, rep, value);
        }
        self.stack = Vec::new();
    }

    /// Records which instruction is executed, and how many slots are in use.
    pub(super) fn note_place(&mut self, stack: usize) {
        let value = self.place(stack);
        self.b.ins().stack_store(I64, value, self.record, offset_of!(Record, pc) as i32);
    }

    /// Instruction and slots in use with this many operands, as records hold them.
    pub(super) fn place(&mut self, stack: usize) -> Value {
        let top = self.code.max_locals as u64 + stack as u64;
        self.b.ins().iconst(I64, (u64::from(self.pc) | top << 32) as i64)
    }

    pub(super) fn record_address(&mut self) -> Value {
        self.b.ins().stack_addr(I64, self.record, 0)
    }

    /// Writes the operands from this index on to their slots.
    pub(super) fn flush(&mut self, from: usize) {
        for at in from..self.stack.len() {
            if let Some(operand) = self.stack[at] {
                self.store_slot(self.code.max_locals as usize + at, operand);
            }
        }
    }

    /// The content of the slot of this operand.
    pub(super) fn operand_slot(&mut self, at: usize) -> Value {
        self.load_slot(self.code.max_locals as usize + at, Rep::Word)
    }

    /// Calls compiled code with the arguments that begin at this operand; yields its state and result.
    pub(super) fn call_compiled(&mut self, entry: Value, arguments: usize) -> [Value; 2] {
        let first = self.b.ins().iadd_imm_s(self.base, (self.code.max_locals as usize + arguments) as i64);
        let depth = self.b.ins().iadd_imm_s(self.depth, 1);
        let called = self.b.ins().iconst(I64, 0);
        let values = [self.vm, first, depth, called];
        let call = self.b.ins().call_indirect(self.method_signature, entry, &values);
        let results = self.b.inst_results(call);
        [results[0], results[1]]
    }

    /// Returns this value; if the interpreter has entered the frame, it performs the return.
    pub(super) fn return_value(&mut self, value: Option<Value>) {
        let value = value.unwrap_or_else(|| self.zero(Rep::Word));
        if self.calls {
            let presence =
                self.b.ins().stack_load(I64, I32, self.record, offset_of!(Record, presence) as i32);
            let (seen, plain) = (self.b.create_block(), self.b.create_block());
            self.b.set_cold_block(seen);
            self.b.ins().brif(presence, seen, &[], plain, &[]);
            self.b.switch_to_block(seen);
            let entered = self.b.ins().icmp_imm_s(IntCC::Equal, presence, i64::from(ENTERED));
            self.exit_if(entered);
            self.helper(Helper::PopFrame, &[self.vm]);
            self.b.ins().jump(plain, &[]);
            self.b.switch_to_block(plain);
            let previous =
                self.b.ins().stack_load(I64, I64, self.record, offset_of!(Record, previous) as i32);
            self.store_vm(previous, at::TOP);
        } else {
            self.exit_if(self.entry);
        }
        self.store_fuel();
        let state = self.b.ins().iconst(I64, RETURNED);
        self.b.ins().return_(&[state, value]);
        self.ended = true;
    }
}
