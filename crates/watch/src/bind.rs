//! How a variable of a specification finds its value in a run of the program (paper §5, §6.1).

use crate::shape::Shape;
use cupping_contract::Method;
use cupping_machine::{Addr, ClassKind, Kind, Machine, Value};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// Where the value of a variable is.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// It is this argument of the call; the receiver is 0.
    Argument(usize),
    /// It is found from an argument by fields.
    Field(usize, Vec<Arc<str>>),
    /// It is found from a static field, of this class and name, by fields.
    Static(Arc<str>, Arc<str>, Vec<Arc<str>>),
    /// It is the same in each run.
    Constant(Shape),
    /// It is the argument at a place of a method that is entered when control has come this way since the call.
    Trace(Vec<Place>, Method, usize),
    /// It is an object of the test's, made anew.
    Graft(Rc<crate::suite::Graft>),
    /// It cannot be told.
    Unknown,
}

/// A step that another run can be compared by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A label.
    Label(u32),
    /// A method is entered.
    Enter(Method),
}

/// How far from an argument or static field an object is looked for.
const FAR: usize = 3;
/// Objects that are looked at for that.
const MOST_OBJECTS: usize = 10_000;

/// Fields that lead from one of these objects to the one wanted, the shortest way.
pub(crate) fn way_to(
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

/// Static fields of the classes of the class path that hold objects.
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

/// Follows fields from an object.
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
    /// The value, where it can be had now; strings are made anew, so this belongs on a fork.
    pub(crate) fn value(
        &self,
        machine: &mut Machine,
        arguments: &[Value],
        met: Option<Addr>,
    ) -> Option<Value> {
        match self {
            Binding::Argument(at) => arguments.get(*at).copied(),
            Binding::Field(at, fields) => follow(machine, arguments.get(*at)?.as_ref(), fields),
            Binding::Static(class, field, fields) => {
                let class = machine.load(class).ok()?;
                let object = machine.static_field(class, field)? as Addr;
                follow(machine, object, fields)
            }
            Binding::Constant(Shape::Null) => Some(Value::reference(0)),
            Binding::Constant(Shape::Bits(_, bits)) => Some(Value::concrete(*bits)),
            Binding::Constant(Shape::Text(units)) => machine.new_string(units).ok().map(Value::reference),
            Binding::Constant(_) | Binding::Unknown => None,
            Binding::Graft(graft) => graft.value(machine, arguments),
            Binding::Trace(..) => met.map(Value::reference),
        }
    }
}
