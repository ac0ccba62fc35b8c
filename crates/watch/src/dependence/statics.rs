//! The static field that the key of a read identifies.

use cupping_machine::{FieldKeys, Machine};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Static fields by the key of their reads. Classes are added as they are loaded.
#[derive(Default)]
pub(crate) struct StaticNames {
    names: FxHashMap<u32, (Arc<str>, Arc<str>)>,
    known: usize,
}

impl StaticNames {
    /// The class that declares the field, and its name.
    pub(crate) fn name(&mut self, machine: &Machine, key: u32) -> Option<(Arc<str>, Arc<str>)> {
        let classes = machine.classes();
        for class in &classes[self.known.min(classes.len())..] {
            // Code may name a field by a subclass of the class that declares it.
            for above in class.supertypes.iter().map(|it| machine.class(*it)) {
                for field in above.fields.iter().filter(|it| it.is_static()) {
                    let key = FieldKeys::new(&class.name, &field.name).of_static;
                    let is_own = above.id == class.id;
                    if is_own || !self.names.contains_key(&key) {
                        self.names.insert(key, (above.name.clone(), field.name.clone()));
                    }
                }
            }
        }
        self.known = classes.len();
        self.names.get(&key).cloned()
    }
}
