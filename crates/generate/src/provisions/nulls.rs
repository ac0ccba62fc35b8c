//! Where code asks for `null`, which is one of the first arguments there.
//!
//! Such a path is often the shortest of its method. In a class of hundreds of methods whose texts are explored one
//! after the other, it would never have its turn behind all other provisions.

use cupping_classfile::{Opcode, instructions};
use cupping_machine::{ClassId, Machine, MethodId};
use std::collections::BTreeSet;

/// Whether a reference is compared with `null` in this method, or in one of the same class that it may run.
pub(super) fn asks_for_null(
    machine: &Machine,
    class: ClassId,
    method: MethodId,
    runs: &BTreeSet<MethodId>,
) -> bool {
    let is_near = |it: &&MethodId| machine.method(**it).class == class;
    compares_with_null(machine, method)
        || runs.iter().filter(is_near).any(|it| compares_with_null(machine, *it))
}

fn compares_with_null(machine: &Machine, method: MethodId) -> bool {
    let loaded = machine.method(method);
    let Some(file) = &machine.class(loaded.class).file else { return false };
    let Ok(Some(code)) = file.code(&file.methods[loaded.index]) else { return false };
    let all = instructions(&code.bytecode).map_while(Result::ok);
    all.into_iter().any(|it| matches!(it.opcode, Opcode::Ifnull | Opcode::Ifnonnull))
}
