//! Names of methods, as specifications have them.

use cupping_contract::Method;
use cupping_machine::{Machine, MethodId};

/// The name of a method.
pub(crate) fn named(machine: &Machine, method: MethodId) -> Method {
    let loaded = machine.method(method);
    Method {
        class: machine.class(loaded.class).name.to_string(),
        name: loaded.name.to_string(),
        descriptor: loaded.descriptor.to_string(),
    }
}
