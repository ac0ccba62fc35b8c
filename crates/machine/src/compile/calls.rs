//! Calls: to compiled code if it exists, otherwise through the interpreter.

use super::context::{DECLINED, REFUSED};
use super::helpers::{Helper, selection};
use super::offsets::at;
use super::reps::Rep;
use super::translation::{TABLE, Translation, flags};
use crate::classes::{Kind, MethodId};
use crate::code::{CodeSlot, Op};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};

impl Translation<'_, '_> {
    /// An instruction that the interpreter runs, after which compiled code continues.
    pub(super) fn slow_instruction(&mut self, place: &CodeSlot) {
        let insn = place.insn();
        let (pops, pushes) = match insn.op {
            Op::MultiANewArray => (insn.a as usize, true),
            _ => (1, false),
        };
        let from = self.stack.len() - pops;
        self.flush(from);
        self.store_fuel();
        let unwinding = self.unwinding_block(from);
        self.run_by_interpreter(unwinding);
        self.reload();
        self.pop(pops);
        if pushes {
            let result = self.operand_slot(from);
            self.push(result, Rep::Word);
        }
    }

    /// Lets the interpreter run the current instruction, whose operands are in their slots. Compiled code is
    /// left if the instruction does not complete.
    fn run_by_interpreter(&mut self, unwinding: Block) {
        let (record, place) = (self.record_address(), self.place(self.stack.len()));
        let state = self.helper(Helper::Step, &[self.vm, record, place]).expect("a state is a result");
        self.branch_away(state, unwinding);
    }

    /// A call of a method.
    pub(super) fn invoke(&mut self, place: &CodeSlot) {
        match place.op.get() {
            Op::GetCharacter => return self.get_character(),
            Op::PutCharacter => return self.put_character(),
            Op::CountCharacters => return self.count_characters(),
            _ => {}
        }
        let insn = place.insn();
        let site = self.code.calls.borrow()[insn.b as usize];
        let slots = site.argument_slots as usize;
        let from = self.stack.len() - slots;
        let result = self.machine.method(site.method).result;
        let left = self.tick();
        if self.does_nothing(insn.op, site.method) {
            let listens = self.load_vm(I64, at::LISTENS);
            self.exit_if(listens);
            self.object(slots);
            self.set_fuel(left);
            return self.pop(slots);
        }
        let has_receiver = !matches!(insn.op, Op::InvokeStatic | Op::InvokeDynamic);
        let receiver = has_receiver.then(|| self.object(slots));
        if insn.op == Op::InvokeStatic {
            let class = self.machine.method(site.method).class;
            self.initialized(class);
        }
        self.flush(from);

        let (by_interpreter, done) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(by_interpreter);
        self.b.append_block_param(done, I64);
        let method = match (insn.op, receiver) {
            (Op::InvokeVirtual | Op::InvokeInterface, Some(receiver)) => {
                let by_interface = insn.op == Op::InvokeInterface;
                self.select(receiver, selection(by_interface, insn.a, site.method), by_interpreter)
            }
            _ => self.b.ins().iconst(I64, i64::from(site.method.0)),
        };
        let entries = self.load_vm(I64, at::ENTRIES);
        let offset = self.b.ins().ishl_imm_u(method, 3);
        let entry = self.b.ins().iadd(entries, offset);
        let entry = self.b.ins().load(I64, flags(TABLE), entry, 0);
        let compiled = self.b.create_block();
        self.b.ins().brif(entry, compiled, &[], by_interpreter, &[]);

        self.b.switch_to_block(compiled);
        self.note_place(from);
        self.store_fuel_left(left);
        let [state, value] = self.call_compiled(entry, from);
        let failed = self.b.create_block();
        self.b.set_cold_block(failed);
        self.b.ins().brif(state, failed, &[], done, &[value.into()]);

        self.b.switch_to_block(failed);
        let refused = self.b.ins().icmp_imm_s(IntCC::Equal, state, REFUSED);
        let (exit, unwinding, entered) =
            (self.exit_block(), self.unwinding_block(from), self.b.create_block());
        self.b.ins().brif(refused, exit, &[], entered, &[]);
        self.b.switch_to_block(entered);
        let declined = self.b.ins().icmp_imm_s(IntCC::Equal, state, DECLINED);
        self.b.ins().brif(declined, by_interpreter, &[], unwinding, &[]);

        self.b.switch_to_block(by_interpreter);
        self.store_fuel();
        self.run_by_interpreter(unwinding);
        let value = match result {
            Kind::Void => self.b.ins().iconst(I64, 0),
            _ => self.operand_slot(from),
        };
        self.b.ins().jump(done, &[value.into()]);

        self.b.switch_to_block(done);
        let value = self.b.block_params(done)[0];
        self.reload();
        self.pop(slots);
        let rep = Rep::of(result);
        match result.slots() {
            0 => {}
            slots => {
                let value = self.convert((value, Rep::Word), rep);
                if slots == 2 { self.push_wide(value, rep) } else { self.push(value, rep) }
            }
        }
    }

    /// Whether a call has no effect at all: the constructor of `Object`.
    fn does_nothing(&self, op: Op, method: MethodId) -> bool {
        let method = self.machine.method(method);
        let object = self.machine.classes.well_known.object;
        op == Op::InvokeDirect && method.class.0 == object && &*method.name == "<init>" && !method.watched
    }

    /// The method that a call on this receiver runs, zero-extended to 64 bits. Jumps to `missing` if the
    /// selection fails.
    fn select(&mut self, receiver: Value, site: u64, missing: Block) -> Value {
        let class = self.class_of(receiver);
        // The cell holds a class and the method that a call on its objects runs.
        let cell = self.cell(u64::from(u32::MAX));
        let known = self.b.ins().load(I64, flags(TABLE), cell, 0);
        let known_class = self.b.ins().ireduce(I32, known);
        let known_method = self.b.ins().ushr_imm_u(known, 32);
        let (ask, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(ask);
        self.b.append_block_param(on, I64);
        let same = self.b.ins().icmp(IntCC::Equal, known_class, class);
        self.b.ins().brif(same, on, &[known_method.into()], ask, &[]);
        self.b.switch_to_block(ask);
        let site = self.b.ins().iconst(I64, site as i64);
        let found = self.helper(Helper::Select, &[self.vm, class, site, cell]).expect("a method is a result");
        let is_missing = self.b.ins().icmp_imm_s(IntCC::Equal, found, -1);
        self.b.ins().brif(is_missing, missing, &[], on, &[found.into()]);
        self.b.switch_to_block(on);
        self.b.block_params(on)[0]
    }
}
