//! Static fields of the JDK, in which state of the JVM is kept.

use crate::machine::Machine;
use crate::memory::Addr;

/// The reference in a static field of a JDK class; 0 if the class has not been prepared.
pub(super) fn static_of(machine: &Machine, class: &str, field: &str) -> Addr {
    let class = machine.classes.names.get(class);
    class.and_then(|class| machine.static_field(class, field)).unwrap_or(0) as Addr
}
