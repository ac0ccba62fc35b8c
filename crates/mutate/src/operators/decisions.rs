//! Removal of conditions: a jump is always taken, or never. The operands are still evaluated.

use super::{Change, Operator, Piece, Replacement, Site};
use cupping_classfile::Opcode::{Goto, Pop, Pop2};
use cupping_classfile::{Action, Comparison, Operand};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "removed condition",
    description: "a conditional jump is always taken, or never",
    pit: &[
        "REMOVE_CONDITIONALS_EQUAL_IF",
        "REMOVE_CONDITIONALS_EQUAL_ELSE",
        "REMOVE_CONDITIONALS_ORDER_IF",
        "REMOVE_CONDITIONALS_ORDER_ELSE",
    ],
    is_default: true,
    replacements: removed,
};

fn removed(site: &Site<'_>) -> Vec<Replacement> {
    let (Action::Branch(comparison), Operand::Branch(target)) =
        (site.instruction.action(), &site.instruction.operand)
    else {
        return Vec::new();
    };
    if *target == site.instruction.next_pc() {
        return Vec::new();
    }
    let Some((slots, _)) = site.instruction.slots(site.class) else { return Vec::new() };
    let operands = Piece::Bytes(vec![if slots == 2 { Pop2 as u8 } else { Pop as u8 }]);
    let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    let mnemonic = site.instruction.opcode.mnemonic();
    // javac jumps over the block of an `if`: PIT's IF is the jump that is never taken.
    let (never, always) = match is_equality {
        true => ("REMOVE_CONDITIONALS_EQUAL_IF", "REMOVE_CONDITIONALS_EQUAL_ELSE"),
        false => ("REMOVE_CONDITIONALS_ORDER_IF", "REMOVE_CONDITIONALS_ORDER_ELSE"),
    };
    let replacement = |pieces: Vec<Piece>, when: &str, pit| Replacement {
        change: Change::Code(pieces),
        more_stack: 0,
        what: format!("{mnemonic} {when} jumps"),
        pit: Some(pit),
    };
    vec![
        replacement(vec![operands.clone()], "never", never),
        replacement(vec![operands, Piece::Jump(Goto, Operand::Branch(*target))], "always", always),
    ]
}
