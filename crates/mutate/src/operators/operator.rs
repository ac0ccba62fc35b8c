//! What an operator is: replacements for an instruction in its context.

use cupping_classfile::{ClassFile, Instruction, Method, Opcode};

/// A mutation operator.
#[derive(Clone, Copy)]
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// A one-line description.
    pub description: &'static str,
    /// The replacements for an instruction.
    pub replacements: fn(&Site<'_>) -> Vec<Replacement>,
}

/// An instruction with its context.
pub struct Site<'a> {
    /// Its class, with the constant pool.
    pub class: &'a ClassFile,
    /// Its method.
    pub method: &'a Method,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The previous instruction.
    pub before: Option<&'a Instruction>,
}

/// A replacement for an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The new instructions. A conditional jump may be replaced by another one, whose offset
    /// [`crate::rewrite`] fills in; no other jumps are possible.
    pub bytes: Vec<u8>,
    /// Additional operand-stack slots that they need.
    pub more_stack: u16,
    /// The change, for display: `if_icmplt becomes if_icmple`.
    pub what: String,
}

impl Replacement {
    /// Replaces an instruction by another one with the same operands.
    pub(super) fn opcode(from: Opcode, to: Opcode) -> Replacement {
        let what = format!("{} becomes {}", from.mnemonic(), to.mnemonic());
        Replacement { bytes: vec![to as u8], more_stack: 0, what }
    }
}

/// Looks up an opcode in a table of pairs that may replace each other.
pub(super) fn either_way(pairs: &[(Opcode, Opcode)], opcode: Opcode) -> Option<Opcode> {
    pairs.iter().find_map(|(one, other)| match opcode {
        it if it == *one => Some(*other),
        it if it == *other => Some(*one),
        _ => None,
    })
}
