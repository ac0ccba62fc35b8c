//! Arithmetic that takes several machine instructions: division, remainders and comparisons.

use super::helpers::Helper;
use super::instructions::order;
use super::reps::Rep;
use super::translation::Translation;
use crate::code::Op;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{InstBuilder, Value};

impl Translation<'_, '_> {
    /// The quotient; compiled code exits before the instruction if the divisor is 0.
    pub(super) fn divide(&mut self, x: Value, y: Value) -> Value {
        let (divisor, is_minus_one) = self.divisor(y);
        let quotient = self.b.ins().sdiv(x, divisor);
        // The processor traps if the quotient of the least number and -1 overflows; Java wraps around.
        let negated = self.b.ins().ineg(x);
        self.b.ins().select(is_minus_one, negated, quotient)
    }

    /// The remainder, likewise.
    pub(super) fn remainder(&mut self, x: Value, y: Value) -> Value {
        let (divisor, is_minus_one) = self.divisor(y);
        let remainder = self.b.ins().srem(x, divisor);
        let kind = self.b.func.dfg.value_type(x);
        let zero = self.b.ins().iconst(kind, 0);
        self.b.ins().select(is_minus_one, zero, remainder)
    }

    /// A divisor that is neither 0 nor -1, and whether the original was -1.
    fn divisor(&mut self, y: Value) -> (Value, Value) {
        let is_zero = self.b.ins().icmp_imm_s(IntCC::Equal, y, 0);
        self.exit_if(is_zero);
        let is_minus_one = self.b.ins().icmp_imm_s(IntCC::Equal, y, -1);
        let kind = self.b.func.dfg.value_type(y);
        let one = self.b.ins().iconst(kind, 1);
        (self.b.ins().select(is_minus_one, one, y), is_minus_one)
    }

    pub(super) fn float_remainder(&mut self, x: Value, y: Value) -> Value {
        self.helper(Helper::FloatRemainder, &[x, y]).expect("a remainder is a result")
    }

    pub(super) fn double_remainder(&mut self, x: Value, y: Value) -> Value {
        self.helper(Helper::DoubleRemainder, &[x, y]).expect("a remainder is a result")
    }

    /// A comparison that pushes -1, 0 or 1, fused with a jump on its result if one follows.
    pub(super) fn comparison(&mut self, op: Op) {
        let (slots, rep) = match op {
            Op::LCmp => (2, Rep::Word),
            Op::DCmpL | Op::DCmpG => (2, Rep::Double),
            _ => (1, Rep::Float),
        };
        let (x, y) = (self.operand(2 * slots, rep), self.operand(slots, rep));
        let jump = self.following().map(|place| place.insn()).filter(|jump| {
            matches!(jump.op, Op::IfEq | Op::IfNe | Op::IfLt | Op::IfGe | Op::IfGt | Op::IfLe)
                // A safepoint at a backward jump would need the result.
                && jump.b as u32 > self.pc + 1
        });
        if let Some(jump) = jump {
            let condition = match op {
                Op::LCmp => self.b.ins().icmp(order(jump.op), x, y),
                _ => {
                    let greater_if_unordered = matches!(op, Op::DCmpG | Op::FCmpG);
                    self.b.ins().fcmp(float_order(jump.op, greater_if_unordered), x, y)
                }
            };
            self.pc += 1;
            self.branch(condition, 2 * slots, jump.b as u32);
            return;
        }
        let (less, greater) = match op {
            Op::LCmp => (
                self.b.ins().icmp(IntCC::SignedLessThan, x, y),
                self.b.ins().icmp(IntCC::SignedGreaterThan, x, y),
            ),
            Op::DCmpG | Op::FCmpG => (
                self.b.ins().fcmp(FloatCC::LessThan, x, y),
                self.b.ins().fcmp(FloatCC::UnorderedOrGreaterThan, x, y),
            ),
            _ => (
                self.b.ins().fcmp(FloatCC::UnorderedOrLessThan, x, y),
                self.b.ins().fcmp(FloatCC::GreaterThan, x, y),
            ),
        };
        let (less, greater) = (self.b.ins().uextend(I32, less), self.b.ins().uextend(I32, greater));
        let result = self.b.ins().isub(greater, less);
        self.pop(2 * slots);
        self.push(result, Rep::Int);
    }
}

/// The order of floats for which a jump on `fcmpl` (or `fcmpg`) is taken.
fn float_order(op: Op, greater_if_unordered: bool) -> FloatCC {
    match (op, greater_if_unordered) {
        (Op::IfEq, _) => FloatCC::Equal,
        (Op::IfLt, true) => FloatCC::LessThan,
        (Op::IfLt, false) => FloatCC::UnorderedOrLessThan,
        (Op::IfGe, true) => FloatCC::UnorderedOrGreaterThanOrEqual,
        (Op::IfGe, false) => FloatCC::GreaterThanOrEqual,
        (Op::IfGt, true) => FloatCC::UnorderedOrGreaterThan,
        (Op::IfGt, false) => FloatCC::GreaterThan,
        (Op::IfLe, true) => FloatCC::LessThanOrEqual,
        (Op::IfLe, false) => FloatCC::UnorderedOrLessThanOrEqual,
        _ => FloatCC::NotEqual,
    }
}
