//! Replacement of a call by one of its operands, of the type of the result.

use super::invocation::Invocation;
use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::Nop;

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "propagated argument",
    description: "a call is replaced by an argument, or by its receiver, of the type of the result",
    pit: &["EXPERIMENTAL_ARGUMENT_PROPAGATION", "EXPERIMENTAL_NAKED_RECEIVER"],
    is_default: true,
    replacements: |site: &Site<'_>| Invocation::of(site).map_or_else(Vec::new, |call| propagated(&call)),
};

fn propagated(call: &Invocation) -> Vec<Replacement> {
    let Some(result) = &call.result else { return Vec::new() };
    let fitting = (0..call.operands.len()).filter(|at| call.operands[*at] == *result);
    fitting.filter_map(|at| propagate(call, at)).collect()
}

fn propagate(call: &Invocation, at: usize) -> Option<Replacement> {
    let (mut bytes, more_stack) = call.keep(at)?;
    if bytes.is_empty() {
        bytes.push(Nop as u8);
    }
    let (kept, pit) = match at.checked_sub(usize::from(call.has_receiver)) {
        None => ("its receiver".to_owned(), "EXPERIMENTAL_NAKED_RECEIVER"),
        Some(number) => (format!("its argument {}", number + 1), "EXPERIMENTAL_ARGUMENT_PROPAGATION"),
    };
    let what = format!("the call of {} becomes {kept}", call.shown);
    Some(Replacement::bytes(bytes, what).with_stack(more_stack).named(pit))
}
