//! The slots of an object, in the order in which comparisons of states visit them.

use cupping_machine::{Addr, ClassId, ClassKind, Field, Kind, Machine, Value, element_byte};

/// How many elements of an array are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// As many as it has under the current model.
    Length,
    /// As many as it can have under any model.
    Capacity,
}

/// A slot of an object.
pub struct SlotPart<'a> {
    /// The field with its declaring class; `None` for the length and the elements of an array.
    pub field: Option<(ClassId, &'a Field)>,
    /// The kind of the value.
    pub kind: Kind,
    /// The value.
    pub value: Value,
}

/// Visits the slots of an object: the length and the elements of an array, or the fields from the class upwards.
/// The cached hash code of a string, and the calls that a stub has recorded, are left out, since they are not state.
pub fn visit<'a>(
    machine: &'a Machine,
    object: Addr,
    elements: Elements,
    mut visit: impl FnMut(SlotPart<'a>),
) {
    let class_id = machine.class_of(object);
    if let ClassKind::Array { kind, .. } = machine.class(class_id).kind {
        let length = machine.array_length(object);
        let shadow = machine.heap_shadow(u64::from(object + 1) * 8);
        visit(SlotPart { field: None, kind: Kind::Int, value: Value { bits: u64::from(length), shadow } });
        let count = match elements {
            Elements::Length => length,
            Elements::Capacity => machine.array_capacity(object),
        };
        for index in 0..count {
            let value = if kind == Kind::Reference {
                Value::reference(machine.element_ref(object, index))
            } else {
                let shadow = machine.heap_shadow(element_byte(object, index, kind.array_bytes()));
                Value { bits: machine.element(object, index, kind), shadow }
            };
            visit(SlotPart { field: None, kind, value });
        }
        return;
    }
    let mut at = Some(class_id);
    while let Some(id) = at {
        let class = machine.class(id);
        let is_string = &*class.name == "java/lang/String";
        let recorded = machine.call_record_fields(id);
        for field in class.fields.iter().filter(|field| !field.is_static()) {
            if (is_string && field.name.starts_with("hash"))
                || recorded.is_some_and(|it| it.contains(&field.offset))
            {
                continue;
            }
            let word = object + Addr::from(field.offset);
            let shadow = machine.heap_shadow(u64::from(word) * 8);
            let value = Value { bits: machine.memory().read(word), shadow };
            visit(SlotPart { field: Some((id, field)), kind: field.kind, value });
        }
        at = class.super_class;
    }
}
