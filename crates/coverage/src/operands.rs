//! The operands of an instruction as readable text, if the instructions before it determine them.
//!
//! This reads backwards from one instruction, for the few instructions whose requirement has a text. A domain of the
//! abstract interpreter would run over every method to find the same, and would not stop where an expression does.

use crate::body::{CoveredBody, InstructionNode};
use crate::checks::Operands;
use cupping_classfile::{Action, Arithmetic, ArrayElement, Code, Constant, Invocation, Literal, StackType};

/// Limit on the nesting of operations in one expression; deeper ones are not spelled out.
const DEEPEST: usize = 4;

/// Left and right operand of the instruction at a node.
pub(super) fn texts(body: &CoveredBody<'_>, code: &Code, at: usize, place: Operands) -> (String, String) {
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
pub(super) fn constant_before(body: &CoveredBody<'_>, at: usize) -> Option<i64> {
    let node = &body.nodes[at.checked_sub(1).filter(|_| !body.nodes[at].label || is_line(body, at))?];
    number(body, node)?.parse().ok()
}

/// Whether the last operand of a node is a boolean, or unknown.
pub(super) fn may_be_boolean(body: &CoveredBody<'_>, code: &Code, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).filter(|_| !body.nodes[at].label || is_line(body, at)) else {
        return true;
    };
    let node = &body.nodes[before];
    match (node.opcode.action(), node.opcode.stack_type()) {
        (Action::Load, Some(StackType::Int)) => {
            match node.local().and_then(|local| code.variable_at(local, body.nodes[at].pc)) {
                Some(variable) => &*variable.descriptor == "Z",
                None => true,
            }
        }
        (Action::InstanceOf | Action::ArrayLoad(ArrayElement::Byte), _) => true,
        (Action::Arithmetic(Arithmetic::And | Arithmetic::Or | Arithmetic::Xor), Some(StackType::Int)) => {
            true
        }
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
fn is_line(body: &CoveredBody<'_>, at: usize) -> bool {
    let pc = body.nodes[at].pc;
    body.nodes[at].line_start && !body.nodes.iter().any(|node| node.targets().contains(&pc))
}

/// The expression that ends right before a node, and its start.
fn before(body: &CoveredBody<'_>, code: &Code, at: usize, depth: usize) -> Option<(String, usize)> {
    let last = at.checked_sub(1).filter(|_| depth > 0)?;
    let node = &body.nodes[last];
    if let Some(text) = number(body, node) {
        return Some((text, last));
    }
    let binary = |operator: &str| {
        let (right, middle) = before(body, code, last, depth - 1)?;
        let (left, start) = before(body, code, middle, depth - 1)?;
        Some((format!("({left} {operator} {right})"), start))
    };
    match node.opcode.action() {
        Action::Load => Some((variable(body, code, last, node.local()?), last)),
        Action::GetStatic => Some((field(body, node.constant()?)?, last)),
        Action::GetField => {
            let (object, start) = before(body, code, last, depth)?;
            let name = field(body, node.constant()?)?;
            Some((if object == "this" { name } else { format!("{object}.{name}") }, start))
        }
        Action::ArrayLength => {
            let (array, start) = before(body, code, last, depth)?;
            Some((format!("{array}.length"), start))
        }
        Action::ArrayLoad(_) => {
            let (index, middle) = before(body, code, last, depth - 1)?;
            let (array, start) = before(body, code, middle, depth - 1)?;
            Some((format!("{array}[{index}]"), start))
        }
        // Conversions that Java source omits: to a wider type.
        Action::Convert if node.opcode.stack_type() < node.opcode.result_type() => {
            before(body, code, last, depth)
        }
        Action::Invoke(Invocation::Virtual | Invocation::Interface) => {
            let Constant::Method { name, descriptor, .. } = body.file.constant(node.constant()?).ok()? else {
                return None;
            };
            let (object, start) = before(body, code, last, depth).filter(|_| descriptor.starts_with("()"))?;
            Some((if object == "this" { format!("{name}()") } else { format!("{object}.{name}()") }, start))
        }
        Action::Arithmetic(
            operator @ (Arithmetic::Add
            | Arithmetic::Subtract
            | Arithmetic::Multiply
            | Arithmetic::Divide
            | Arithmetic::Remainder
            | Arithmetic::And),
        ) => binary(operator.symbol()),
        _ => None,
    }
}

/// The name of a local variable at a node, or its slot.
fn variable(body: &CoveredBody<'_>, code: &Code, at: usize, local: u16) -> String {
    let pc = body.nodes.get(at).map_or(0, |node| node.pc);
    match code.variable_at(local, pc) {
        Some(variable) => variable.name.to_string(),
        None => format!("local {local}"),
    }
}

fn field(body: &CoveredBody<'_>, constant: u16) -> Option<String> {
    match body.file.constant(constant).ok()? {
        Constant::Field { name, .. } => Some(name.into_owned()),
        _ => None,
    }
}

/// The number that an instruction pushes, if it does.
fn number(body: &CoveredBody<'_>, node: &InstructionNode) -> Option<String> {
    let literal = match node.opcode.action() {
        Action::LoadConstant => body.file.constant(node.constant()?).ok()?.literal(),
        _ => node.literal(),
    };
    match literal? {
        Literal::Int(value) => Some(value.to_string()),
        Literal::Long(value) => Some(value.to_string()),
        Literal::Float(value) => Some(value.to_string()),
        Literal::Double(value) => Some(value.to_string()),
        Literal::Null => None,
    }
}
