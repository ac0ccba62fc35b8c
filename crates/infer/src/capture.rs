//! Reading values and objects out of a machine.

use crate::subject::Subject;
use crate::value::{Image, Object, Value};
use cupping_machine::{Addr, CallEnd, ClassId, ClassKind, Kind, Machine, MethodId, Value as Slot};
use std::collections::VecDeque;
use std::rc::Rc;

/// Limits on how much of the heap is read.
#[derive(Clone, Copy, Debug)]
pub struct CaptureLimits {
    /// Steps from the roots.
    pub depth: usize,
    /// The largest number of objects.
    pub objects: usize,
    /// Limit on the elements read of an array or collection. For longer ones, the length is still recorded.
    pub elements: usize,
}

impl Default for CaptureLimits {
    fn default() -> CaptureLimits {
        CaptureLimits { depth: 3, objects: 48, elements: 24 }
    }
}

/// The fuel (calls and backward jumps) of an observer.
const OBSERVER_FUEL: u64 = 20_000;
/// Longer strings are recorded by their address.
const MOST_CHARACTERS: usize = 120;

const BOXES: [&str; 8] = ["Integer", "Long", "Short", "Byte", "Character", "Boolean", "Double", "Float"];

/// The value in a slot of this kind.
pub fn value_of(machine: &Machine, kind: Kind, bits: u64) -> Value {
    match kind {
        Kind::Boolean => Value::Bool(bits & 1 != 0),
        Kind::Byte => Value::Int(i64::from(bits as i8)),
        Kind::Short => Value::Int(i64::from(bits as i16)),
        Kind::Int => Value::Int(i64::from(bits as u32 as i32)),
        Kind::Long => Value::Int(bits as i64),
        Kind::Char => Value::Char(bits as u16),
        Kind::Float => Value::Float(f64::from(f32::from_bits(bits as u32))),
        Kind::Double => Value::Float(f64::from_bits(bits)),
        Kind::Reference => reference(machine, bits as Addr),
        Kind::Void => Value::Absent,
    }
}

fn reference(machine: &Machine, object: Addr) -> Value {
    if object == 0 {
        return Value::Null;
    }
    let id = machine.class_of(object);
    let class = machine.class(id);
    if &*class.name == "java/lang/String" {
        let units = machine.string_units(object);
        return if units.len() > MOST_CHARACTERS {
            Value::Object(object)
        } else {
            Value::Text(String::from_utf16_lossy(&units))
        };
    }
    if let Some(name) = class.name.strip_prefix("java/lang/")
        && BOXES.contains(&name)
        && let Some(field) = class.fields.iter().find(|it| &*it.name == "value" && !it.is_static())
    {
        return value_of(machine, field.kind, machine.field(object, u32::from(field.offset)));
    }
    constant(machine, object, id).unwrap_or(Value::Object(object))
}

/// The constant of an enum that an object is.
fn constant(machine: &Machine, object: Addr, class: ClassId) -> Option<Value> {
    for owner in [Some(class), machine.class(class).super_class].into_iter().flatten() {
        let loaded = machine.class(owner);
        if !loaded.access.is_enum() {
            continue;
        }
        for field in loaded.fields.iter().filter(|it| it.is_static() && it.access.is_enum()) {
            if machine.static_field(owner, &field.name) == Some(u64::from(object)) {
                return Some(Value::Enum(loaded.name.to_string(), field.name.to_string()));
            }
        }
    }
    None
}

/// The observers of a class, as methods of one machine.
pub type Observers = Vec<(Rc<str>, MethodId, Kind)>;

/// Finds the observers of a class on a machine, possibly not the one on which they were chosen.
pub fn find_observers(machine: &mut Machine, class: ClassId, subject: &Subject) -> Observers {
    let mut found = Vec::new();
    for observer in &subject.observers {
        if let Some(method) = machine.find_method(class, &observer.name, &observer.descriptor) {
            found.push((observer.shown.clone(), method, machine.method(method).result));
        }
    }
    found
}

/// Reads the objects reachable from the roots, except those in `known`.
pub fn image(
    machine: &mut Machine,
    subject: &Subject,
    observers: &Observers,
    roots: &[Addr],
    known: Option<&Image>,
    reach: CaptureLimits,
) -> Image {
    let mut found = Image::default();
    let mut queue: VecDeque<(Addr, usize)> = roots.iter().map(|it| (*it, 0)).collect();
    while let Some((object, depth)) = queue.pop_front() {
        let is_known = known.is_some_and(|it| it.objects.contains_key(&object));
        if object == 0 || is_known || found.objects.contains_key(&object) {
            continue;
        }
        if found.objects.len() >= reach.objects {
            break;
        }
        let read = read(machine, subject, observers, object, reach);
        if depth < reach.depth {
            let values = read.fields.iter().map(|(_, value)| value).chain(read.elements.iter().flatten());
            queue.extend(values.filter_map(|value| match value {
                Value::Object(next) => Some((*next, depth + 1)),
                _ => None,
            }));
        }
        found.objects.insert(object, read);
    }
    found
}

fn read(
    machine: &mut Machine,
    subject: &Subject,
    observers: &Observers,
    object: Addr,
    reach: CaptureLimits,
) -> Object {
    let id = machine.class_of(object);
    let name: Rc<str> = Rc::from(&*machine.class(id).name);
    let mut read = Object { class: name, fields: Vec::new(), elements: None, length: None };
    if let ClassKind::Array { kind, .. } = machine.class(id).kind {
        let length = machine.array_length(object);
        read.length = Some(length as usize);
        let element = |at| match kind {
            Kind::Reference => reference(machine, machine.element_ref(object, at)),
            _ => value_of(machine, kind, machine.element(object, at, kind)),
        };
        let known = length.min(reach.elements as u32);
        read.elements = Some((0..known).map(element).collect());
        return read;
    }
    if subject.looks_into(machine, id) {
        let mut at = Some(id);
        while let Some(class) = at {
            let loaded = machine.class(class);
            for field in loaded.fields.iter().filter(|it| !it.is_static() && !it.name.contains('$')) {
                if read.fields.iter().all(|(known, _)| **known != *field.name) {
                    let bits = machine.field(object, u32::from(field.offset));
                    read.fields.push((Rc::from(&*field.name), value_of(machine, field.kind, bits)));
                }
            }
            at = loaded.super_class;
        }
    }
    if let Some((length, elements)) = contents(machine, object, reach) {
        read.length = Some(length);
        read.elements = Some(elements);
    }
    if subject.is_map && subject.is_of(machine, id) {
        for (shown, name, descriptor) in VIEWS {
            let elements = view(machine, object, name, descriptor, reach);
            read.fields.push((Rc::from(shown), elements.map_or(Value::Absent, Value::Seq)));
        }
    }
    if subject.is_of(machine, id) {
        // An object that an observer creates, such as a long string, does not outlive the query.
        let used = machine.memory().used();
        let is_lost = |it: &Value| matches!(it, Value::Object(at) if *at >= used);
        for (shown, method, kind) in observers {
            let value = machine.aside(OBSERVER_FUEL, |machine| {
                let before = machine.registers().volatile_reads;
                let selected = machine.select(id, *method);
                match machine.ask(selected, &[Slot::reference(object)]) {
                    Ok(CallEnd::Returned(value)) if machine.registers().volatile_reads == before => {
                        value_of(machine, *kind, value.bits)
                    }
                    _ => Value::Absent,
                }
            });
            read.fields.push((shown.clone(), if is_lost(&value) { Value::Absent } else { value }));
        }
    }
    read
}

/// The views of a map: the name in formulas, the method and its descriptor.
pub const VIEWS: [(&str, &str, &str); 2] =
    [("keySet()", "keySet", "()Ljava/util/Set;"), ("values()", "values", "()Ljava/util/Collection;")];

/// All elements of one of the views of a map.
pub(crate) fn view(
    machine: &mut Machine,
    object: Addr,
    name: &str,
    descriptor: &str,
    reach: CaptureLimits,
) -> Option<Vec<Value>> {
    let method = machine.find_method(machine.class_of(object), name, descriptor)?;
    let used = machine.memory().used();
    machine.aside(OBSERVER_FUEL, |machine| {
        let Ok(CallEnd::Returned(collection)) = machine.ask(method, &[Slot::reference(object)]) else {
            return None;
        };
        let (length, elements) = to_array(machine, collection.as_ref(), used, reach)?;
        (length == elements.len()).then_some(elements)
    })
}

/// The length of a collection and its first elements.
pub(crate) fn contents(
    machine: &mut Machine,
    object: Addr,
    reach: CaptureLimits,
) -> Option<(usize, Vec<Value>)> {
    let collection = machine.load("java/util/Collection").ok()?;
    if !machine.is_subtype(machine.class_of(object), collection) {
        return None;
    }
    let used = machine.memory().used();
    machine.aside(OBSERVER_FUEL, |machine| to_array(machine, object, used, reach))
}

/// The result of `toArray`. Objects that `toArray` itself creates are ignored, since they do not outlive the query.
fn to_array(
    machine: &mut Machine,
    object: Addr,
    used: u32,
    reach: CaptureLimits,
) -> Option<(usize, Vec<Value>)> {
    if object == 0 {
        return None;
    }
    let method = machine.find_method(machine.class_of(object), "toArray", "()[Ljava/lang/Object;")?;
    let Ok(CallEnd::Returned(array)) = machine.ask(method, &[Slot::reference(object)]) else { return None };
    let array = array.as_ref();
    if array == 0 {
        return None;
    }
    let length = machine.array_length(array);
    let element = |at| reference(machine, machine.element_ref(array, at));
    let elements: Vec<Value> = (0..length.min(reach.elements as u32)).map(element).collect();
    let is_new = |it: &Value| matches!(it, Value::Object(at) if *at >= used);
    (!elements.iter().any(is_new)).then_some((length as usize, elements))
}
