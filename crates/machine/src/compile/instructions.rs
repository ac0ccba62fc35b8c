//! The translation of operations: one row for each.

use super::reps::{Rep, Successors, shuffle};
use super::translation::Translation;
use crate::classes::Kind;
use crate::code::{CodeSlot, Op};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F64, I8, I16, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};

impl Translation<'_, '_> {
    /// Translates one instruction.
    pub(super) fn instruction(&mut self, place: &CodeSlot) {
        use Op::*;
        use Rep::*;
        let insn = place.insn();
        match insn.op {
            Nop => {}
            AConstNull => {
                let null = self.b.ins().iconst(I64, 0);
                self.push(null, Word);
            }
            IConst => {
                let value = self.b.ins().iconst(I32, i64::from(insn.b));
                self.push(value, Int);
            }
            LConst => {
                let value = self.b.ins().iconst(I64, self.code.wide[insn.b as usize] as i64);
                self.push_wide(value, Word);
            }
            LdcCached => self.cached_constant(insn.b as u32),
            Load1 => {
                let (value, rep) = self.local(insn.a as usize);
                self.push(value, rep);
            }
            Load2 => {
                let (value, rep) = self.local(insn.a as usize);
                self.push_wide(value, rep);
            }
            Store1 => self.store_local(insn.a as usize, 1),
            Store2 => self.store_local(insn.a as usize, 2),
            IInc => {
                let held = self.local(insn.a as usize);
                let old = self.convert(held, Int);
                let new = self.b.ins().iadd_imm_s(old, i64::from(insn.b));
                self.define_local(insn.a as usize, Int, new);
            }
            Pop | Pop2 | Dup | DupX1 | DupX2 | Dup2 | Dup2X1 | Dup2X2 | Swap => {
                shuffle(insn.op, &mut self.stack);
            }
            IALoad => self.array_load(Kind::Int),
            LALoad => self.array_load(Kind::Long),
            FALoad => self.array_load(Kind::Float),
            DALoad => self.array_load(Kind::Double),
            AALoad => self.array_load(Kind::Reference),
            BALoad => self.array_load(Kind::Byte),
            CALoad => self.array_load(Kind::Char),
            SALoad => self.array_load(Kind::Short),
            IAStore => self.array_store(Kind::Int),
            LAStore => self.array_store(Kind::Long),
            FAStore => self.array_store(Kind::Float),
            DAStore => self.array_store(Kind::Double),
            BAStore => self.array_store(Kind::Byte),
            CAStore => self.array_store(Kind::Char),
            SAStore => self.array_store(Kind::Short),
            AAStore => self.array_store(Kind::Reference),
            GetField1 => self.get_field(insn.a, 1),
            GetField2 => self.get_field(insn.a, 2),
            PutField1 => self.put_field(insn.a, 1, Kind::Int),
            PutField2 => self.put_field(insn.a, 2, Kind::Long),
            PutFieldNarrow => self.put_field(insn.a, 1, crate::interpret::narrow_kind(insn.b)),
            GetStatic1 => self.get_static(insn, 1),
            GetStatic2 => self.get_static(insn, 2),
            PutStatic1 => self.put_static(insn.b as u32, insn.a, 1, Kind::Int),
            PutStatic2 => self.put_static(insn.b as u32, insn.a, 2, Kind::Long),
            PutStaticNarrow => {
                self.put_static(insn.b as u32 >> 4, insn.a, 1, crate::interpret::narrow_kind(insn.b));
            }
            ArrayLength => self.array_length(),
            New => self.new_object(insn.b as u32),
            NewArray => self.new_array(insn.b as u32),
            CheckCast => self.check_cast(insn.b as u32),
            InstanceOf => self.instance_of(insn.b as u32),
            Probe => self.probe(insn.b as u32),
            InvokeStatic | InvokeDirect | InvokeVirtual | InvokeInterface | InvokeDynamic => {
                self.invoke(place)
            }
            MonitorEnter | MonitorExit | MultiANewArray => self.slow_instruction(place),
            Return => self.return_value(None),
            Return1 => {
                let value = self.operand(1, Word);
                self.return_value(Some(value));
            }
            Return2 => {
                let value = self.operand(2, Word);
                self.return_value(Some(value));
            }
            Goto => match self.next() {
                Successors::Jump(target) => {
                    if target <= self.pc {
                        let left = self.tick();
                        self.set_fuel(left);
                    }
                    self.go_to(target);
                }
                _ => self.exit_here(),
            },
            Op::Switch => self.switch(insn.b as usize),
            IfEq | IfNe | IfLt | IfGe | IfGt | IfLe => {
                let x = self.operand(1, Int);
                let condition = self.b.ins().icmp_imm_s(order(insn.op), x, 0);
                self.branch(condition, 1, insn.b as u32);
            }
            IfICmpEq | IfICmpNe | IfICmpLt | IfICmpGe | IfICmpGt | IfICmpLe => {
                let (x, y) = (self.operand(2, Int), self.operand(1, Int));
                let condition = self.b.ins().icmp(order(insn.op), x, y);
                self.branch(condition, 2, insn.b as u32);
            }
            IfACmpEq | IfACmpNe => {
                // References are addresses of 32 bits.
                let (x, y) = (self.operand(2, Int), self.operand(1, Int));
                let condition = self.b.ins().icmp(order(insn.op), x, y);
                self.branch(condition, 2, insn.b as u32);
            }
            IfNull | IfNonNull => {
                let x = self.operand(1, Int);
                let condition = self.b.ins().icmp_imm_s(order(insn.op), x, 0);
                self.branch(condition, 1, insn.b as u32);
            }
            op if self.arithmetic(op) => {}
            _ => self.exit_here(),
        }
    }

    fn store_local(&mut self, local: usize, slots: usize) {
        let (value, rep) = match self.stack[self.stack.len() - slots] {
            Some(operand) => operand,
            None => (self.operand(slots, Rep::Word), Rep::Word),
        };
        self.pop(slots);
        self.define_local(local, rep, value);
    }

    /// A conditional jump on this many slots, which are popped on both sides.
    pub(super) fn branch(&mut self, condition: Value, slots: usize, target: u32) {
        let (taken, through) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, taken, &[], through, &[]);
        self.edges(taken, through, slots, target);
    }

    /// The two sides of a conditional jump.
    fn edges(&mut self, taken: Block, through: Block, slots: usize, target: u32) {
        let (locals, after) = (self.locals_now(), self.pc + 1);
        self.b.switch_to_block(taken);
        let left = (target <= self.pc).then(|| self.tick());
        let stack = self.stack.clone();
        self.pop(slots);
        if let Some(left) = left {
            self.set_fuel(left);
        }
        self.go_to(target);
        self.set_locals(locals);
        self.stack = stack;
        self.pop(slots);
        self.b.switch_to_block(through);
        self.go_to(after);
    }

    fn switch(&mut self, table: usize) {
        let code = self.code;
        let table = &code.switches[table];
        let key = self.operand(1, Rep::Int);
        let mut switch = cranelift_frontend::Switch::new();
        let mut sides: Vec<(Block, u32)> = Vec::new();
        for (value, target) in &table.cases {
            let block = match sides.iter().find(|side| side.1 == *target) {
                Some(side) => side.0,
                None => {
                    let block = self.b.create_block();
                    sides.push((block, *target));
                    block
                }
            };
            switch.set_entry(u128::from(*value as u32), block);
        }
        let otherwise = self.b.create_block();
        sides.push((otherwise, table.default));
        switch.emit(&mut self.b, key, otherwise);
        let (locals, stack) = (self.locals_now(), self.stack.clone());
        for (block, target) in sides {
            self.set_locals(locals.clone());
            self.stack = stack.clone();
            self.b.switch_to_block(block);
            let left = (target <= self.pc).then(|| self.tick());
            self.pop(1);
            if let Some(left) = left {
                self.set_fuel(left);
            }
            self.go_to(target);
        }
    }

    /// Arithmetic, comparisons and conversions; returns whether the operation is one of these.
    fn arithmetic(&mut self, op: Op) -> bool {
        use Op::*;
        match op {
            IAdd => self.ints(|it, x, y| it.b.ins().iadd(x, y)),
            ISub => self.ints(|it, x, y| it.b.ins().isub(x, y)),
            IMul => self.ints(|it, x, y| it.b.ins().imul(x, y)),
            IAnd => self.ints(|it, x, y| it.b.ins().band(x, y)),
            IOr => self.ints(|it, x, y| it.b.ins().bor(x, y)),
            IXor => self.ints(|it, x, y| it.b.ins().bxor(x, y)),
            IShl => self.ints(|it, x, y| it.b.ins().ishl(x, y)),
            IShr => self.ints(|it, x, y| it.b.ins().sshr(x, y)),
            IUShr => self.ints(|it, x, y| it.b.ins().ushr(x, y)),
            IDiv => self.ints(|it, x, y| it.divide(x, y)),
            IRem => self.ints(|it, x, y| it.remainder(x, y)),
            LAdd => self.wides(Rep::Word, |it, x, y| it.b.ins().iadd(x, y)),
            LSub => self.wides(Rep::Word, |it, x, y| it.b.ins().isub(x, y)),
            LMul => self.wides(Rep::Word, |it, x, y| it.b.ins().imul(x, y)),
            LAnd => self.wides(Rep::Word, |it, x, y| it.b.ins().band(x, y)),
            LOr => self.wides(Rep::Word, |it, x, y| it.b.ins().bor(x, y)),
            LXor => self.wides(Rep::Word, |it, x, y| it.b.ins().bxor(x, y)),
            LDiv => self.wides(Rep::Word, |it, x, y| it.divide(x, y)),
            LRem => self.wides(Rep::Word, |it, x, y| it.remainder(x, y)),
            LShl => self.shift(|it, x, y| it.b.ins().ishl(x, y)),
            LShr => self.shift(|it, x, y| it.b.ins().sshr(x, y)),
            LUShr => self.shift(|it, x, y| it.b.ins().ushr(x, y)),
            FAdd => self.floats(|it, x, y| it.b.ins().fadd(x, y)),
            FSub => self.floats(|it, x, y| it.b.ins().fsub(x, y)),
            FMul => self.floats(|it, x, y| it.b.ins().fmul(x, y)),
            FDiv => self.floats(|it, x, y| it.b.ins().fdiv(x, y)),
            DAdd => self.wides(Rep::Double, |it, x, y| it.b.ins().fadd(x, y)),
            DSub => self.wides(Rep::Double, |it, x, y| it.b.ins().fsub(x, y)),
            DMul => self.wides(Rep::Double, |it, x, y| it.b.ins().fmul(x, y)),
            DDiv => self.wides(Rep::Double, |it, x, y| it.b.ins().fdiv(x, y)),
            FRem => self.floats(|it, x, y| it.float_remainder(x, y)),
            DRem => self.wides(Rep::Double, |it, x, y| it.double_remainder(x, y)),
            INeg => self.change(Rep::Int, Rep::Int, |it, x| it.b.ins().ineg(x)),
            LNeg => self.change(Rep::Word, Rep::Word, |it, x| it.b.ins().ineg(x)),
            FNeg => self.change(Rep::Float, Rep::Float, |it, x| it.b.ins().fneg(x)),
            DNeg => self.change(Rep::Double, Rep::Double, |it, x| it.b.ins().fneg(x)),
            I2F => self.change(Rep::Int, Rep::Float, |it, x| it.b.ins().fcvt_from_sint(F32, x)),
            F2I => self.change(Rep::Float, Rep::Int, |it, x| it.b.ins().fcvt_to_sint_sat(I32, x)),
            I2B => self.change(Rep::Int, Rep::Int, |it, x| {
                let narrow = it.b.ins().ireduce(I8, x);
                it.b.ins().sextend(I32, narrow)
            }),
            I2S => self.change(Rep::Int, Rep::Int, |it, x| {
                let narrow = it.b.ins().ireduce(I16, x);
                it.b.ins().sextend(I32, narrow)
            }),
            I2C => self.change(Rep::Int, Rep::Int, |it, x| it.b.ins().band_imm_u(x, 0xFFFF)),
            L2D => self.change(Rep::Word, Rep::Double, |it, x| it.b.ins().fcvt_from_sint(F64, x)),
            D2L => self.change(Rep::Double, Rep::Word, |it, x| it.b.ins().fcvt_to_sint_sat(I64, x)),
            I2L => self.resize([1, 2], Rep::Int, Rep::Word, |it, x| it.b.ins().sextend(I64, x)),
            I2D => self.resize([1, 2], Rep::Int, Rep::Double, |it, x| it.b.ins().fcvt_from_sint(F64, x)),
            F2L => self.resize([1, 2], Rep::Float, Rep::Word, |it, x| it.b.ins().fcvt_to_sint_sat(I64, x)),
            F2D => self.resize([1, 2], Rep::Float, Rep::Double, |it, x| it.b.ins().fpromote(F64, x)),
            L2I => self.resize([2, 1], Rep::Word, Rep::Int, |it, x| it.b.ins().ireduce(I32, x)),
            L2F => self.resize([2, 1], Rep::Word, Rep::Float, |it, x| it.b.ins().fcvt_from_sint(F32, x)),
            D2I => self.resize([2, 1], Rep::Double, Rep::Int, |it, x| it.b.ins().fcvt_to_sint_sat(I32, x)),
            D2F => self.resize([2, 1], Rep::Double, Rep::Float, |it, x| it.b.ins().fdemote(F32, x)),
            LCmp | FCmpL | FCmpG | DCmpL | DCmpG => self.comparison(op),
            _ => return false,
        }
        true
    }

    fn ints(&mut self, run: impl FnOnce(&mut Self, Value, Value) -> Value) {
        let (x, y) = (self.operand(2, Rep::Int), self.operand(1, Rep::Int));
        let result = run(self, x, y);
        self.pop(2);
        self.push(result, Rep::Int);
    }

    fn floats(&mut self, run: impl FnOnce(&mut Self, Value, Value) -> Value) {
        let (x, y) = (self.operand(2, Rep::Float), self.operand(1, Rep::Float));
        let result = run(self, x, y);
        self.pop(2);
        self.push(result, Rep::Float);
    }

    fn wides(&mut self, rep: Rep, run: impl FnOnce(&mut Self, Value, Value) -> Value) {
        let (x, y) = (self.operand(4, rep), self.operand(2, rep));
        let result = run(self, x, y);
        self.pop(4);
        self.push_wide(result, rep);
    }

    fn shift(&mut self, run: impl FnOnce(&mut Self, Value, Value) -> Value) {
        let (x, by) = (self.operand(3, Rep::Word), self.operand(1, Rep::Int));
        let result = run(self, x, by);
        self.pop(3);
        self.push_wide(result, Rep::Word);
    }

    /// A conversion that keeps the number of slots: one for ints and floats, two for longs and doubles.
    fn change(&mut self, from: Rep, to: Rep, run: impl FnOnce(&mut Self, Value) -> Value) {
        let slots = if matches!(from, Rep::Word | Rep::Double) { 2 } else { 1 };
        self.resize([slots, slots], from, to, run);
    }

    fn resize(
        &mut self,
        [slots, result_slots]: [usize; 2],
        from: Rep,
        to: Rep,
        run: impl FnOnce(&mut Self, Value) -> Value,
    ) {
        let x = self.operand(slots, from);
        let result = run(self, x);
        self.pop(slots);
        if result_slots == 2 { self.push_wide(result, to) } else { self.push(result, to) }
    }
}

/// The order of which a jump asks.
pub(super) fn order(op: Op) -> IntCC {
    use Op::*;
    match op {
        IfEq | IfICmpEq | IfACmpEq | IfNull => IntCC::Equal,
        IfLt | IfICmpLt => IntCC::SignedLessThan,
        IfGe | IfICmpGe => IntCC::SignedGreaterThanOrEqual,
        IfGt | IfICmpGt => IntCC::SignedGreaterThan,
        IfLe | IfICmpLe => IntCC::SignedLessThanOrEqual,
        _ => IntCC::NotEqual,
    }
}
