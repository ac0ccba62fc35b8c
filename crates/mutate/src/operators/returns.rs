//! Return value replacement: the method returns the opposite, zero or `null`.

use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{self, *};
use cupping_classfile::{FieldType, MethodDescriptor};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "returned value",
    description: "a `boolean` result is negated, a number becomes 0 (and 0 becomes 1), a reference `null`",
    pit: &["RETURN_VALS", "PRIMITIVE_RETURNS", "NULL_RETURNS"],
    is_default: true,
    replacements: |site: &Site<'_>| changed(site).into_iter().collect(),
};

fn changed(site: &Site<'_>) -> Option<Replacement> {
    let opcode = site.instruction.opcode;
    let before = site.before.map(|it| it.opcode);
    let result = MethodDescriptor::parse(&site.method.descriptor)?.result?;
    // A method that returns constant zero returns one instead.
    let number = |zero: Opcode, one: Opcode| if before == Some(zero) { one } else { zero };
    let (drop, constant) = match opcode {
        Ireturn if result == FieldType::Boolean => {
            let bytes = vec![Iconst1 as u8, Ixor as u8, Ireturn as u8];
            let negated = Replacement::bytes(bytes, "the result is negated").with_stack(1);
            return Some(negated.named("RETURN_VALS"));
        }
        Ireturn => (Pop, number(Iconst0, Iconst1)),
        Lreturn => (Pop2, number(Lconst0, Lconst1)),
        Freturn => (Pop, number(Fconst0, Fconst1)),
        Dreturn => (Pop2, number(Dconst0, Dconst1)),
        Areturn if before != Some(AconstNull) => (Pop, AconstNull),
        _ => return None,
    };
    let (what, pit) = match constant {
        AconstNull => ("null is returned", "NULL_RETURNS"),
        Iconst0 | Lconst0 | Fconst0 | Dconst0 => ("0 is returned", "PRIMITIVE_RETURNS"),
        _ => ("1 is returned", "RETURN_VALS"),
    };
    Some(Replacement::bytes(vec![drop as u8, constant as u8, opcode as u8], what).named(pit))
}
