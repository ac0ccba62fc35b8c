//! Finding where the objects of each class hold references.

use super::layout::{Layout, Strength};
use crate::classes::{ClassId, ClassKind, Kind};
use crate::machine::Machine;

/// Ensures that every loaded class has its layout.
pub(super) fn find_layouts(machine: &mut Machine) {
    for at in machine.layouts.len()..machine.classes().len() {
        let layout = layout_of(machine, ClassId(at as u32));
        machine.layouts.push(layout);
    }
}

fn layout_of(machine: &Machine, class: ClassId) -> Layout {
    match machine.class(class).kind {
        ClassKind::Array { kind: Kind::Reference, .. } => return Layout::References,
        ClassKind::Array { .. } => return Layout::Primitives,
        ClassKind::Instance | ClassKind::Primitive(_) => {}
    }
    let mut offsets: Vec<u16> = Vec::new();
    let mut at = Some(class);
    while let Some(id) = at {
        let fields = machine.class(id).fields.iter();
        offsets.extend(fields.filter(|f| !f.is_static() && f.kind == Kind::Reference).map(|f| f.offset));
        at = machine.class(id).super_class;
    }
    let is = |name: &str| {
        let super_class = machine.classes.names.get(name);
        super_class.is_some_and(|s| machine.class(class).supertypes.contains(&s))
    };
    if !is("java/lang/ref/Reference") || is("java/lang/ref/FinalReference") {
        return Layout::Fields(offsets.into());
    }
    let strength = if is("java/lang/ref/SoftReference") { Strength::Soft } else { Strength::Weak };
    if let Some(referent) = machine.field_offset(class, "referent") {
        offsets.retain(|offset| *offset as u32 != referent);
    }
    Layout::Weak(offsets.into(), strength)
}
