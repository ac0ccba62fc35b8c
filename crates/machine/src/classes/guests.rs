//! Guest classes: classes of conditions that are evaluated on a program and hidden from it.
//!
//! Tests of a suite and their libraries are evaluated on the objects of a program that knows nothing of them.
//! Their classes come from a separate class path and can be named only while code runs aside
//! ([`Machine::aside`](crate::Machine::aside)); otherwise `Class.forName` finds what it would find without
//! them. A class of the program takes precedence over a guest class.

use super::ids::ClassId;
use cupping_classfile::ClassPath;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The guest classes of a program.
#[derive(Default)]
pub(crate) struct Guests {
    class_path: Option<Arc<ClassPath>>,
    names: FxHashMap<Arc<str>, ClassId>,
    is_open: bool,
}

impl Guests {
    /// Sets where guest classes come from.
    pub(super) fn set_class_path(&mut self, class_path: Arc<ClassPath>) {
        self.class_path = Some(class_path);
    }

    /// Whether code runs that may name guests.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Sets whether the running code may name guests, and returns the previous setting.
    pub(crate) fn set_open(&mut self, is_open: bool) -> bool {
        std::mem::replace(&mut self.is_open, is_open)
    }

    /// The guest of this name that has been loaded.
    pub(super) fn get(&self, name: &str) -> Option<ClassId> {
        self.names.get(name).copied()
    }

    /// Adds a guest.
    pub(super) fn add(&mut self, name: Arc<str>, class: ClassId) {
        self.names.insert(name, class);
    }

    /// The bytes of a class file from the guests' class path.
    pub(super) fn file(&self, name: &str) -> Option<Arc<[u8]>> {
        let file_name = format!("{name}.class");
        self.class_path.as_ref()?.entries().find_map(|entry| entry.read(&file_name).ok().flatten())
    }

    /// Whether there may be guests.
    pub(super) fn has_class_path(&self) -> bool {
        self.class_path.is_some()
    }
}
