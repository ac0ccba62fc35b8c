//! Objects reachable from others.

use crate::old_value::words;
use cupping_machine::{Addr, Machine};
use rustc_hash::FxHashSet;

/// Limit on the objects that are followed.
const MOST_OBJECTS: usize = 20_000;

/// All objects reachable from these; `None` if there are too many.
pub(crate) fn reached(machine: &Machine, roots: impl Iterator<Item = Addr>) -> Option<FxHashSet<Addr>> {
    let (mut seen, mut due) = (FxHashSet::default(), roots.filter(|it| *it != 0).collect::<Vec<_>>());
    while let Some(object) = due.pop() {
        if !seen.insert(object) {
            continue;
        }
        if seen.len() > MOST_OBJECTS {
            return None;
        }
        if matches!(machine.class_name_of(object), "java/lang/Class" | "java/lang/String") {
            continue;
        }
        let (_, references) = words(machine, object);
        due.extend(
            references.iter().map(|at| machine.memory().read(object + at) as Addr).filter(|it| *it != 0),
        );
    }
    Some(seen)
}
