//! The origin of classes in messages: module and loader, as the JDK prints them.

use crate::classes::{ClassId, ClassKind};
use crate::machine::Machine;
use cupping_classfile::Origin;

/// The module of a class and of the elements of arrays; `None` for the unnamed module of the class path.
pub fn module_of(machine: &Machine, class: ClassId) -> Option<String> {
    let class = machine.class(class);
    match class.kind {
        ClassKind::Array { element, .. } => module_of(machine, element),
        ClassKind::Primitive(_) => Some("java.base".into()),
        ClassKind::Instance => match (&class.file, class.host) {
            (Some(file), _) => match file.origin() {
                Origin::Jdk { module } => Some(module.to_string()),
                _ => None,
            },
            (None, Some(host)) => module_of(machine, host),
            (None, None) => Some("java.base".into()),
        },
    }
}

/// The parenthesis at the end of a `ClassCastException`'s message.
pub(crate) fn places(machine: &Machine, from: ClassId, to: ClassId) -> String {
    let place = |class: ClassId| match module_of(machine, class) {
        Some(module) => format!("module {module} of loader 'bootstrap'"),
        None => "unnamed module of loader 'app'".into(),
    };
    let name = |class: ClassId| machine.class(class).name.replace('/', ".");
    let (a, b) = (place(from), place(to));
    if a == b {
        format!("{} and {} are in {a}", name(from), name(to))
    } else {
        format!("{} is in {a}; {} is in {b}", name(from), name(to))
    }
}
