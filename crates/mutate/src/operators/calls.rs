//! Call removal for void methods: receiver and arguments are evaluated and dropped.

use super::invocation::Invocation;
use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::Nop;

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "removed call",
    description: "a call of a `void` method is removed, its arguments are still evaluated",
    pit: &["VOID_METHOD_CALLS"],
    is_default: true,
    replacements: |site: &Site<'_>| removed(site).into_iter().collect(),
};

fn removed(site: &Site<'_>) -> Option<Replacement> {
    let call = Invocation::of(site).filter(|call| call.result.is_none())?;
    let mut bytes = call.drop_all();
    if bytes.is_empty() {
        bytes.push(Nop as u8);
    }
    let what = format!("the call of {} is removed", call.shown);
    Some(Replacement::bytes(bytes, what).named("VOID_METHOD_CALLS"))
}
