//! Arithmetic operator replacement: another operation on the same operands.

use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{self, *};
use cupping_classfile::Operand;

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "arithmetic",
    description: "`+` becomes `-`, `*` becomes `/`, `<<` becomes `>>`, `&` becomes `|`, `i++` becomes `i--`",
    pit: &["MATH", "INCREMENTS", "INVERT_NEGS"],
    is_default: true,
    replacements,
};

fn replacements(site: &Site<'_>) -> Vec<Replacement> {
    let from = site.instruction.opcode;
    if let Operand::LocalIncrement { local, by } = site.instruction.operand {
        return increment(local, by).into_iter().collect();
    }
    let to = OPERATIONS.iter().find(|(one, _)| *one == from).map(|(_, other)| *other);
    let negation = matches!(from, Ineg | Lneg | Fneg | Dneg).then(|| {
        let what = format!("{} is removed", from.mnemonic());
        Replacement::bytes(vec![Nop as u8], what).named("INVERT_NEGS")
    });
    let other = to.map(|to| Replacement::opcode(site.instruction, to).named("MATH"));
    other.into_iter().chain(negation).collect()
}

/// Reverses the increment of a local variable.
fn increment(local: u16, by: i16) -> Option<Replacement> {
    let back = by.checked_neg().filter(|_| by != 0)?;
    let mut bytes = vec![Wide as u8, Iinc as u8];
    bytes.extend(local.to_be_bytes());
    bytes.extend(back.to_be_bytes());
    Some(Replacement::bytes(bytes, format!("iinc by {by} becomes by {back}")).named("INCREMENTS"))
}

const OPERATIONS: &[(Opcode, Opcode)] = &[
    (Iadd, Isub),
    (Isub, Iadd),
    (Ladd, Lsub),
    (Lsub, Ladd),
    (Fadd, Fsub),
    (Fsub, Fadd),
    (Dadd, Dsub),
    (Dsub, Dadd),
    (Imul, Idiv),
    (Idiv, Imul),
    (Lmul, Ldiv),
    (Ldiv, Lmul),
    (Fmul, Fdiv),
    (Fdiv, Fmul),
    (Dmul, Ddiv),
    (Ddiv, Dmul),
    (Irem, Imul),
    (Lrem, Lmul),
    (Frem, Fmul),
    (Drem, Dmul),
    (Ishl, Ishr),
    (Ishr, Ishl),
    (Iushr, Ishl),
    (Lshl, Lshr),
    (Lshr, Lshl),
    (Lushr, Lshl),
    (Iand, Ior),
    (Ior, Iand),
    (Ixor, Iand),
    (Land, Lor),
    (Lor, Land),
    (Lxor, Land),
];
