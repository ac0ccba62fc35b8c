//! Static fields of the code under test: state shared by all tests, which each test must restore.

use crate::input::primitive_literal;
use cupping_case::{FieldRef, JavaType, Literal};
use cupping_classfile::AccessFlags;
use cupping_machine::{ClassId, InitState, Kind, Machine, Value};

/// The restorable static fields, with their values before any test.
pub struct Statics {
    fields: Vec<StaticField>,
}

struct StaticField {
    class: ClassId,
    index: usize,
    reference: FieldRef,
    bits: u64,
    value: Literal,
}

impl Statics {
    /// The fields of all classes that are initialised now, except for the JDK's.
    pub fn of(machine: &Machine) -> Statics {
        let classes = machine.classes().iter().filter(|class| {
            class.file.is_some() && !class.from_jdk && machine.init_state(class.id) == InitState::Initialized
        });
        Statics { fields: classes.flat_map(|class| restorable(machine, class.id)).collect() }
    }

    /// The fields that have changed, with their original values.
    pub fn changed(&self, machine: &Machine) -> Vec<(FieldRef, Literal)> {
        let changed = self.fields.iter().filter(|field| {
            machine.static_field(field.class, &field.reference.name).is_some_and(|bits| bits != field.bits)
        });
        changed.map(|field| (field.reference.clone(), field.value.clone())).collect()
    }
}

/// The initialised classes in the order in which they were loaded.
pub(crate) fn initialised(machine: &Machine) -> Vec<ClassId> {
    let all = machine.classes().iter().map(|class| class.id);
    all.filter(|id| machine.init_state(*id) == InitState::Initialized).collect()
}

/// The values of all static fields of the code under test that is initialised now, by class and field.
pub fn statics_under_test(machine: &Machine) -> Vec<(Kind, Value)> {
    let classes = machine.classes().iter().filter(|class| class.file.is_some() && !class.from_jdk);
    let of = |class: &cupping_machine::Class| {
        let fields = class.fields.iter().enumerate().filter(|(_, field)| field.is_static());
        let values = fields.filter_map(|(at, field)| Some((field.kind, machine.static_value(class.id, at)?)));
        values.collect::<Vec<_>>()
    };
    // Two programs load their classes in different orders.
    let mut classes: Vec<&cupping_machine::Class> = classes.collect();
    classes.sort_by(|a, b| a.name.cmp(&b.name));
    classes.into_iter().flat_map(of).collect()
}

/// The indices of a class's restorable static fields.
pub fn restorable_fields(machine: &Machine, class: ClassId) -> Vec<usize> {
    restorable(machine, class).into_iter().map(|field| field.index).collect()
}

/// Non-final fields whose value source code can express.
fn restorable(machine: &Machine, class: ClassId) -> Vec<StaticField> {
    const SYNTHETIC_OR_FINAL: AccessFlags = AccessFlags::SYNTHETIC.or(AccessFlags::FINAL);
    let loaded = machine.class(class);
    let fields = loaded.fields.iter().enumerate();
    let of = |(index, field): (usize, &cupping_machine::Field)| {
        if !field.is_static() || field.access.has_any(SYNTHETIC_OR_FINAL) {
            return None;
        }
        let bits = machine.static_field(class, &field.name)?;
        let ty = JavaType::parse(&field.descriptor)?;
        let value = match field.kind {
            Kind::Reference if bits == 0 => Literal::Null,
            Kind::Reference if ty.is_string() => Literal::String(machine.string_units(bits as u32)),
            Kind::Reference => return None,
            kind => primitive_literal(kind, bits),
        };
        let reference = FieldRef { class: Box::from(&*loaded.name), name: Box::from(&*field.name), ty };
        Some(StaticField { class, index, reference, bits, value })
    };
    fields.filter_map(of).collect()
}
