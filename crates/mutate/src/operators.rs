//! The operators, one file each.

mod arithmetic;
mod bounds;
mod calls;
mod conditions;
mod returns;

use cupping_classfile::{ClassFile, Instruction, Method, Opcode};

/// A way to put faults into code.
#[derive(Clone, Copy)]
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    /// By what an instruction may be replaced.
    pub replacements: fn(&Site<'_>) -> Vec<Replacement>,
}

/// All operators, in the order of reports.
pub const ALL: &[Operator] =
    &[conditions::OPERATOR, bounds::OPERATOR, arithmetic::OPERATOR, calls::OPERATOR, returns::OPERATOR];

/// An instruction that an operator looks at.
pub struct Site<'a> {
    /// Its class, with the constants that it refers to.
    pub class: &'a ClassFile,
    /// Its method.
    pub method: &'a Method,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The one before it in the code.
    pub before: Option<&'a Instruction>,
}

/// What stands in an instruction's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The instructions. A conditional jump is replaced by another one, whose offset [`crate::rewrite`] fills in; nothing
    /// else jumps.
    pub bytes: Vec<u8>,
    /// Slots of the operand stack that they take beyond what the method does.
    pub more_stack: u16,
    /// What became of what, for people: `if_icmplt becomes if_icmple`.
    pub what: String,
}

impl Replacement {
    /// An instruction by another one with the same operands.
    fn opcode(from: Opcode, to: Opcode) -> Replacement {
        let what = format!("{} becomes {}", from.mnemonic(), to.mnemonic());
        Replacement { bytes: vec![to as u8], more_stack: 0, what }
    }
}

/// The partner of an opcode in a table of pairs of which each may become the other.
fn either_way(pairs: &[(Opcode, Opcode)], opcode: Opcode) -> Option<Opcode> {
    pairs.iter().find_map(|(one, other)| match opcode {
        it if it == *one => Some(*other),
        it if it == *other => Some(*one),
        _ => None,
    })
}
