//! Class hierarchy analysis: which classes of the class path extend or implement which.

use cupping_classfile::{ClassFile, Origin};
use cupping_machine::{ClassId, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Size of the class path beyond which only the packages in question are searched.
const MAX_CLASSES: usize = 4_000;
/// Limit on the overriding methods followed from one call.
const MAX_OVERRIDING: usize = 24;

/// Sorted names of direct subclasses, by internal name.
type Below = FxHashMap<Box<str>, BTreeSet<Box<str>>>;

/// The class hierarchy, computed on demand from class files without loading classes.
#[derive(Default)]
pub struct Hierarchy {
    names: Option<Rc<Vec<String>>>,
    /// By package, or for the whole class path if it is small.
    below: FxHashMap<Option<Box<str>>, Rc<Below>>,
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
    pub fn all_below(&mut self, machine: &Machine, class: ClassId) -> BTreeSet<Box<str>> {
        let name = machine.class(class).name.clone();
        let below = self.below(machine, machine.class(class).package());
        let mut found: BTreeSet<Box<str>> = BTreeSet::new();
        let mut open: Vec<Box<str>> = vec![(&*name).into()];
        while let Some(next) = open.pop() {
            for child in below.get(&next).into_iter().flatten() {
                if found.insert(child.clone()) {
                    open.push(child.clone());
                }
            }
        }
        found
    }

    fn below(&mut self, machine: &Machine, package: &str) -> Rc<Below> {
        let names = self.names.get_or_insert_with(|| Rc::new(class_names(machine))).clone();
        let scope = (names.len() > MAX_CLASSES).then(|| Box::from(package));
        if let Some(known) = self.below.get(&scope) {
            return known.clone();
        }
        let is_inside =
            |name: &&String| scope.is_none() || name.rfind('/').map_or("", |at| &name[..at]) == package;
        let found = Rc::new(look_through(machine, names.iter().filter(is_inside)));
        self.below.insert(scope, found.clone());
        found
    }
}

fn class_names(machine: &Machine) -> Vec<String> {
    let entries = machine.program().class_path().entries();
    let mut names: Vec<String> = entries.flat_map(|e| e.class_names().unwrap_or_default()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Reads the headers of these classes. Damaged ones have no supertypes here; code that needs them reports the
/// damage.
fn look_through<'a>(machine: &Machine, names: impl Iterator<Item = &'a String>) -> Below {
    let mut below = Below::default();
    for name in names {
        let file_name = format!("{name}.class");
        let entries = machine.program().class_path().entries();
        let Some((entry, bytes)) = entries.into_iter().find_map(|e| Some((e, e.read(&file_name).ok()??)))
        else {
            continue;
        };
        let origin = Origin::ClassPath { entry: Arc::new(entry.path().to_owned()) };
        let Ok(file) = ClassFile::parse(bytes, &file_name, origin) else { continue };
        for above in file.super_name.iter().chain(file.interfaces.iter()) {
            below.entry((&**above).into()).or_default().insert(name.as_str().into());
        }
    }
    // Every class extends Object, so the entry is useless.
    below.remove("java/lang/Object");
    below
}
