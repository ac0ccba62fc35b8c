//! The subclass relation of the class path, read from the headers of class files.
//!
//! It is computed once for all threads and sessions of a program.

use crate::class_file::ClassFile;
use crate::class_path::ClassPath;
use crate::origin::Origin;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Size of the class path beyond which only the package in question is searched.
const MOST_CLASSES: usize = 4_000;

/// Sorted names of direct subclasses, by internal name.
type DirectSubclasses = FxHashMap<Box<str>, BTreeSet<Box<str>>>;

/// The relations known so far.
#[derive(Debug, Default)]
pub struct Subclasses {
    names: OnceLock<Vec<String>>,
    /// Relations by package, or for the whole class path if it is small.
    below: Mutex<FxHashMap<Option<Box<str>>, Arc<DirectSubclasses>>>,
}

impl Subclasses {
    /// Sorted names of all direct and indirect subclasses and implementations of a class on the class path; of a large
    /// one, those in the package of the class.
    pub fn of(&self, class_path: &ClassPath, class: &str) -> BTreeSet<Box<str>> {
        let below = self.below(class_path, class.rsplit_once('/').map_or("", |(package, _)| package));
        let mut found: BTreeSet<Box<str>> = BTreeSet::new();
        let mut open: Vec<Box<str>> = vec![class.into()];
        while let Some(next) = open.pop() {
            for child in below.get(&next).into_iter().flatten() {
                if found.insert(child.clone()) {
                    open.push(child.clone());
                }
            }
        }
        found
    }

    fn below(&self, class_path: &ClassPath, package: &str) -> Arc<DirectSubclasses> {
        let names = self.names.get_or_init(|| class_names(class_path));
        let scope = (names.len() > MOST_CLASSES).then(|| Box::from(package));
        let mut known = self.below.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&scope) {
            return Arc::clone(known);
        }
        let is_inside =
            |name: &&String| scope.is_none() || name.rfind('/').map_or("", |at| &name[..at]) == package;
        let found = Arc::new(look_through(class_path, names.iter().filter(is_inside)));
        known.insert(scope, Arc::clone(&found));
        found
    }
}

fn class_names(class_path: &ClassPath) -> Vec<String> {
    let entries = class_path.entries();
    let mut names: Vec<String> = entries.flat_map(|it| it.names_of_classes().unwrap_or_default()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Reads the headers of these classes. Damaged ones have no supertypes here; code that needs them reports the
/// damage.
fn look_through<'a>(class_path: &ClassPath, names: impl Iterator<Item = &'a String>) -> DirectSubclasses {
    let mut below = DirectSubclasses::default();
    for name in names {
        let file_name = format!("{name}.class");
        let mut entries = class_path.entries();
        let Some((entry, bytes)) = entries.find_map(|it| Some((it, it.bytes(&file_name).ok()??))) else {
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
