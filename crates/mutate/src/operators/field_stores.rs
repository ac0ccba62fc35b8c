//! Removal of stores to fields: object and value are evaluated and dropped, the field keeps what it holds.

use super::invocation::drop;
use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{Pop, Putfield, Putstatic};
use cupping_classfile::{Constant, FieldType};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "removed field store",
    description: "a value is not stored into a field",
    pit: &["EXPERIMENTAL_MEMBER_VARIABLE"],
    is_default: true,
    replacements: |site: &Site<'_>| removed(site).into_iter().collect(),
};

fn removed(site: &Site<'_>) -> Option<Replacement> {
    let opcode = site.instruction.opcode;
    if !matches!(opcode, Putfield | Putstatic) {
        return None;
    }
    let Some(Constant::Field { class, name, descriptor }) = site.instruction.constant(site.class) else {
        return None;
    };
    // Stores that the compiler makes: the outer object, captured variables, the flag of `assert`.
    if name.contains('$') {
        return None;
    }
    let mut bytes = vec![drop(&FieldType::parse(&descriptor)?)];
    if opcode == Putfield {
        bytes.push(Pop as u8);
    }
    let short = class.rsplit('/').next().unwrap_or_default();
    let what = format!("{short}.{name} is not set");
    Some(Replacement::bytes(bytes, what).named("EXPERIMENTAL_MEMBER_VARIABLE"))
}
