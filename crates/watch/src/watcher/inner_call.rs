//! Calls in the course of others.

use cupping_machine::{Machine, MethodId};

/// A call in the course of another one or of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InnerCall {
    pub(super) method: MethodId,
    /// The calling method, and the position of the call.
    pub(super) site: (MethodId, u32),
}

/// The caller of the method that was just entered.
pub(super) fn site_of_call(machine: &Machine, method: MethodId) -> (MethodId, u32) {
    let frames = &machine.registers().frames;
    let caller = frames.len().checked_sub(2).and_then(|at| frames.get(at));
    caller.map_or((method, 0), |it| (it.code.method, it.pc))
}
