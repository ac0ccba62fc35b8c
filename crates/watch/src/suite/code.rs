//! The code of test methods.

use cupping_classfile::Code;
use cupping_machine::{Machine, MethodId};
use std::sync::Arc;

/// The code of a method in its class file.
pub(super) fn code_of(machine: &Machine, method: MethodId) -> Option<Arc<Code>> {
    let loaded = machine.method(method);
    let file = machine.class(loaded.class).file.as_ref()?;
    file.code(file.methods.get(loaded.index)?).ok()?.cloned()
}

/// Length of the invoke instruction in bytes.
pub(super) fn length_of(code: &Code, pc: u32) -> u32 {
    // `invokeinterface` and `invokedynamic`.
    if matches!(code.bytecode.get(pc as usize), Some(0xb9 | 0xba)) { 5 } else { 3 }
}
