//! The frame of a set-up method during reading: operand stack, local variables, and the effects of
//! instructions on known values.

use super::values::KnownValue;
use cupping_case::{JavaType, Literal};
use cupping_classfile::{ClassFile, Constant, Opcode};

/// Why a set-up cannot be read.
pub enum Refusal {
    /// The problem with the current instruction.
    Here(String),
    /// The problem with its place.
    Placed(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Here(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal::Here(why.into())
    }
}

impl Refusal {
    /// The text, with this place if it has none.
    pub fn at(self, place: &str) -> String {
        match self {
            Refusal::Here(why) => format!("{place}: {why}"),
            Refusal::Placed(why) => why,
        }
    }
}

/// The operand stack and local variables.
pub struct Frame {
    /// The operand stack.
    pub stack: Vec<KnownValue>,
    /// Local variables, `None` before they are set.
    pub locals: Vec<Option<KnownValue>>,
}

impl Frame {
    pub fn pop(&mut self) -> Result<KnownValue, Refusal> {
        self.stack.pop().ok_or_else(|| Refusal::from("a damaged stack"))
    }

    pub fn int(&mut self) -> Result<i32, Refusal> {
        self.pop()?.as_int().ok_or_else(|| Refusal::from("a number that depends on a run"))
    }

    pub fn load(&mut self, local: u16) -> Result<(), Refusal> {
        let held = self.locals.get(usize::from(local)).cloned().flatten();
        self.stack.push(held.ok_or("a local variable that is not set")?);
        Ok(())
    }

    pub fn store(&mut self, local: u16) -> Result<(), Refusal> {
        let local = usize::from(local);
        if self.locals.len() <= local {
            self.locals.resize(local + 1, None);
        }
        self.locals[local] = Some(self.pop()?);
        Ok(())
    }
}

/// The value of a constant.
pub fn constant(file: &ClassFile, index: u16) -> Result<KnownValue, Refusal> {
    Ok(KnownValue::Literal(match file.constant(index) {
        Ok(Constant::Integer(value)) => Literal::Int(value),
        Ok(Constant::Long(value)) => Literal::Long(value),
        Ok(Constant::Float(value)) => Literal::Float(value),
        Ok(Constant::Double(value)) => Literal::Double(value),
        Ok(Constant::String(units)) => Literal::String(units),
        Ok(Constant::Class(class)) => Literal::Class(class_type(&class)),
        _ => return Err("a constant that is computed".into()),
    }))
}

/// The type of a class constant: a class by internal name, an array by descriptor.
pub fn class_type(class: &str) -> JavaType {
    JavaType::parse(class)
        .filter(|ty| matches!(ty, JavaType::Array(_)))
        .unwrap_or_else(|| JavaType::class(class))
}

/// The result of an instruction on two ints.
pub fn arithmetic(opcode: Opcode, a: i32, b: i32) -> Result<i32, Refusal> {
    Ok(match opcode {
        Opcode::Iadd => a.wrapping_add(b),
        Opcode::Isub => a.wrapping_sub(b),
        Opcode::Imul => a.wrapping_mul(b),
        Opcode::Idiv if b != 0 => a.wrapping_div(b),
        Opcode::Irem if b != 0 => a.wrapping_rem(b),
        Opcode::Ishl => a.wrapping_shl(b as u32),
        Opcode::Ishr => a.wrapping_shr(b as u32),
        Opcode::Iand => a & b,
        Opcode::Ior => a | b,
        Opcode::Ixor => a ^ b,
        _ => return Err("a division by zero".into()),
    })
}

/// The comparison of the `n`th instruction of `ifeq, ifne, iflt, ifge, ifgt, ifle`.
pub fn compare(n: u8, a: i32, b: i32) -> bool {
    match n {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a >= b,
        4 => a > b,
        _ => a <= b,
    }
}
