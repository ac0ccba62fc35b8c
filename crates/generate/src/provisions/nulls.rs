//! Where code asks for `null`, which is one of the first arguments there.
//!
//! Such a path is often the shortest of its method. In a class of hundreds of methods whose texts are explored one
//! after the other, it would never have its turn behind all other provisions.

use crate::facts::NullTest;
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
    let file = machine.class(loaded.class).file.as_ref();
    let fact = file.and_then(|it| it.fact::<NullTest>(&it.methods[loaded.index]).ok()?);
    fact.is_some_and(|it| it.0)
}
