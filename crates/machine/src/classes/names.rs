//! Classes by name, in the name space of the class path and in those of loaders that a program made.

use super::class::{Class, ClassKind};
use super::format::LinkError;
use super::ids::ClassId;
use crate::memory::Addr;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Classes by name, and the errors of names without a class.
#[derive(Default)]
pub(crate) struct Names {
    /// Classes of the JDK, which all programs share.
    jdk: FxHashMap<Arc<str>, ClassId>,
    /// Those of the program that runs.
    program: ProgramNames,
}

/// The names that a program adds to those of the JDK.
#[derive(Default)]
pub(crate) struct ProgramNames {
    classes: FxHashMap<Arc<str>, ClassId>,
    /// Classes defined by loaders of the program, on any path.
    made: FxHashMap<(Addr, Arc<str>), ClassId>,
    /// The first of these classes for each name, for callers that have only a name.
    foreign: FxHashMap<Arc<str>, ClassId>,
    /// Array classes whose element class such a loader defined.
    arrays: FxHashMap<ClassId, ClassId>,
    /// Messages of classes that could not be loaded.
    unloadable: FxHashMap<Arc<str>, String>,
    /// The errors of classes that exist but cannot be linked.
    errors: FxHashMap<Arc<str>, LinkError>,
}

impl Names {
    /// The class of this name from the class path, the JDK or the machine itself.
    pub(crate) fn get(&self, name: &str) -> Option<ClassId> {
        self.program.classes.get(name).or_else(|| self.jdk.get(name)).copied()
    }

    /// Exchanges the names of this program with those of another one.
    pub(super) fn exchange(&mut self, program: &mut ProgramNames) {
        std::mem::swap(&mut self.program, program);
    }

    /// Adds a class under its name; a class of a program's loader only under that loader.
    pub(super) fn add(&mut self, class: &Class) {
        match (class.loader, class.kind) {
            // Generated classes have unique names.
            (0, _) | (_, ClassKind::Instance) if class.loader == 0 || class.file.is_none() => {
                let names = if class.from_jdk { &mut self.jdk } else { &mut self.program.classes };
                names.insert(class.name.clone(), class.id);
            }
            (_, ClassKind::Array { element, .. }) => {
                self.program.arrays.insert(element, class.id);
            }
            _ => {
                self.program.foreign.entry(class.name.clone()).or_insert(class.id);
            }
        }
    }

    /// Takes a name away.
    pub(super) fn remove(&mut self, name: &str) {
        self.program.classes.remove(name);
        self.jdk.remove(name);
    }

    /// A class of this name that some loader of the program defined.
    pub(super) fn foreign(&self, name: &str) -> Option<ClassId> {
        self.program.foreign.get(name).copied()
    }

    /// The array class of elements whose class a loader of the program defined.
    pub(super) fn array_of(&self, element: ClassId) -> Option<ClassId> {
        self.program.arrays.get(&element).copied()
    }

    /// The class that a loader defined under this name, on any path.
    pub(super) fn made_by(&self, made: &(Addr, Arc<str>)) -> Option<ClassId> {
        self.program.made.get(made).copied()
    }

    /// Notes a class that a loader made.
    pub(super) fn set_made(&mut self, made: (Addr, Arc<str>), class: ClassId) {
        self.program.made.insert(made, class);
    }

    /// The error of a class that exists but cannot be linked.
    pub(super) fn error(&self, name: &str) -> Option<&LinkError> {
        self.program.errors.get(name)
    }

    /// Notes such an error.
    pub(super) fn set_error(&mut self, name: &str, error: &'static str, message: String) {
        self.program.unloadable.entry(name.into()).or_insert_with(|| message.clone());
        self.program.errors.insert(name.into(), (error, message));
    }

    /// Whether a class of this name could not be loaded.
    pub(super) fn is_unloadable(&self, name: &str) -> bool {
        self.program.unloadable.contains_key(name)
    }

    /// Notes why a class could not be loaded.
    pub(super) fn set_unloadable(&mut self, name: &str, why: String) {
        self.program.unloadable.insert(name.into(), why);
    }

    /// Forgets the error, since a class of this name is about to be defined.
    pub(crate) fn forget_unloadable(&mut self, name: &str) {
        self.program.unloadable.remove(name);
    }

    /// The messages of classes that could not be loaded, by name.
    pub(super) fn unloadable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.program.unloadable.iter().map(|(name, why)| (&**name, why.as_str()))
    }
}
