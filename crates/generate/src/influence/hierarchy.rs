//! Class hierarchy analysis: which classes of the class path extend or implement which.

use cupping_machine::{ClassId, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the overriding methods followed from one call.
const MAX_OVERRIDING: usize = 24;

/// The class hierarchy, computed on demand from class files without loading classes.
#[derive(Default)]
pub struct Hierarchy {
    known: FxHashMap<MethodId, Rc<Vec<MethodId>>>,
}

impl Hierarchy {
    /// The methods with code that override this one on the class path; the first ones by name if there are
    /// many.
    pub fn overriding(&mut self, machine: &mut Machine, method: MethodId) -> Vec<MethodId> {
        if let Some(known) = self.known.get(&method) {
            return known.as_ref().clone();
        }
        let found = Rc::new(self.find(machine, method));
        self.known.insert(method, found.clone());
        found.as_ref().clone()
    }

    fn find(&mut self, machine: &mut Machine, method: MethodId) -> Vec<MethodId> {
        let loaded = machine.method(method);
        if loaded.is_static() || loaded.is_private() || loaded.access.is_final() || &*loaded.name == "<init>"
        {
            return Vec::new();
        }
        let (class, name, descriptor) = (loaded.class, loaded.name.clone(), loaded.descriptor.clone());
        if machine.class(class).access.is_final() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for below in self.all_below(machine, class) {
            let Ok(below) = machine.load(&below) else { continue };
            let own = machine.declared_method(below, &name, &descriptor);
            found.extend(own.filter(|m| !machine.method(*m).is_abstract()));
            if found.len() >= MAX_OVERRIDING {
                break;
            }
        }
        found
    }

    /// Sorted names of all direct and indirect subclasses on the class path.
    pub fn all_below(&self, machine: &Machine, class: ClassId) -> BTreeSet<Box<str>> {
        machine.program().subclasses(&machine.class(class).name)
    }
}
