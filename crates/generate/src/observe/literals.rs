//! Objects that source can write in place: `null`, strings, boxes, constants of enums and classes.

use super::observer::Observer;
use crate::environment::speaks_of_environment;
use crate::input::{boxed_kind, primitive_literal};
use crate::invokable::is_nameable;
use cupping_case::{JavaType, Literal};
use cupping_machine::{Addr, ClassId};

/// Characters of a string that is asserted in full.
const MAX_CHARACTERS: usize = 400;

impl Observer<'_> {
    /// The literal that an object equals, for `null`, strings, boxes, enum constants and classes.
    pub(super) fn literal(&self, object: Addr) -> Option<Literal> {
        let machine = &*self.machine;
        if object == 0 {
            return Some(Literal::Null);
        }
        let class_id = machine.class_of(object);
        let class = machine.class(class_id);
        if &*class.name == "java/lang/String" {
            let units = machine.string_units(object);
            let stable = units.len() <= MAX_CHARACTERS && !speaks_of_environment(&units);
            return stable.then_some(Literal::String(units));
        }
        if let Some(kind) = boxed_kind(&class.name) {
            let offset = machine.field_offset(class_id, "value")?;
            let literal = primitive_literal(kind, machine.field(object, offset));
            return Some(Literal::Boxed(Box::new(literal)));
        }
        if &*class.name == "java/lang/Class" {
            let shown = machine.class_of_mirror(object);
            let ty = JavaType::parse(&machine.descriptor_of(shown))?;
            return is_nameable(machine, shown, self.package).then_some(Literal::Class(ty));
        }
        self.enum_constant(object, class_id)
    }

    fn enum_constant(&self, object: Addr, class: ClassId) -> Option<Literal> {
        let machine = &*self.machine;
        // A constant with a body is of a subclass of the enum.
        let candidates = [Some(class), machine.class(class).super_class];
        for owner in candidates.into_iter().flatten() {
            let owner_class = machine.class(owner);
            if !owner_class.access.is_enum() || !is_nameable(machine, owner, self.package) {
                continue;
            }
            for field in owner_class.fields.iter().filter(|f| f.is_static() && f.access.is_enum()) {
                if machine.static_field(owner, &field.name) == Some(object as u64) {
                    return Some(Literal::Constant {
                        class: Box::from(&*owner_class.name),
                        field: Box::from(&*field.name),
                    });
                }
            }
        }
        None
    }
}
