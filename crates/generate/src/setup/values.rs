//! What the operand stack, local variables and fields hold while a set-up is read.

use cupping_case::{JavaType, Literal, VarId};

/// A value that is known, or the variable that will have it.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    /// A value that source can state. Booleans, characters, bytes and shorts are ints, as on the operand stack.
    Literal(Literal),
    /// What a step made.
    Var(VarId),
    /// The object of the test class.
    This,
    /// An object whose constructor has not been called: which one, and its class.
    New(usize, Box<str>),
    /// An array that has not been passed on yet: its place in the list of arrays.
    Array(usize),
}

/// An array while it is filled.
pub struct Filling {
    /// The type of its elements.
    pub element: JavaType,
    /// The elements.
    pub elements: Vec<Held>,
    /// The variable that it has become.
    pub var: Option<VarId>,
}

impl Held {
    /// An int on the operand stack.
    pub fn int(value: i32) -> Held {
        Held::Literal(Literal::Int(value))
    }

    /// The int that it is known to be.
    pub fn as_int(&self) -> Option<i32> {
        match self {
            Held::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        }
    }
}

/// The literal as source states it where this type is wanted; the operand stack knows ints only.
pub fn fitted(literal: Literal, ty: &JavaType) -> Literal {
    match (&literal, ty) {
        (Literal::Int(value), JavaType::Boolean) => Literal::Boolean(*value != 0),
        (Literal::Int(value), JavaType::Byte) => Literal::Byte(*value as i8),
        (Literal::Int(value), JavaType::Char) => Literal::Char(*value as u16),
        (Literal::Int(value), JavaType::Short) => Literal::Short(*value as i16),
        _ => literal,
    }
}

/// The literal as the operand stack holds it.
pub fn widened(literal: Literal) -> Literal {
    match literal {
        Literal::Boolean(value) => Literal::Int(i32::from(value)),
        Literal::Byte(value) => Literal::Int(i32::from(value)),
        Literal::Char(value) => Literal::Int(i32::from(value)),
        Literal::Short(value) => Literal::Int(i32::from(value)),
        other => other,
    }
}

/// What a field or an element holds before it is set.
pub fn zero(ty: &JavaType) -> Literal {
    match ty {
        JavaType::Long => Literal::Long(0),
        JavaType::Float => Literal::Float(0.0),
        JavaType::Double => Literal::Double(0.0),
        JavaType::Class(_) | JavaType::Array(_) => Literal::Null,
        _ => Literal::Int(0),
    }
}
