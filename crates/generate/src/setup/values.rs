//! The values of operand stack, local variables and fields while a set-up is read.

use cupping_case::{JavaType, Literal, VarId};

/// A known value, or the variable that will hold it.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownValue {
    /// A literal. Booleans, characters, bytes and shorts are ints, as on the operand stack.
    Literal(Literal),
    /// The result of a step.
    Var(VarId),
    /// The test object.
    This,
    /// An object whose constructor has not been called: its number and class.
    New(usize, Box<str>),
    /// An array that has not been passed on yet, by its index in the list of arrays.
    Array(usize),
}

/// An array under construction.
pub struct PartialArray {
    /// The type of its elements.
    pub element: JavaType,
    /// The elements.
    pub elements: Vec<KnownValue>,
    /// The variable that it has become.
    pub var: Option<VarId>,
}

impl KnownValue {
    /// An int on the operand stack.
    pub fn int(value: i32) -> KnownValue {
        KnownValue::Literal(Literal::Int(value))
    }

    /// Its int value, if it is known.
    pub fn as_int(&self) -> Option<i32> {
        match self {
            KnownValue::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        }
    }
}

/// Converts a literal from the operand stack's representation to a declared type.
pub fn fitted(literal: Literal, ty: &JavaType) -> Literal {
    match (&literal, ty) {
        (Literal::Int(value), JavaType::Boolean) => Literal::Boolean(*value != 0),
        (Literal::Int(value), JavaType::Byte) => Literal::Byte(*value as i8),
        (Literal::Int(value), JavaType::Char) => Literal::Char(*value as u16),
        (Literal::Int(value), JavaType::Short) => Literal::Short(*value as i16),
        _ => literal,
    }
}

/// Converts a literal to the operand stack's representation.
pub fn widened(literal: Literal) -> Literal {
    match literal {
        Literal::Boolean(value) => Literal::Int(i32::from(value)),
        Literal::Byte(value) => Literal::Int(i32::from(value)),
        Literal::Char(value) => Literal::Int(i32::from(value)),
        Literal::Short(value) => Literal::Int(i32::from(value)),
        other => other,
    }
}

/// The default value of a field or element.
pub fn zero(ty: &JavaType) -> Literal {
    match ty {
        JavaType::Long => Literal::Long(0),
        JavaType::Float => Literal::Float(0.0),
        JavaType::Double => Literal::Double(0.0),
        JavaType::Class(_) | JavaType::Array(_) => Literal::Null,
        _ => Literal::Int(0),
    }
}
