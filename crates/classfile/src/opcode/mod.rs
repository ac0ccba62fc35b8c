//! The instruction set, one row per opcode ([`table`](Opcode)): code, mnemonic, form of the operands, effect on the
//! operand stack, and action.
//!
//! The decoder, the disassembler, and every analysis of bytecode read these rows. They do not list opcodes themselves:
//! they ask an opcode for its [`Effect`], its [`Action`], its local variable, and its literal. Only the verifier of the
//! machine keeps a description of its own, because tests compare the two.

mod action;
mod concrete;
mod effect;
mod table;

pub use action::{Action, Arithmetic, ArrayElement, Comparison, Invocation, Literal};
pub use effect::{Effect, Shuffle, StackItem, StackType};
pub use table::Opcode;

use std::sync::LazyLock;

/// Form of the operands that follow an opcode (JVMS §6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// None.
    None,
    /// A signed byte (`bipush`).
    Byte,
    /// A signed 16-bit value (`sipush`).
    Short,
    /// A local variable: a byte, or 16 bits after `wide`.
    Local,
    /// A local variable and a signed increment, a byte each, or 16 bits each after `wide`.
    LocalIncrement,
    /// A constant pool index of one byte (`ldc`).
    ConstantByte,
    /// A constant pool index of 16 bits.
    Constant,
    /// A constant pool index, a count of argument slots and a zero byte.
    InvokeInterface,
    /// A constant pool index and two zero bytes.
    InvokeDynamic,
    /// A constant pool index and a number of dimensions.
    MultiArray,
    /// A code of a primitive type.
    ArrayType,
    /// A signed 16-bit offset from the opcode.
    Branch,
    /// A signed 32-bit offset from the opcode.
    BranchWide,
    /// Padding, default, low, high, offsets.
    TableSwitch,
    /// Padding, default, number of pairs, pairs.
    LookupSwitch,
    /// A prefix: an opcode with wide operands follows.
    Wide,
}

static GENERAL: LazyLock<Vec<Opcode>> =
    LazyLock::new(|| Opcode::ALL.iter().map(|opcode| opcode.find_general()).collect());

/// What the table says about one opcode.
struct OpcodeRow {
    mnemonic: &'static str,
    operands: OperandKind,
    effect: Effect,
    action: Action,
    /// The local variable or number that the opcode itself names, such as 2 for `iload_2` and `iconst_2`.
    implied: Option<i8>,
}

impl Opcode {
    /// Its name in the specification.
    pub const fn mnemonic(self) -> &'static str {
        self.row().mnemonic
    }

    /// Form of its operands.
    pub const fn operand_kind(self) -> OperandKind {
        self.row().operands
    }

    /// Its effect on the operand stack.
    pub const fn effect(self) -> &'static Effect {
        &self.row().effect
    }

    /// What it does.
    pub const fn action(self) -> Action {
        self.row().action
    }

    /// The type that it works on: that of its first operand, or else of its result. `None` if it has neither, or if the
    /// constant pool decides.
    ///
    /// This is the type of what a load, a store, a return, an arithmetic instruction, a comparison, or a branch moves
    /// or compares, and the source type of a conversion.
    pub const fn stack_type(self) -> Option<StackType> {
        match self.effect() {
            Effect::Values { pops: [first, ..], .. } | Effect::Values { pops: [], pushes: [first, ..] } => {
                first.stack_type()
            }
            _ => None,
        }
    }

    /// The type of its result. `None` if it has none, or if the constant pool decides.
    pub const fn result_type(self) -> Option<StackType> {
        match self.effect() {
            Effect::Values { pushes: [result], .. } => result.stack_type(),
            _ => None,
        }
    }

    /// The local variable that the opcode itself names: 2 for `iload_2`.
    pub const fn implied_local(self) -> Option<u16> {
        match (self.row().implied, self.action()) {
            (Some(local), Action::Load | Action::Store) => Some(local as u16),
            _ => None,
        }
    }

    /// The value that the opcode itself names: 2 for `iconst_2`.
    pub const fn implied_literal(self) -> Option<Literal> {
        let (Some(number), Action::Constant) = (self.row().implied, self.action()) else { return None };
        Some(match self.result_type() {
            Some(StackType::Int) => Literal::Int(number as i32),
            Some(StackType::Long) => Literal::Long(number as i64),
            Some(StackType::Float) => Literal::Float(number as f32),
            Some(StackType::Double) => Literal::Double(number as f64),
            _ => Literal::Null,
        })
    }

    /// The opcode that does the same and names everything by operands: `iload` for `iload_2`, `ldc` for `ldc_w` and
    /// `ldc2_w`, `goto` for `goto_w`. The opcode itself if there is no other, and for constants.
    pub fn general(self) -> Opcode {
        GENERAL[self as usize]
    }

    fn find_general(self) -> Opcode {
        let is_form = |other: &Opcode| {
            other.action() == self.action()
                && other.stack_type() == self.stack_type()
                && other.row().implied.is_none()
        };
        match self.action() {
            Action::Load | Action::Store | Action::LoadConstant | Action::Goto | Action::Jsr => {
                Opcode::ALL.iter().copied().find(is_form).unwrap_or(self)
            }
            _ => self,
        }
    }

    /// Whether the next instruction is not reached by falling through this one.
    pub const fn ends_path(self) -> bool {
        matches!(
            self.action(),
            Action::Goto | Action::Jsr | Action::Ret | Action::Switch | Action::Return | Action::Throw
        )
    }

    /// Whether it takes a two-way decision.
    pub const fn is_conditional_branch(self) -> bool {
        matches!(self.action(), Action::Branch(_))
    }

    /// Whether it returns from the method.
    pub const fn is_return(self) -> bool {
        matches!(self.action(), Action::Return)
    }

    /// Whether it calls a method, a call site of `invokedynamic` included.
    pub const fn is_invocation(self) -> bool {
        matches!(self.action(), Action::Invoke(_))
    }

    /// Whether it can throw an exception that the specification lists for it (JVMS §6.5), without errors of linkage,
    /// of constants, and of unbalanced monitors at a return.
    pub const fn may_throw(self) -> bool {
        use Action::*;
        match self.action() {
            Arithmetic(operator) => {
                operator.checks_divisor()
                    && matches!(self.stack_type(), Some(StackType::Int | StackType::Long))
            }
            ArrayLoad(_) | ArrayStore(_) | GetField | PutField | GetStatic | PutStatic | Invoke(_) | New
            | NewArray | NewMultiArray | ArrayLength | Throw | CheckCast | MonitorEnter | MonitorExit => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
