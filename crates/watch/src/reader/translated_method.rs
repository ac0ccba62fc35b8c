//! Methods translated for evaluation.

use super::stack_instruction::StackInstruction;
use cupping_classfile::Comparison;
use cupping_machine::{ClassId, Kind, MethodId};

/// An instruction. Jump targets are instruction indices.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// A constant of one slot, or of two.
    Constant(u64),
    Wide(u64),
    Load(u32),
    LoadWide(u32),
    Store(u32),
    StoreWide(u32),
    Increment(u32, i32),
    /// An instruction that works on the stack alone.
    Plain(StackInstruction),
    /// Reads an element of an array, or its length.
    Element,
    Length,
    /// A jump; the flag marks a backward jump.
    Jump(JumpTest, usize, bool),
    Table(Box<(i32, Vec<usize>, usize)>),
    Lookup(Box<(Vec<(i32, usize)>, usize)>),
    Field(u32, bool),
    /// A static field of an initialised class.
    Static(ClassId, std::sync::Arc<str>, bool),
    InstanceOf(ClassId),
    Cast(ClassId),
    /// A call, with its number of argument slots and its dispatch.
    Call(MethodId, u32, Dispatch),
    Return(Kind),
    /// Any other instruction: evaluation gives up.
    Unknown,
}

/// Whether a jump is taken.
#[derive(Clone, Copy, Debug)]
pub(super) enum JumpTest {
    Always,
    /// An int compared with 0, or two ints.
    Int(Comparison),
    Ints(Comparison),
    /// A reference compared with `null`, or two references; whether they are to be equal.
    Null(bool),
    Same(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dispatch {
    Static,
    Direct,
    Virtual,
}

/// A method translated for evaluation.
#[derive(Debug)]
pub(crate) struct TranslatedMethod {
    pub(super) ops: Vec<Op>,
    /// Slots of the locals, and of locals and stack together.
    pub(super) locals: usize,
    pub(super) slots: usize,
    pub(super) parameters: Vec<Kind>,
}

impl TranslatedMethod {
    /// Number of arguments, including the receiver.
    pub(crate) fn parameters(&self) -> usize {
        self.parameters.len()
    }
}
