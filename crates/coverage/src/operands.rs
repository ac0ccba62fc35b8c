//! The operands of an instruction as people read them, where the instructions before it tell.

use crate::body::Body;
use crate::checks::Operands;
use cupping_classfile::{Code, Constant, Opcode, Operand};

/// Operations in one expression at most; what is deeper is not spelled out.
const DEEPEST: usize = 4;

/// Left and right operand of the instruction at a node.
pub(super) fn texts(body: &Body<'_>, code: &Code, at: usize, place: Operands) -> (String, String) {
    let unknown = || (String::from("left"), String::from("right"));
    match place {
        Operands::LocalAndConstant(local, by) => (variable(body, code, at + 1, local), by.to_string()),
        Operands::IntAndZero | Operands::LongAndZero => {
            let left = before(body, code, at, DEEPEST).map_or_else(|| "value".into(), |(text, _)| text);
            (left, "0".into())
        }
        _ => {
            let Some((right, start)) = before(body, code, at, DEEPEST) else { return unknown() };
            let left = before(body, code, start, DEEPEST).map_or_else(|| "left".into(), |(text, _)| text);
            (left, right)
        }
    }
}

/// A number or expression and `by` more.
pub(super) fn moved(text: &str, by: i64) -> String {
    match text.parse::<i64>() {
        Ok(number) => number.wrapping_add(by).to_string(),
        Err(_) if by < 0 => format!("{text} - {}", -by),
        Err(_) => format!("{text} + {by}"),
    }
}

/// The constant that the instruction before a node pushes.
pub(super) fn constant_before(body: &Body<'_>, at: usize) -> Option<i64> {
    let node = &body.nodes[at.checked_sub(1).filter(|_| !body.nodes[at].label || is_line(body, at))?];
    number(body, node.opcode, &node.operand)?.parse().ok()
}

/// Whether the last operand of a node is a boolean, or nothing tells.
pub(super) fn may_be_boolean(body: &Body<'_>, code: &Code, at: usize) -> bool {
    use Opcode::*;
    let Some(before) = at.checked_sub(1).filter(|_| !body.nodes[at].label || is_line(body, at)) else {
        return true;
    };
    let node = &body.nodes[before];
    match node.opcode {
        Iload => match node.local().and_then(|local| code.variable_at(local, body.nodes[at].pc)) {
            Some(variable) => &*variable.descriptor == "Z",
            None => true,
        },
        Instanceof | Baload | Iand | Ior | Ixor => true,
        _ => {
            let constant = node.constant().and_then(|constant| body.file.constant(constant).ok());
            match constant {
                Some(Constant::Field { descriptor, .. }) => descriptor == "Z",
                Some(Constant::Method { descriptor, .. } | Constant::InvokeDynamic { descriptor, .. }) => {
                    descriptor.ends_with(")Z")
                }
                _ => false,
            }
        }
    }
}

/// Whether a node has its label because a line begins there, not because something jumps to it.
fn is_line(body: &Body<'_>, at: usize) -> bool {
    let pc = body.nodes[at].pc;
    body.nodes[at].line_start && !body.nodes.iter().any(|node| node.targets().contains(&pc))
}

/// The expression that ends right before a node, and where it begins.
fn before(body: &Body<'_>, code: &Code, at: usize, depth: usize) -> Option<(String, usize)> {
    use Opcode::*;
    let last = at.checked_sub(1).filter(|_| depth > 0)?;
    let node = &body.nodes[last];
    if let Some(text) = number(body, node.opcode, &node.operand) {
        return Some((text, last));
    }
    let binary = |operator: &str| {
        let (right, middle) = before(body, code, last, depth - 1)?;
        let (left, start) = before(body, code, middle, depth - 1)?;
        Some((format!("({left} {operator} {right})"), start))
    };
    match node.opcode {
        Iload | Lload | Fload | Dload | Aload => Some((variable(body, code, last, node.local()?), last)),
        Getstatic => Some((field(body, node.constant()?)?, last)),
        Getfield => {
            let (object, start) = before(body, code, last, depth)?;
            let name = field(body, node.constant()?)?;
            Some((if object == "this" { name } else { format!("{object}.{name}") }, start))
        }
        Arraylength => {
            let (array, start) = before(body, code, last, depth)?;
            Some((format!("{array}.length"), start))
        }
        Iaload | Laload | Faload | Daload | Aaload | Baload | Caload | Saload => {
            let (index, middle) = before(body, code, last, depth - 1)?;
            let (array, start) = before(body, code, middle, depth - 1)?;
            Some((format!("{array}[{index}]"), start))
        }
        I2l | I2f | I2d | L2f | L2d | F2d => before(body, code, last, depth),
        Invokevirtual | Invokeinterface => {
            let Constant::Method { name, descriptor, .. } = body.file.constant(node.constant()?).ok()? else {
                return None;
            };
            let (object, start) = before(body, code, last, depth).filter(|_| descriptor.starts_with("()"))?;
            Some((if object == "this" { format!("{name}()") } else { format!("{object}.{name}()") }, start))
        }
        Iadd | Ladd | Fadd | Dadd => binary("+"),
        Isub | Lsub | Fsub | Dsub => binary("-"),
        Imul | Lmul | Fmul | Dmul => binary("*"),
        Idiv | Ldiv | Fdiv | Ddiv => binary("/"),
        Irem | Lrem | Frem | Drem => binary("%"),
        Iand | Land => binary("&"),
        _ => None,
    }
}

/// The name of a local variable at a node, or its slot.
fn variable(body: &Body<'_>, code: &Code, at: usize, local: u16) -> String {
    let pc = body.nodes.get(at).map_or(0, |node| node.pc);
    match code.variable_at(local, pc) {
        Some(variable) => variable.name.to_string(),
        None => format!("local {local}"),
    }
}

fn field(body: &Body<'_>, constant: u16) -> Option<String> {
    match body.file.constant(constant).ok()? {
        Constant::Field { name, .. } => Some(name.into_owned()),
        _ => None,
    }
}

/// The number that an instruction pushes, if it does.
fn number(body: &Body<'_>, opcode: Opcode, operand: &Operand) -> Option<String> {
    let code = opcode as u8;
    if (Opcode::IconstM1..=Opcode::Iconst5).contains(&opcode) {
        return Some((i32::from(code) - i32::from(Opcode::Iconst0 as u8)).to_string());
    }
    match opcode {
        Opcode::Lconst0 | Opcode::Fconst0 | Opcode::Dconst0 => Some("0".into()),
        Opcode::Lconst1 | Opcode::Fconst1 | Opcode::Dconst1 => Some("1".into()),
        Opcode::Fconst2 => Some("2".into()),
        Opcode::Bipush | Opcode::Sipush => match operand {
            Operand::Immediate(value) => Some(value.to_string()),
            _ => None,
        },
        Opcode::Ldc => {
            let Operand::Constant(constant) = operand else { return None };
            match body.file.constant(*constant).ok()? {
                Constant::Integer(value) => Some(value.to_string()),
                Constant::Long(value) => Some(value.to_string()),
                Constant::Float(value) => Some(value.to_string()),
                Constant::Double(value) => Some(value.to_string()),
                _ => None,
            }
        }
        _ => None,
    }
}
