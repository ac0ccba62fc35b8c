//! Call removal for void methods: receiver and arguments are evaluated and dropped.

use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{
    Invokeinterface, Invokespecial, Invokestatic, Invokevirtual, Nop, Pop, Pop2,
};
use cupping_classfile::{Constant, MethodDescriptor, Operand};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "removed call",
    description: "a call of a `void` method is removed, its arguments are still evaluated",
    replacements: |site: &Site<'_>| removed(site).into_iter().collect(),
};

fn removed(site: &Site<'_>) -> Option<Replacement> {
    let opcode = site.instruction.opcode;
    if !matches!(opcode, Invokevirtual | Invokespecial | Invokestatic | Invokeinterface) {
        return None;
    }
    let (Operand::Constant(index) | Operand::InvokeInterface { constant: index, .. }) =
        site.instruction.operand
    else {
        return None;
    };
    let Ok(Constant::Method { class, name, descriptor, .. }) = site.class.constant(index) else {
        return None;
    };
    let parsed = MethodDescriptor::parse(&descriptor)?;
    // An object needs a constructor call to be valid.
    if parsed.result.is_some() || name == "<init>" {
        return None;
    }
    let mut bytes: Vec<u8> = Vec::new();
    // Popping two slots at a time could split a `long`, so pop by type, last argument first.
    for parameter in parsed.parameters.iter().rev() {
        bytes.push(if parameter.slots() == 2 { Pop2 } else { Pop } as u8);
    }
    if opcode != Invokestatic {
        bytes.push(Pop as u8);
    }
    if bytes.is_empty() {
        bytes.push(Nop as u8);
    }
    let short = class.rsplit('/').next().unwrap_or_default();
    Some(Replacement { bytes, more_stack: 0, what: format!("the call of {short}.{name} is removed") })
}
