//! A call as an instruction states it, and how its operands are taken from the stack.

use super::Site;
use cupping_classfile::Opcode::{
    self, Dup2X1, Dup2X2, DupX2, Invokeinterface, Invokespecial, Invokestatic, Invokevirtual, Pop, Pop2, Swap,
};
use cupping_classfile::{Constant, FieldType, MethodDescriptor};

/// A call of a method that is not a constructor.
pub(super) struct Invocation {
    /// Class and name, for display: `Till.count`.
    pub shown: String,
    /// Types of the operands, the receiver first if there is one.
    pub operands: Vec<FieldType>,
    /// Whether the first operand is a receiver.
    pub has_receiver: bool,
    /// The type of the result.
    pub result: Option<FieldType>,
}

impl Invocation {
    /// The call that the instruction makes; `None` for other instructions, `invokedynamic` and constructors.
    pub fn of(site: &Site<'_>) -> Option<Invocation> {
        let opcode = site.instruction.opcode;
        if !matches!(opcode, Invokevirtual | Invokespecial | Invokestatic | Invokeinterface) {
            return None;
        }
        let Some(Constant::Method { class, name, descriptor, .. }) = site.instruction.constant(site.class)
        else {
            return None;
        };
        if name == "<init>" {
            return None;
        }
        let parsed = MethodDescriptor::parse(&descriptor)?;
        let has_receiver = opcode != Invokestatic;
        let receiver = has_receiver.then(|| receiver_type(&class)).into_iter().collect::<Option<Vec<_>>>()?;
        let short = class.rsplit('/').next().unwrap_or_default();
        Some(Invocation {
            shown: format!("{short}.{name}"),
            operands: receiver.into_iter().chain(parsed.parameters.iter().cloned()).collect(),
            has_receiver,
            result: parsed.result,
        })
    }

    /// Instructions that drop all operands, by type, the last operand first: popping two slots at a time could split
    /// a `long`.
    pub fn drop_all(&self) -> Vec<u8> {
        self.operands.iter().rev().map(drop).collect()
    }

    /// Instructions that leave only this operand, and the additional slots they need.
    pub fn keep(&self, kept: usize) -> Option<(Vec<u8>, u16)> {
        let kept_slots = self.operands.get(kept)?.slots();
        let mut bytes: Vec<u8> = self.operands.iter().skip(kept + 1).rev().map(drop).collect();
        let mut more = 0;
        for below in self.operands[..kept].iter().rev() {
            let moves: &[Opcode] = match (below.slots(), kept_slots) {
                (1, 1) => &[Swap, Pop],
                (2, 1) => &[DupX2, Pop, Pop2],
                (1, _) => &[Dup2X1, Pop2, Pop],
                _ => &[Dup2X2, Pop2, Pop2],
            };
            bytes.extend(moves.iter().map(|it| *it as u8));
            more = if (below.slots(), kept_slots) == (1, 1) { more } else { kept_slots };
        }
        Some((bytes, more))
    }
}

/// The type of an object of this class, given as constants give it.
fn receiver_type(class: &str) -> Option<FieldType> {
    match class.starts_with('[') {
        true => FieldType::parse(class),
        false => Some(FieldType::Object(class.into())),
    }
}

/// The instruction that drops a value of this type.
pub(super) fn drop(ty: &FieldType) -> u8 {
    if ty.slots() == 2 { Pop2 as u8 } else { Pop as u8 }
}
