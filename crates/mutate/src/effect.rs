//! The effect of an instruction or its replacement on its frame, for given operands.
//!
//! A mutant behaves differently only if these effects differ: from a state in which they are the same, the run
//! continues as if nothing was changed. Instructions that do more than move and compute numbers (calls, fields,
//! arrays) have no known effect here, unless the changed instruction itself runs in both.

use crate::operators::{Change, Piece};
use cupping_classfile::interpreter::{Decision, Domain, Flow, Frame, FrameMismatch, Site, step};
use cupping_classfile::{
    Arithmetic, ClassFile, Code, Comparison, Instruction, Literal, StackType, instructions,
};
use std::cmp::Ordering;

/// The state after the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The operand stack, slot by slot, the top last; `None` is the second slot of a `long` or `double`.
    pub stack: Vec<Option<u64>>,
    /// The control-flow target.
    pub next: ControlTarget,
}

/// The control-flow target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlTarget {
    /// A jump to the instruction at this pc of the original.
    At(u32),
    /// Out of the method, with the result.
    Return(Option<u64>),
    /// The changed instruction itself runs next, on this stack.
    Original,
}

/// Evaluates an instruction and what replaces it.
pub struct Evaluator<'a> {
    class: &'a ClassFile,
    original: Instruction,
}

/// An instruction of a replacement, and whether it is the changed one.
type Part = (Instruction, bool);

/// A replacement, decoded.
pub struct Parts(Vec<Part>);

impl<'a> Evaluator<'a> {
    /// The comparison for the instruction at this pc; `None` if there is none.
    pub fn new(class: &'a ClassFile, code: &Code, pc: u32) -> Option<Evaluator<'a>> {
        let original = cupping_classfile::instructions::decode(&code.bytecode, pc as usize).ok()?;
        Some(Evaluator { class, original })
    }

    /// The effect of the instruction on an operand stack.
    pub fn original(&self, stack: &[u64]) -> Effect {
        let parts = [(self.original.clone(), true)];
        let known = self.run(&parts, stack);
        known.unwrap_or_else(|| Effect { stack: slots(stack), next: ControlTarget::Original })
    }

    /// Decodes a change; `None` if it does not consist of instructions.
    pub fn parts(&self, change: &Change) -> Option<Parts> {
        let Change::Code(pieces) = change else { return None };
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => {
                    for instruction in instructions(bytes) {
                        parts.push((instruction.ok()?, false));
                    }
                }
                Piece::Jump(opcode, operand) => {
                    let operand = operand.clone();
                    parts.push((Instruction { opcode: *opcode, operand, ..self.original.clone() }, false));
                }
                Piece::Original => parts.push((self.original.clone(), true)),
            }
        }
        Some(Parts(parts))
    }

    /// The effect of the replacement; `None` if it is unknown.
    pub fn changed(&self, parts: &Parts, stack: &[u64]) -> Option<Effect> {
        self.run(&parts.0, stack)
    }

    fn run(&self, parts: &[Part], stack: &[u64]) -> Option<Effect> {
        let mut frame = Frame { locals: Vec::new(), stack: slots(stack) };
        for (at, (instruction, is_original)) in parts.iter().enumerate() {
            let before = if *is_original { Some(frame.stack.clone()) } else { None };
            let site = Site { class: self.class, instruction, index: 0 };
            let next = match step(&mut Numbers, &mut frame, &site) {
                Ok(Flow::All | Flow::Next) => continue,
                Ok(Flow::To(target)) => ControlTarget::At(target),
                Ok(Flow::Return(value)) => {
                    return Some(Effect { stack: Vec::new(), next: ControlTarget::Return(value) });
                }
                // For example a call: the same in both if it has the same operands.
                Err(Unknown) if at + 1 == parts.len() => {
                    return Some(Effect { stack: before?, next: ControlTarget::Original });
                }
                Ok(Flow::Throw(_) | Flow::Stop) | Err(Unknown) => return None,
            };
            return Some(Effect { stack: frame.stack, next });
        }
        Some(Effect { stack: frame.stack, next: ControlTarget::At(self.original.next_pc()) })
    }
}

fn slots(stack: &[u64]) -> Vec<Option<u64>> {
    stack.iter().map(|word| Some(*word)).collect()
}

/// Words in the machine's representation: an `int` in the lower half.
struct Numbers;

/// The effect is not known.
struct Unknown;

impl From<FrameMismatch> for Unknown {
    fn from(_: FrameMismatch) -> Unknown {
        Unknown
    }
}

fn int(word: u64) -> i32 {
    word as u32 as i32
}

fn of_int(value: i32) -> u64 {
    u64::from(value as u32)
}

fn float(word: u64) -> f32 {
    f32::from_bits(word as u32)
}

fn of_float(value: f32) -> u64 {
    u64::from(value.to_bits())
}

impl Domain for Numbers {
    type Value = u64;
    type Refusal = Unknown;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<u64, Unknown> {
        Err(Unknown)
    }

    fn literal(&mut self, _: &Site<'_>, literal: Literal) -> Result<u64, Unknown> {
        Ok(match literal {
            Literal::Null => 0,
            Literal::Int(value) => of_int(value),
            Literal::Long(value) => value as u64,
            Literal::Float(value) => of_float(value),
            Literal::Double(value) => value.to_bits(),
        })
    }

    fn store(&mut self, _: &Site<'_>, _: u16, _: u64) -> Result<Option<u64>, Unknown> {
        Err(Unknown)
    }

    fn arithmetic(
        &mut self,
        _: &Site<'_>,
        operator: Arithmetic,
        ty: StackType,
        [a, b]: [u64; 2],
    ) -> Result<u64, Unknown> {
        match ty {
            StackType::Int => operator.ints(int(a), int(b)).map(of_int),
            StackType::Long => {
                let by = if operator.is_shift() { i64::from(int(b)) } else { b as i64 };
                operator.longs(a as i64, by).map(|it| it as u64)
            }
            StackType::Float => operator.floats(float(a), float(b)).map(of_float),
            StackType::Double => operator.doubles(f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits),
            _ => None,
        }
        .ok_or(Unknown)
    }

    fn negate(&mut self, _: &Site<'_>, ty: StackType, operand: u64) -> Result<u64, Unknown> {
        Ok(match ty {
            StackType::Int => of_int(int(operand).wrapping_neg()),
            StackType::Long => (operand as i64).wrapping_neg() as u64,
            StackType::Float => of_float(-float(operand)),
            StackType::Double => (-f64::from_bits(operand)).to_bits(),
            _ => return Err(Unknown),
        })
    }

    fn branch(
        &mut self,
        _: &Site<'_>,
        comparison: Comparison,
        ty: StackType,
        first: u64,
        second: Option<u64>,
    ) -> Result<Decision, Unknown> {
        let second = second.unwrap_or(0);
        let order: Ordering = match ty {
            StackType::Int => int(first).cmp(&int(second)),
            _ => first.cmp(&second),
        };
        Ok(comparison.holds(order).into())
    }

    fn switch(&mut self, _: &Site<'_>, value: u64) -> Result<Option<i32>, Unknown> {
        Ok(Some(int(value)))
    }

    fn array_store(
        &mut self,
        _: &Site<'_>,
        _: cupping_classfile::ArrayElement,
        _: u64,
        _: u64,
        _: u64,
    ) -> Result<(), Unknown> {
        Err(Unknown)
    }

    fn put_field(
        &mut self,
        _: &Site<'_>,
        _: &cupping_classfile::interpreter::FieldAccess<'_>,
        _: Option<u64>,
        _: u64,
    ) -> Result<(), Unknown> {
        Err(Unknown)
    }

    fn call(
        &mut self,
        _: &Site<'_>,
        _: &mut Frame<u64>,
        _: &cupping_classfile::interpreter::CalledMethod<'_>,
        _: Vec<u64>,
        _: Option<StackType>,
    ) -> Result<Option<u64>, Unknown> {
        Err(Unknown)
    }

    fn check_cast(&mut self, _: &Site<'_>, _: &str, _: u64) -> Result<u64, Unknown> {
        Err(Unknown)
    }

    fn monitor(&mut self, _: &Site<'_>, _: u64) -> Result<(), Unknown> {
        Err(Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::Replacement;
    use cupping_classfile::{ExceptionHandler, Opcode, Operand, Origin};
    use std::sync::Arc;

    /// A class without anything, for its constant pool.
    fn class() -> ClassFile {
        let bytes: &[u8] = &[
            0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61, 0, 3, 1, 0, 1, b'X', 7, 0, 1, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0,
        ];
        ClassFile::parse(Arc::from(bytes), "X.class", Origin::Made).unwrap()
    }

    fn code(bytes: &[u8]) -> Code {
        Code {
            max_stack: 4,
            max_locals: 1,
            bytecode: bytes.to_vec().into(),
            exception_table: Box::<[ExceptionHandler]>::default(),
            line_numbers: Default::default(),
            local_variables: Box::default(),
            stack_map: None,
        }
    }

    /// Whether a change is seen on these operands.
    fn differs(bytes: &[u8], change: &Replacement, stack: &[u64]) -> bool {
        let class = class();
        let evaluator = Evaluator::new(&class, &code(bytes), 0).unwrap();
        let parts = evaluator.parts(&change.change).unwrap();
        evaluator.changed(&parts, stack).is_none_or(|it| it != evaluator.original(stack))
    }

    #[test]
    fn a_changed_bound_is_seen_at_the_bound_only() {
        let bytes = [Opcode::IfIcmplt as u8, 0, 4, Opcode::Nop as u8, Opcode::Return as u8];
        let jump = Piece::Jump(Opcode::IfIcmple, Operand::Branch(4));
        let change = Replacement { change: Change::Code(vec![jump]), ..Replacement::bytes(vec![], "") };
        assert!(differs(&bytes, &change, &[5, 5]));
        assert!(!differs(&bytes, &change, &[4, 5]));
        assert!(!differs(&bytes, &change, &[6, 5]));
        // -1 is below 0.
        assert!(!differs(&bytes, &change, &[u64::from(u32::MAX), 0]));
    }

    #[test]
    fn arithmetic_is_seen_by_its_result() {
        let bytes = [Opcode::Iadd as u8, Opcode::Return as u8];
        let change = Replacement::bytes(vec![Opcode::Isub as u8], "");
        assert!(!differs(&bytes, &change, &[7, 0]));
        assert!(differs(&bytes, &change, &[7, 1]));
        // A division by zero throws, which is not an effect on the frame.
        let division = Replacement::bytes(vec![Opcode::Idiv as u8], "");
        assert!(differs(&[Opcode::Imul as u8, Opcode::Return as u8], &division, &[7, 0]));
    }

    #[test]
    fn results_are_compared_by_value() {
        let bytes = [Opcode::Ireturn as u8];
        let change =
            Replacement::bytes(vec![Opcode::Pop as u8, Opcode::Iconst0 as u8, Opcode::Ireturn as u8], "");
        assert!(!differs(&bytes, &change, &[0]));
        assert!(differs(&bytes, &change, &[3]));
    }
}
