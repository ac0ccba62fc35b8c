//! Boundary change: exclusive bounds become inclusive and vice versa.

use super::operator::either_way;
use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{self, *};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "changed bound",
    description: "`<` becomes `<=`, `>=` becomes `>`",
    pit: &["CONDITIONALS_BOUNDARY"],
    is_default: true,
    replacements: |site: &Site<'_>| {
        let from = site.instruction;
        let to = either_way(BOUNDS, from.opcode);
        to.map(|to| Replacement::opcode(from, to).named("CONDITIONALS_BOUNDARY")).into_iter().collect()
    },
};

const BOUNDS: &[(Opcode, Opcode)] = &[(Iflt, Ifle), (Ifge, Ifgt), (IfIcmplt, IfIcmple), (IfIcmpge, IfIcmpgt)];
