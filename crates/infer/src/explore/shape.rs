//! What objects consist of, which tells those without an `equals` of their own apart: their fields and what these
//! refer to, down to elements of collections. How lists, sets and maps of the JDK store their elements does not count:
//! two lists with the same elements are the same, whatever array is behind them, and so are two tables filled in
//! another order.

use crate::capture::{CaptureLimits, VIEWS, contents, value_of, view};
use crate::subject::Subject;
use crate::value::Value;
use cupping_machine::{Addr, ClassKind, Kind, Machine};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// The largest number of objects that are looked at.
const MOST_OBJECTS: usize = 400;
/// The largest number of elements of a collection, or of an array of objects.
const MOST_ELEMENTS: usize = 256;
/// The largest number of elements of an array of numbers.
const MOST_NUMBERS: u32 = 20_000;

/// A collection or map of the JDK that is what its elements are.
struct Container {
    class: &'static str,
    /// Whether the order of its elements says anything.
    is_ordered: bool,
    /// A field, or one behind it, that makes a difference unless it is null or false: a comparator.
    setting: Option<&'static str>,
}

/// The known ones. Others may have a capacity or a view of something else.
const CONTAINERS: &[Container] = &[
    container("java/util/ArrayList", true, None),
    container("java/util/LinkedList", true, None),
    container("java/util/ArrayDeque", true, None),
    container("java/util/Vector", true, None),
    container("java/util/Stack", true, None),
    container("java/util/HashSet", false, None),
    container("java/util/LinkedHashSet", true, None),
    container("java/util/TreeSet", true, Some("m.comparator")),
    container("java/util/HashMap", false, None),
    container("java/util/LinkedHashMap", true, Some("accessOrder")),
    container("java/util/TreeMap", true, Some("comparator")),
    container("java/util/ImmutableCollections$List12", true, None),
    container("java/util/ImmutableCollections$ListN", true, None),
    container("java/util/ImmutableCollections$Set12", false, None),
    container("java/util/ImmutableCollections$SetN", false, None),
    container("java/util/ImmutableCollections$Map1", false, None),
    container("java/util/ImmutableCollections$MapN", false, None),
];

const fn container(class: &'static str, is_ordered: bool, setting: Option<&'static str>) -> Container {
    Container { class, is_ordered, setting }
}

/// A number of what an object consists of; `None` if that is not known, or too much.
pub(super) fn shape(machine: &mut Machine, subject: &Subject, root: Addr) -> Option<u64> {
    let limits = CaptureLimits { elements: MOST_ELEMENTS, ..CaptureLimits::default() };
    let mut walk = Walk { subject, limits, known: FxHashMap::default(), hash: FxHasher::default() };
    walk.object(machine, root, true)?;
    Some(walk.hash.finish())
}

struct Walk<'s> {
    subject: &'s Subject,
    limits: CaptureLimits,
    /// Objects by address, numbered in the order in which they are met.
    known: FxHashMap<Addr, usize>,
    hash: FxHasher,
}

impl Walk<'_> {
    fn value(&mut self, machine: &mut Machine, value: &Value) -> Option<()> {
        if let Value::Object(object) = value {
            return self.object(machine, *object, false);
        }
        self.hash.write(format!("{value:?};").as_bytes());
        value.is_present().then_some(())
    }

    fn values(&mut self, machine: &mut Machine, values: &[Value]) -> Option<()> {
        self.hash.write_usize(values.len());
        values.iter().try_for_each(|it| self.value(machine, it))
    }

    fn object(&mut self, machine: &mut Machine, object: Addr, is_root: bool) -> Option<()> {
        let next = self.known.len();
        if let Some(number) = self.known.get(&object) {
            self.hash.write_usize(*number);
            return Some(());
        }
        if next >= MOST_OBJECTS {
            return None;
        }
        self.known.insert(object, next);
        let id = machine.class_of(object);
        let name = machine.class(id).name.clone();
        self.hash.write(name.as_bytes());
        if let ClassKind::Array { kind, .. } = machine.class(id).kind {
            return self.array(machine, object, kind);
        }
        if !is_root && machine.class(id).from_jdk {
            return self.container(machine, object, &name);
        }
        self.subject.looks_into(machine, id).then_some(())?;
        let mut at = Some(id);
        while let Some(class) = at {
            let loaded = machine.class(class);
            let fields = loaded.fields.iter().filter(|it| !it.is_static());
            let values: Vec<Value> = fields
                .map(|it| value_of(machine, it.kind, machine.field(object, u32::from(it.offset))))
                .collect();
            at = machine.class(class).super_class;
            self.values(machine, &values)?;
        }
        Some(())
    }

    fn array(&mut self, machine: &mut Machine, array: Addr, kind: Kind) -> Option<()> {
        let length = machine.array_length(array);
        self.hash.write_u32(length);
        if kind != Kind::Reference {
            let numbers = (0..length.min(MOST_NUMBERS)).map(|at| machine.element(array, at, kind));
            numbers.for_each(|it| self.hash.write_u64(it));
            return (length <= MOST_NUMBERS).then_some(());
        }
        if length as usize > MOST_ELEMENTS {
            return None;
        }
        let element = |at| value_of(machine, kind, u64::from(machine.element_ref(array, at)));
        let values: Vec<Value> = (0..length).map(element).collect();
        self.values(machine, &values)
    }

    /// A collection or map of the JDK: its elements, sorted if their order says nothing.
    fn container(&mut self, machine: &mut Machine, object: Addr, class: &str) -> Option<()> {
        let known = CONTAINERS.iter().find(|it| it.class == class)?;
        if known.setting.is_some_and(|path| !is_unset(machine, object, path)) {
            return None;
        }
        if let Some((length, mut elements)) = contents(machine, object, self.limits) {
            if !known.is_ordered {
                sort(&mut elements, &mut [])?;
            }
            return (length == elements.len()).then(|| self.values(machine, &elements))?;
        }
        let [mut keys, mut values] = VIEWS.map(|(_, name, descriptor)| {
            view(machine, object, name, descriptor, self.limits).unwrap_or_else(|| vec![Value::Absent])
        });
        if !known.is_ordered {
            sort(&mut keys, &mut values)?;
        }
        self.values(machine, &keys)?;
        self.values(machine, &values)
    }
}

/// Whether the field at the end of a path is null or false.
fn is_unset(machine: &Machine, object: Addr, path: &str) -> bool {
    let step = |at: Addr, name: &str| {
        let offset = machine.field_offset(machine.class_of(at), name)?;
        Some(machine.field(at, offset) as Addr)
    };
    path.split('.').try_fold(object, step) == Some(0)
}

/// Sorts values, with others along; `None` if there are objects, whose order is not known.
fn sort(keys: &mut [Value], values: &mut [Value]) -> Option<()> {
    if keys.iter().any(|it| matches!(it, Value::Object(_))) {
        return None;
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|it| format!("{:?}", keys[*it]));
    let sorted =
        |all: &[Value]| -> Option<Vec<Value>> { order.iter().map(|it| all.get(*it).cloned()).collect() };
    if !values.is_empty() {
        let sorted = sorted(values)?;
        values.clone_from_slice(&sorted);
    }
    let sorted = sorted(keys)?;
    keys.clone_from_slice(&sorted);
    Some(())
}
