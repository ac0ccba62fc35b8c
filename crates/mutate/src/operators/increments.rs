//! Removal of increments of local variables.

use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::Nop;
use cupping_classfile::Operand;

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "removed increment",
    description: "`i++` does nothing",
    pit: &["REMOVE_INCREMENTS"],
    is_default: false,
    replacements: |site: &Site<'_>| match site.instruction.operand {
        Operand::LocalIncrement { by, .. } if by != 0 => {
            let what = format!("iinc by {by} is removed");
            vec![Replacement::bytes(vec![Nop as u8], what).named("REMOVE_INCREMENTS")]
        }
        _ => Vec::new(),
    },
};
