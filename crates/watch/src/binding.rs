//! Bindings: how test mode finds the value of a specification's variable in a run of the program (Gray &
//! Mycroft §5, §6.1).

use crate::object_copy::{CopiedObjects, ObjectCopy};
use crate::shape::Shape;
use cupping_contract::Method;
use cupping_machine::{Addr, Class, ClassKind, Field, Kind, Machine, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// How to find the value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// An argument of the call; 0 is the receiver.
    Argument(usize),
    /// A path of fields from an argument.
    Field(usize, Vec<Arc<str>>),
    /// A path of fields from the static field with this class and name.
    Static(Arc<str>, Arc<str>, Vec<Arc<str>>),
    /// The same value in every run.
    Constant(Shape),
    /// An argument of the method that the program enters after exactly this trace of the call.
    Trace(Vec<TraceStep>, Method, usize),
    /// The object that stands for a node of the dependence.
    Matched(usize),
    /// A part of the copy of the objects that belong to the test.
    Copy(Arc<ObjectCopy>, usize),
    /// The value cannot be found.
    Unknown,
}

/// One step of a trace, in a form that two runs can compare.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceStep {
    /// Control passed a label.
    Label(u32),
    /// Control entered a method.
    Enter(Method),
}

/// Maximal length of the path of fields from an argument or static field to an object.
const FAR: usize = 3;
/// Limit on the objects that one search for such a path visits.
const MOST_OBJECTS: usize = 10_000;

/// The shortest path of fields from one of these objects to `wanted`.
pub(crate) fn path_to(
    machine: &Machine,
    roots: &[(usize, Addr)],
    wanted: Addr,
) -> Option<(usize, Vec<Arc<str>>)> {
    let mut seen: BTreeMap<Addr, ()> = BTreeMap::new();
    let mut due: VecDeque<(usize, Addr, Vec<Arc<str>>)> = roots
        .iter()
        .filter(|(_, object)| *object != 0)
        .map(|(root, object)| (*root, *object, Vec::new()))
        .collect();
    while let Some((root, object, way)) = due.pop_front() {
        if object == wanted {
            return Some((root, way));
        }
        if way.len() >= FAR || seen.insert(object, ()).is_some() || seen.len() > MOST_OBJECTS {
            continue;
        }
        let mut at = Some(machine.class_of(object));
        while let Some(id) = at {
            let class = machine.class(id);
            if matches!(class.kind, ClassKind::Instance) {
                for field in class.fields.iter().filter(|it| !it.is_static() && it.kind == Kind::Reference) {
                    let next = machine.field_ref(object, field.offset as u32);
                    if next != 0 {
                        due.push_back((
                            root,
                            next,
                            way.iter().cloned().chain([field.name.clone()]).collect(),
                        ));
                    }
                }
            }
            at = class.super_class;
        }
    }
    None
}

/// Static fields of class-path classes that hold objects.
pub(crate) fn statics(machine: &Machine) -> Vec<(Arc<str>, Arc<str>, Addr)> {
    let mut found = Vec::new();
    for class in machine.classes().iter().filter(|it| !it.from_jdk && it.file.is_some()) {
        for field in class.fields.iter().filter(|it| it.is_static() && it.kind == Kind::Reference) {
            if let Some(bits) = machine.static_field(class.id, &field.name).filter(|bits| *bits != 0) {
                found.push((class.name.clone(), field.name.clone(), bits as Addr));
            }
        }
    }
    found
}

/// The objects that constants of JDK classes hold: the JDK compares with some of them by identity, as `List.of` does
/// with the element that a list of one lacks. Standard streams are not constants, since programs replace them.
pub(crate) fn constants(machine: &Machine) -> FxHashMap<Addr, (Arc<str>, Arc<str>)> {
    let mut found = FxHashMap::default();
    let is_jdk = |it: &&Class| it.from_jdk && it.file.is_some() && &*it.name != "java/lang/System";
    for class in machine.classes().iter().filter(is_jdk) {
        let is_constant = |it: &&Field| it.is_static() && it.access.is_final() && it.kind == Kind::Reference;
        for field in class.fields.iter().filter(is_constant) {
            if let Some(bits) = machine.static_field(class.id, &field.name).filter(|bits| *bits != 0) {
                found.entry(bits as Addr).or_insert_with(|| (class.name.clone(), field.name.clone()));
            }
        }
    }
    found
}

/// Follows a path of fields.
fn follow(machine: &Machine, mut object: Addr, fields: &[Arc<str>]) -> Option<Value> {
    for field in fields {
        if object == 0 {
            return None;
        }
        let offset = machine.field_offset(machine.class_of(object), field)?;
        object = machine.field_ref(object, offset);
    }
    Some(Value::reference(object))
}

impl Binding {
    /// The value, if it is available now. Call this on a fork: it creates strings and copies; `made` are the copies
    /// made for other variables of the same frame.
    pub(crate) fn value(
        &self,
        machine: &mut Machine,
        arguments: &[Value],
        met: Option<Addr>,
        matched: &[Addr],
        made: &mut CopiedObjects,
    ) -> Option<Value> {
        match self {
            Binding::Argument(at) => arguments.get(*at).copied(),
            Binding::Field(at, fields) => follow(machine, arguments.get(*at)?.as_ref(), fields),
            Binding::Static(class, field, fields) => {
                let class = machine.initialize_now(class).ok()?;
                let object = machine.static_field(class, field)? as Addr;
                follow(machine, object, fields)
            }
            Binding::Constant(Shape::Null) => Some(Value::reference(0)),
            Binding::Constant(Shape::Bits(_, bits)) => Some(Value::concrete(*bits)),
            Binding::Constant(Shape::Text(units)) => machine.new_string(units).ok().map(Value::reference),
            Binding::Constant(_) | Binding::Unknown => None,
            Binding::Copy(copy, root) => copy.value(machine, *root, arguments, matched, made),
            Binding::Matched(number) => {
                matched.get(*number).filter(|it| **it != 0).map(|it| Value::reference(*it))
            }
            Binding::Trace(..) => met.map(Value::reference),
        }
    }
}
