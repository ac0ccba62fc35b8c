//! Operators: changes of a method at an instruction, in its context.

use super::strings::Strings;
use cupping_classfile::{ClassFile, Code, Instruction, Method, Opcode, Operand};

/// A mutation operator.
#[derive(Clone, Copy)]
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// A one-line description.
    pub description: &'static str,
    /// The names that PIT has for its changes; empty if PIT makes none of them.
    pub pit: &'static [&'static str],
    /// Whether it is used unless operators are chosen.
    pub is_default: bool,
    /// The changes at an instruction.
    pub replacements: fn(&Site<'_>) -> Vec<Replacement>,
}

/// An instruction with its context.
pub struct Site<'a> {
    /// Its class, with the constant pool.
    pub class: &'a ClassFile,
    /// The string constants of the class.
    pub strings: &'a Strings,
    /// Its method.
    pub method: &'a Method,
    /// The body of the method.
    pub code: &'a Code,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The previous instruction.
    pub before: Option<&'a Instruction>,
    /// The instructions behind it.
    pub rest: &'a [Instruction],
}

/// A change of a method at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The replacement of the instruction, or its removal.
    pub change: Change,
    /// Additional operand-stack slots that the change needs.
    pub more_stack: u16,
    /// The change, for display: `if_icmplt becomes if_icmple`.
    pub what: String,
    /// The name that PIT has for it.
    pub pit: Option<&'static str>,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Other instructions replace the instruction.
    Code(Vec<Piece>),
    /// These rows of the exception table are dropped; their handler begins at the instruction.
    Handlers(Vec<usize>),
}

/// A part of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Instructions that do not jump.
    Bytes(Vec<u8>),
    /// A jump or switch, whose targets are pcs of the original.
    Jump(Opcode, Operand),
    /// The instruction that is replaced.
    Original,
}

impl Replacement {
    /// Replaces the instruction by instructions that do not jump.
    pub(crate) fn bytes(bytes: Vec<u8>, what: impl Into<String>) -> Replacement {
        Replacement {
            change: Change::Code(vec![Piece::Bytes(bytes)]),
            more_stack: 0,
            what: what.into(),
            pit: None,
        }
    }

    /// Replaces an instruction by another one with the same operands.
    pub(super) fn opcode(from: &Instruction, to: Opcode) -> Replacement {
        let what = format!("{} becomes {}", from.opcode.mnemonic(), to.mnemonic());
        match &from.operand {
            Operand::None => Replacement::bytes(vec![to as u8], what),
            operand => Replacement {
                change: Change::Code(vec![Piece::Jump(to, operand.clone())]),
                more_stack: 0,
                what,
                pit: None,
            },
        }
    }

    /// The same replacement, with this many additional slots.
    pub(super) fn with_stack(self, more_stack: u16) -> Replacement {
        Replacement { more_stack, ..self }
    }

    /// The same, which PIT has under this name.
    pub(super) fn named(self, pit: &'static str) -> Replacement {
        Replacement { pit: Some(pit), ..self }
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
