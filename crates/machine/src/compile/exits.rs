//! Ways out of compiled code: exits before an instruction, unwinding after a call that left compiled code,
//! returns; and fuel.

use super::context::{ENTERED, LEFT};
use super::helpers::Helper;
use super::offsets::at;
use super::reps::Rep;
use super::translation::{Exit, Operand, Translation, Unwinding};
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};

impl Translation<'_, '_> {
    /// Goes to a block if this is not 0, else on.
    pub(super) fn branch_away(&mut self, condition: Value, away: Block) {
        let on = self.b.create_block();
        self.b.ins().brif(condition, away, &[], on, &[]);
        self.b.switch_to_block(on);
    }

    /// Exits compiled code before this instruction if the condition is not 0.
    pub(super) fn exit_if(&mut self, condition: Value) {
        let exit = self.exit_block();
        self.branch_away(condition, exit);
    }

    /// Ends compiled code before this instruction.
    pub(super) fn exit_here(&mut self) {
        let exit = self.exit_block();
        self.b.ins().jump(exit, &[]);
        self.ended = true;
    }

    /// The block that exits compiled code before this instruction.
    pub(super) fn exit_block(&mut self) -> Block {
        if let Some(block) = self.exit {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.exit = Some(block);
        let (locals, stack) = (self.locals.clone(), self.stack.clone());
        self.exits.push(Exit { block, pc: self.pc, locals, stack });
        block
    }

    /// The block that writes back this frame with this many operand slots, and leaves.
    pub(super) fn unwinding_block(&mut self, slots: usize) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        let (locals, stack) = (self.locals.clone(), self.stack[..slots].to_vec());
        self.unwindings.push(Unwinding { block, locals, stack });
        block
    }

    pub(super) fn write_back(&mut self, locals: Vec<Option<Rep>>, stack: &[Operand]) {
        self.locals = locals;
        let arguments = self.machine.method(self.code.method).argument_slots as usize;
        for local in 0..self.locals.len() {
            if local < arguments && !self.blocks.written[local] {
                continue;
            }
            let held = self.local(local);
            self.store_slot(local, held);
        }
        for (at, operand) in stack.iter().enumerate() {
            if let Some(operand) = *operand {
                self.store_slot(self.code.max_locals as usize + at, operand);
            }
        }
    }

    pub(super) fn write_exits(&mut self) {
        for Exit { block, pc, locals, stack } in std::mem::take(&mut self.exits) {
            self.b.switch_to_block(block);
            self.write_back(locals, &stack);
            let fuel = self.b.use_var(self.fuel);
            self.store_vm(fuel, at::FUEL);
            let top = self.code.max_locals as u64 + stack.len() as u64;
            let place = self.b.ins().iconst(I64, (u64::from(pc) | top << 32) as i64);
            self.b.ins().jump(self.leave, &[place.into()]);
        }
        for Unwinding { block, locals, stack } in std::mem::take(&mut self.unwindings) {
            self.b.switch_to_block(block);
            self.write_back(locals, &stack);
            let (state, nothing) = (self.b.ins().iconst(I64, LEFT), self.b.ins().iconst(I64, 0));
            self.b.ins().return_(&[state, nothing]);
        }
        self.b.switch_to_block(self.leave);
        let place = self.b.block_params(self.leave)[0];
        if !self.calls {
            // Nothing was called, so this is the last frame that was counted.
            let count = self.load_vm(I32, at::FRAME_COUNT);
            let serial = self.b.ins().iadd_imm_s(count, -1);
            let (entered, pending) =
                (self.b.ins().iconst(I32, i64::from(ENTERED)), self.b.ins().iconst(I32, 0));
            let presence = self.b.ins().select(self.entry, entered, pending);
            self.fill_record(serial, presence);
        }
        let record = self.b.ins().stack_addr(I64, self.record, 0);
        self.helper(Helper::Leave, &[self.vm, record, place]);
        let (state, nothing) = (self.b.ins().iconst(I64, LEFT), self.b.ins().iconst(I64, 0));
        self.b.ins().return_(&[state, nothing]);
    }

    /// Takes fuel for a backward jump or a call; without fuel, compiled code exits before the instruction.
    /// Yields the remaining fuel.
    pub(super) fn tick(&mut self) -> Value {
        let fuel = self.b.use_var(self.fuel);
        let left = self.b.ins().iadd_imm_s(fuel, -1);
        let exit = self.exit_block();
        let on = self.b.create_block();
        self.b.ins().brif(left, on, &[], exit, &[]);
        self.b.switch_to_block(on);
        left
    }

    pub(super) fn set_fuel(&mut self, left: Value) {
        self.b.def_var(self.fuel, left);
    }

    /// Writes fuel to the machine, before a helper that may read it.
    pub(super) fn store_fuel(&mut self) {
        let fuel = self.b.use_var(self.fuel);
        self.store_vm(fuel, at::FUEL);
    }

    /// Writes this as the fuel of the machine.
    pub(super) fn store_fuel_left(&mut self, left: Value) {
        self.store_vm(left, at::FUEL);
    }

    /// Reloads what a call may have changed: the location of memory, and fuel.
    pub(super) fn reload(&mut self) {
        self.load_variables();
    }

    /// Calls a helper.
    pub(super) fn helper(&mut self, helper: Helper, arguments: &[Value]) -> Option<Value> {
        let function = match self.helpers[helper as usize] {
            Some(function) => function,
            None => {
                let function = (self.import)(helper, self.b.func);
                self.helpers[helper as usize] = Some(function);
                function
            }
        };
        let call = self.b.ins().call(function, arguments);
        self.b.inst_results(call).first().copied()
    }
}
