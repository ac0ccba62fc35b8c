//! Classes beside the program: what conditions are made of and the program must not see.
//!
//! Tests of a suite, and the libraries that they are written with, are evaluated over the objects of a program that
//! knows nothing of them. Their classes come from a class path of their own, and have names only in [`Machine::aside`]:
//! outside of it `Class.forName` finds what it would have found. A class that the program has is the program's.

use crate::classes::ClassId;
use crate::exit::Step;
use crate::machine::Machine;
use cupping_classfile::{ClassFile, ClassPath, Origin};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The classes beside a program.
#[derive(Default)]
pub(crate) struct Beside {
    class_path: Option<Arc<ClassPath>>,
    names: FxHashMap<Arc<str>, ClassId>,
    /// Whether code runs that may name them.
    pub(crate) is_open: bool,
}

impl Machine {
    /// Sets where conditions find classes that the program does not have. They are trusted as those of the JDK are.
    pub fn put_beside(&mut self, class_path: Arc<ClassPath>) {
        self.beside.class_path = Some(class_path);
    }

    /// The class of this name beside the program; `None` if there is none, or the program has one of its own.
    pub(crate) fn load_beside(&mut self, name: &str) -> Option<Step<ClassId>> {
        if let Some(id) = self.beside.names.get(name) {
            return Some(Ok(*id));
        }
        let class_path = self.beside.class_path.clone()?;
        if name.starts_with('[') || matches!(self.program.find(name), Ok(Some(_))) {
            return None;
        }
        let file_name = format!("{name}.class");
        let bytes = class_path.entries().find_map(|entry| entry.read(&file_name).ok().flatten())?;
        let origin = Origin::Jdk { module: Arc::from("cupping") };
        let file = ClassFile::parse(bytes, "a class of a suite", origin).ok()?;
        let loaded = self.load_file(Arc::new(file));
        if let Ok(id) = loaded {
            let name = self.class(id).name.clone();
            self.class_names.remove(&name);
            self.beside.names.insert(name, id);
        }
        Some(loaded)
    }
}
