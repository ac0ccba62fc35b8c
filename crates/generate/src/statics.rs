//! Static fields of the code under test: state shared by all tests, which each test must restore.

use crate::canonical::canonical;
use crate::input::primitive_literal;
use cupping_case::{Case, FieldRef, JavaType, Literal};
use cupping_classfile::AccessFlags;
use cupping_explore::Path;
use cupping_machine::{Addr, Class, ClassId, Field, InitState, Kind, Machine, Value};
use std::collections::BTreeSet;

/// Fuel to ask whether a collection is empty.
const FUEL: u64 = 10_000;

/// The restorable static fields, with their values before any test.
pub struct Statics {
    fields: Vec<StaticField>,
    collections: Vec<StaticCollection>,
}

/// A static field that holds an empty collection or map of the JDK's before any test.
struct StaticCollection {
    /// Index of the field in its class.
    index: usize,
    reference: FieldRef,
    object: Addr,
    /// The canonical form of its state.
    empty: u64,
}

struct StaticField {
    class: ClassId,
    index: usize,
    reference: FieldRef,
    bits: u64,
    value: Literal,
}

impl Statics {
    /// The fields of all classes that are initialised now, except for the JDK's, and the collections of a class and of
    /// those nested in it. Others mostly keep caches in theirs.
    pub fn of(machine: &mut Machine, class: ClassId) -> Statics {
        let classes = machine.classes().iter().filter(|class| {
            class.file.is_some() && !class.from_jdk && machine.init_state(class.id) == InitState::Initialized
        });
        let classes: Vec<ClassId> = classes.map(|class| class.id).collect();
        let fields = classes.iter().flat_map(|class| restorable(machine, *class)).collect();
        let name = machine.class(class).name.clone();
        let outer = name.split('$').next().unwrap_or(&name);
        let is_own = |id: &&ClassId| machine.class(**id).name.split('$').next() == Some(outer);
        let own = classes.iter().filter(is_own);
        let own: Vec<ClassId> = own.copied().collect();
        let collections = own.into_iter().flat_map(|class| empty_collections(machine, class)).collect();
        Statics { fields, collections }
    }

    /// Notes in a case what its run, at whose end the machine is, has changed.
    pub fn note(&self, machine: &Machine, case: &mut Case) {
        case.restores = self.changed(machine);
        case.empties = self.filled(machine);
    }

    /// The fields whose collections are no longer as they were when they were empty.
    fn filled(&self, machine: &Machine) -> Vec<FieldRef> {
        let filled = self.collections.iter().filter(|it| state(machine, it.object) != Some(it.empty));
        filled.map(|it| it.reference.clone()).collect()
    }

    /// The fields that have changed, with their original values.
    fn changed(&self, machine: &Machine) -> Vec<(FieldRef, Literal)> {
        let changed = self.fields.iter().filter(|field| {
            machine.static_field(field.class, &field.reference.name).is_some_and(|bits| bits != field.bits)
        });
        changed.map(|field| (field.reference.clone(), field.value.clone())).collect()
    }
}

/// How a case names a field of a class.
fn reference_to(class: &Class, field: &Field) -> Option<FieldRef> {
    let ty = JavaType::parse(&field.descriptor)?;
    Some(FieldRef { class: Box::from(&*class.name), name: Box::from(&*field.name), ty })
}

/// The static fields of a class that hold empty collections or maps of the JDK's. The machine's state stays as it is.
fn empty_collections(machine: &mut Machine, class: ClassId) -> Vec<StaticCollection> {
    let loaded = machine.class(class);
    let fields = loaded.fields.iter().enumerate();
    let fields = fields.filter(|(_, field)| field.is_static() && field.kind == Kind::Reference);
    let held = |(index, field): (usize, &Field)| {
        let object = machine.static_field(class, &field.name).filter(|bits| *bits != 0)? as Addr;
        Some((index, reference_to(loaded, field)?, object))
    };
    let held: Vec<(usize, FieldRef, Addr)> = fields.filter_map(held).collect();
    let collection = |(index, reference, object): (usize, FieldRef, Addr)| {
        let empty = empty_state(machine, object)?;
        Some(StaticCollection { index, reference, object, empty })
    };
    held.into_iter().filter_map(collection).collect()
}

/// The canonical form of an object's state, if it is a collection or map of the JDK's that is empty and can be emptied.
fn empty_state(machine: &mut Machine, object: Addr) -> Option<u64> {
    let class = machine.class_of(object);
    let is_one = |name: &&str| machine.is_named_subtype(class, name);
    let general = ["java/util/Collection", "java/util/Map"].into_iter().find(is_one)?;
    if !machine.class(class).from_jdk {
        return None;
    }
    let general = machine.load(general).ok()?;
    let before = machine.snapshot();
    let mut ask = |name: &str, descriptor: &str| {
        let method = machine.declared_method(general, name, descriptor)?;
        let selected = machine.select(class, method);
        machine.set_fuel(FUEL);
        machine.call(selected, &[Value::reference(object)]).ok()
    };
    // A view that nobody can change may show a collection that others fill.
    let is_empty = ask("isEmpty", "()Z").is_some_and(|it| it.bits != 0) && ask("clear", "()V").is_some();
    machine.restore(&before);
    state(machine, object).filter(|_| is_empty)
}

/// The canonical form of an object's state.
fn state(machine: &Machine, object: Addr) -> Option<u64> {
    canonical(machine, &[Value::reference(object)], &Path::default()).map(|it| it.key)
}

/// The initialised classes in the order in which they were loaded.
pub(crate) fn initialised(machine: &Machine) -> Vec<ClassId> {
    let all = machine.classes().iter().map(|class| class.id);
    all.filter(|id| machine.init_state(*id) == InitState::Initialized).collect()
}

/// The values of all static fields of the code under test that is initialised now, by class and field.
pub fn statics_under_test(machine: &Machine, but: &BTreeSet<ClassId>) -> Vec<(Kind, Value)> {
    let classes = machine.classes().iter().filter(|class| class.file.is_some() && !class.from_jdk);
    let classes = classes.filter(|class| !but.contains(&class.id));
    let of = |class: &Class| {
        let fields = class.fields.iter().enumerate().filter(|(_, field)| field.is_static());
        let values = fields.filter_map(|(at, field)| Some((field.kind, machine.static_value(class.id, at)?)));
        values.collect::<Vec<_>>()
    };
    // Two programs load their classes in different orders.
    let mut classes: Vec<&Class> = classes.collect();
    classes.sort_by(|a, b| a.name.cmp(&b.name));
    classes.into_iter().flat_map(of).collect()
}

/// The indices of a class's static fields that hold empty collections or maps, which tests can empty again.
pub fn fillable_fields(machine: &mut Machine, class: ClassId) -> Vec<usize> {
    empty_collections(machine, class).into_iter().map(|it| it.index).collect()
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
    let of = |(index, field): (usize, &Field)| {
        if !field.is_static() || field.access.has_any(SYNTHETIC_OR_FINAL) {
            return None;
        }
        let bits = machine.static_field(class, &field.name)?;
        let reference = reference_to(loaded, field)?;
        let value = match field.kind {
            Kind::Reference if bits == 0 => Literal::Null,
            Kind::Reference if reference.ty.is_string() => Literal::String(machine.string_units(bits as u32)),
            Kind::Reference => return None,
            kind => primitive_literal(kind, bits),
        };
        Some(StaticField { class, index, reference, bits, value })
    };
    fields.filter_map(of).collect()
}
