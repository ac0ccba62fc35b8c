//! Replacement of a call by a default value: receiver and arguments are evaluated and dropped.

use super::invocation::Invocation;
use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{AconstNull, Dconst0, Fconst0, Iconst0, Lconst0};
use cupping_classfile::StackType;

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "call's result",
    description: "a call of a method with a result is removed, and 0, `false` or `null` is the result",
    pit: &["NON_VOID_METHOD_CALLS"],
    is_default: false,
    replacements: |site: &Site<'_>| replaced(site).into_iter().collect(),
};

fn replaced(site: &Site<'_>) -> Option<Replacement> {
    let call = Invocation::of(site)?;
    let (constant, shown) = match call.result.as_ref()?.stack_type() {
        StackType::Int => (Iconst0, "0"),
        StackType::Long => (Lconst0, "0"),
        StackType::Float => (Fconst0, "0"),
        StackType::Double => (Dconst0, "0"),
        _ => (AconstNull, "null"),
    };
    let mut bytes = call.drop_all();
    bytes.push(constant as u8);
    let what = format!("the call of {} becomes {shown}", call.shown);
    // Without operands the result takes slots that the call takes too.
    Some(Replacement::bytes(bytes, what).named("NON_VOID_METHOD_CALLS"))
}
