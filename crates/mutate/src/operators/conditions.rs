//! Condition negation: a jump is taken exactly when the original was not.

use super::operator::either_way;
use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{self, *};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "negated condition",
    description: "`==` becomes `!=`, `<` becomes `>=`, `null` becomes not `null`",
    pit: &["NEGATE_CONDITIONALS"],
    is_default: true,
    replacements: |site: &Site<'_>| {
        let from = site.instruction;
        let to = either_way(NEGATIONS, from.opcode);
        to.map(|to| Replacement::opcode(from, to).named("NEGATE_CONDITIONALS")).into_iter().collect()
    },
};

const NEGATIONS: &[(Opcode, Opcode)] = &[
    (Ifeq, Ifne),
    (Iflt, Ifge),
    (Ifgt, Ifle),
    (IfIcmpeq, IfIcmpne),
    (IfIcmplt, IfIcmpge),
    (IfIcmpgt, IfIcmple),
    (IfAcmpeq, IfAcmpne),
    (Ifnull, Ifnonnull),
];
