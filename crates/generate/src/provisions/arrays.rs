//! Arrays: of symbolic primitives, and of a few references.

use super::{MAX_DEPTH, Provider, Provision};
use crate::input::Input;
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, ClassKind, Kind, Machine};

impl Provider {
    /// Arrays of these elements, most promising first.
    pub(super) fn arrays(
        &mut self,
        machine: &mut Machine,
        element: ClassId,
        kind: Kind,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        if kind != Kind::Reference {
            return vec![Provision::Input(Input::Array { element: kind, max: self.max_elements })];
        }
        let mut found = vec![];
        if depth < MAX_DEPTH {
            let elements = self.provisions(machine, element, generic, depth + 1);
            let first = elements[0].clone();
            let second = elements.get(1).unwrap_or(&elements[0]).clone();
            if !matches!(first, Provision::Input(Input::Null)) {
                found.push(Provision::Elements(element, vec![first.clone(), first.clone()]));
                found.push(Provision::Elements(element, vec![first.clone()]));
                found.push(Provision::Elements(element, vec![first, Provision::Input(Input::Null), second]));
            }
        }
        // Arrays of objects may be arrays of a narrower type, which refuse other objects.
        if &*machine.class(element).name == "java/lang/Object"
            && let Ok(text) = machine.load("java/lang/String")
        {
            let texts = self.provisions(machine, text, None, depth + 1);
            found.extend(texts.first().map(|it| Provision::Elements(text, vec![it.clone()])));
        }
        // An array of arrays may contain an empty one.
        if let ClassKind::Array { element: inner, kind: Kind::Reference } = machine.class(element).kind {
            found.push(Provision::Elements(element, vec![Provision::Elements(inner, Vec::new())]));
        }
        found.push(Provision::Elements(element, Vec::new()));
        found
    }
}
