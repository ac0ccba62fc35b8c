//! The locations that were read in a part of a run.

use cupping_machine::{Addr, ClassKind, ELEMENT, FieldKeys, Machine};
use rustc_hash::{FxHashMap, FxHashSet};

/// The key of a read by native code, which may have read every part of the object.
pub(crate) const WHOLE: u32 = u32::MAX;

/// What was read, by object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    fields: FxHashSet<(Addr, u32)>,
    elements: FxHashMap<Addr, Vec<u32>>,
    whole: FxHashSet<Addr>,
}

impl FromIterator<(Addr, u32)> for Reads {
    fn from_iter<I: IntoIterator<Item = (Addr, u32)>>(all: I) -> Reads {
        let mut reads = Reads::default();
        for (object, key) in all {
            if key == WHOLE {
                reads.whole.insert(object);
            } else if key & ELEMENT != 0 {
                reads.elements.entry(object).or_default().push(key & !ELEMENT);
            } else {
                reads.fields.insert((object, key));
            }
        }
        for elements in reads.elements.values_mut() {
            elements.sort_unstable();
            elements.dedup();
        }
        reads
    }
}

impl Reads {
    /// Whether a field was read.
    pub(crate) fn has_field(&self, object: Addr, key: u32) -> bool {
        self.fields.contains(&(object, key)) || self.whole.contains(&object)
    }

    /// Whether an element was read.
    pub(crate) fn has_element(&self, array: Addr, index: u32) -> bool {
        self.whole.contains(&array)
            || self.elements.get(&array).is_some_and(|it| it.binary_search(&index).is_ok())
    }

    /// The elements that were read, of an array of this length.
    pub(crate) fn elements(&self, array: Addr, length: u32) -> Vec<u32> {
        if self.whole.contains(&array) {
            return (0..length).collect();
        }
        let read = self.elements.get(&array).into_iter().flatten();
        read.copied().filter(|it| *it < length).collect()
    }

    /// The keys of the static fields that were read, in order.
    pub(crate) fn statics(&self) -> Vec<u32> {
        let mut keys: Vec<u32> =
            self.fields.iter().filter(|(object, _)| *object == 0).map(|(_, key)| *key).collect();
        keys.sort_unstable();
        keys
    }

    /// All locations that were read in objects up to this address; reads by natives are split into parts.
    pub(crate) fn locations(&self, machine: &Machine, top: Addr) -> Vec<(Addr, u32)> {
        let mut all: Vec<(Addr, u32)> = self.fields.iter().copied().collect();
        for (array, elements) in &self.elements {
            all.extend(elements.iter().map(|it| (*array, it | ELEMENT)));
        }
        for object in self.whole.iter().filter(|it| **it < top) {
            if let ClassKind::Array { .. } = machine.class(machine.class_of(*object)).kind {
                all.extend((0..machine.array_length(*object)).map(|it| (*object, it | ELEMENT)));
                continue;
            }
            let mut at = Some(machine.class_of(*object));
            while let Some(class) = at.map(|it| machine.class(it)) {
                let fields = class.fields.iter().filter(|it| !it.is_static());
                all.extend(fields.map(|it| (*object, FieldKeys::new(&class.name, &it.name).of_object)));
                at = class.super_class;
            }
        }
        all.retain(|(object, _)| *object != 0 && *object < top);
        all
    }
}

/// The present value of a location of an object; several fields of one name count as one.
pub(crate) fn value_at(machine: &Machine, object: Addr, key: u32) -> Option<Vec<u64>> {
    let class = machine.class_of(object);
    if key & ELEMENT != 0 {
        let ClassKind::Array { kind, .. } = machine.class(class).kind else { return None };
        let index = key & !ELEMENT;
        return (index < machine.array_length(object)).then(|| vec![machine.element(object, index, kind)]);
    }
    let (mut found, mut at) = (Vec::new(), Some(class));
    while let Some(class) = at.map(|it| machine.class(it)) {
        let named = class.fields.iter().filter(|it| !it.is_static());
        let named = named.filter(|it| FieldKeys::new(&class.name, &it.name).of_object == key);
        found.extend(named.map(|it| machine.field(object, u32::from(it.offset))));
        at = class.super_class;
    }
    Some(found)
}
