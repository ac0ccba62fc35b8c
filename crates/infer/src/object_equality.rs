//! Equality of objects on different forks, decided by the class's own `equals` on a copy.
//!
//! The slides identify object states by the fields that `this.equals(this)` reads, because they work on traces. Here
//! both objects are available, so `equals` itself decides. Fields that it does not read make no difference; values
//! that it computes do.

use cupping_machine::{Addr, CallEnd, ClassKind, Kind, Machine, MethodId, Value};
use rustc_hash::FxHashMap;

/// The largest number of objects in a copy.
const MOST_OBJECTS: usize = 600;
/// The fuel (calls and backward jumps) of one comparison.
const FUEL: u64 = 20_000;

/// An object graph, detached from its heap.
#[derive(Clone, Debug)]
pub struct ObjectCopy {
    root: Addr,
    objects: Vec<(Addr, Parts)>,
}

#[derive(Clone, Debug)]
struct Parts {
    class: cupping_machine::ClassId,
    length: u32,
    kind: Kind,
    words: Vec<(u32, Kind, u64)>,
}

/// Detaches an object graph. Objects older than `shared` are the same on all forks and stay where they are.
pub fn detach(machine: &Machine, root: Addr, shared: Addr) -> Option<ObjectCopy> {
    let mut objects: Vec<(Addr, Parts)> = Vec::new();
    let mut open = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(object) = open.pop() {
        if object == 0 || object < shared || !seen.insert(object) {
            continue;
        }
        if objects.len() >= MOST_OBJECTS {
            return None;
        }
        let class = machine.class_of(object);
        let loaded = machine.class(class);
        let mut parts = Parts { class, length: 0, kind: Kind::Void, words: Vec::new() };
        match loaded.kind {
            ClassKind::Array { kind, .. } => {
                parts.length = machine.array_length(object);
                parts.kind = kind;
                for at in 0..parts.length {
                    let bits = match kind {
                        Kind::Reference => u64::from(machine.element_ref(object, at)),
                        _ => machine.element(object, at, kind),
                    };
                    parts.words.push((at, kind, bits));
                }
            }
            _ if &*loaded.name == "java/lang/Class" => return None,
            _ => {
                let mut at = Some(class);
                while let Some(id) = at {
                    for field in machine.class(id).fields.iter().filter(|it| !it.is_static()) {
                        let offset = u32::from(field.offset);
                        parts.words.push((offset, field.kind, machine.field(object, offset)));
                    }
                    at = machine.class(id).super_class;
                }
            }
        }
        open.extend(parts.words.iter().filter(|it| it.1 == Kind::Reference).map(|it| it.2 as Addr));
        objects.push((object, parts));
    }
    Some(ObjectCopy { root, objects })
}

/// The result of the class's own `hashCode` for an object.
pub fn hash_code(machine: &mut Machine, hash: MethodId, object: Addr) -> Option<u64> {
    machine.aside(FUEL, |machine| {
        let method = machine.select(machine.class_of(object), hash);
        match machine.ask(method, &[Value::reference(object)]) {
            Ok(CallEnd::Returned(value)) => Some(value.bits),
            _ => None,
        }
    })
}

impl ObjectCopy {
    /// Makes a copy in the heap of a machine.
    fn put(&self, machine: &mut Machine) -> Option<Addr> {
        let mut places: FxHashMap<Addr, Addr> = FxHashMap::default();
        for (object, parts) in &self.objects {
            let made = match parts.kind {
                Kind::Void => machine.new_object(parts.class),
                _ => machine.new_array(parts.class, parts.length),
            };
            places.insert(*object, made.ok()?);
        }
        for (object, parts) in &self.objects {
            let copy = *places.get(object)?;
            for (at, kind, bits) in &parts.words {
                let value = match kind {
                    Kind::Reference => {
                        let to = *bits as Addr;
                        u64::from(places.get(&to).copied().unwrap_or(to))
                    }
                    _ => *bits,
                };
                match (parts.kind, kind) {
                    (Kind::Void, _) => machine.set_field(copy, *at, value),
                    (_, Kind::Reference) => machine.set_element_ref(copy, *at, value as Addr),
                    (_, kind) => machine.set_element_value(copy, *at, *kind, Value::concrete(value)),
                }
            }
        }
        places.get(&self.root).copied()
    }

    /// Whether this object and one of the present fork equal each other.
    pub fn equals(&self, machine: &mut Machine, equals: MethodId, object: Addr) -> bool {
        machine.aside(FUEL, |machine| {
            let Some(copy) = self.put(machine) else { return false };
            let mut ask = |a: Addr, b: Addr| {
                let method = machine.select(machine.class_of(a), equals);
                let answer = machine.ask(method, &[Value::reference(a), Value::reference(b)]);
                matches!(answer, Ok(CallEnd::Returned(value)) if value.bits & 1 != 0)
            };
            ask(object, copy) && ask(copy, object)
        })
    }
}
