//! Whether objects have changed: what an observer must not do, and what a test can tell.

use crate::canonical::canonical_of;
use cupping_explore::Path;
use cupping_machine::{Kind, Machine, Snapshot, Value};

/// Whether one of these objects, which existed in an earlier state, or one that they lead to, differs from that state.
/// Objects that were replaced by equal ones do not differ.
pub(super) fn has_changed(machine: &mut Machine, roots: &[(Kind, Value)], earlier: &Snapshot) -> bool {
    let objects: Vec<_> =
        roots.iter().filter(|(kind, _)| *kind == Kind::Reference).map(|(_, value)| value.as_ref()).collect();
    if machine.has_graph_changed_since(&objects, earlier) == Some(false) {
        return false;
    }
    let key = |machine: &Machine| canonical_of(machine, roots, &Path::default()).map(|it| it.key);
    let now = key(machine);
    let here = machine.snapshot();
    machine.restore(earlier);
    let was = key(machine);
    machine.restore(&here);
    now.is_none() || now != was
}
