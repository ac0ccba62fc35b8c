//! The table of natives, by class and name. The type of a native is left to the machine.

use super::catalog::Catalog;
use crate::classes::MethodId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A row of the table.
#[derive(Clone, Copy)]
pub struct NativeRow<N> {
    /// Internal name of the class.
    pub class: &'static str,
    /// Name of the method.
    pub name: &'static str,
    /// Its descriptor; `*` for all.
    pub descriptor: &'static str,
    /// The implementation.
    pub native: N,
    /// Whether it also replaces bytecode, if the method has some.
    pub replaces: bool,
}

/// All natives by class and name, and records of their calls.
pub(crate) struct Natives<N: 'static> {
    by_name: FxHashMap<(&'static str, &'static str), Vec<&'static NativeRow<N>>>,
    /// Missing natives that were called, by full signature.
    missing: BTreeSet<String>,
    /// The native whose exception is about to be raised: its frame is on top of the stack trace.
    raising: Option<MethodId>,
    /// The services of the JDK's modules, once they have been read.
    services: Option<Catalog>,
}

impl<N: Copy> Natives<N> {
    /// The table of these rows.
    pub(crate) fn new(rows: impl Iterator<Item = &'static NativeRow<N>>) -> Natives<N> {
        let mut by_name: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for native in rows {
            by_name.entry((native.class, native.name)).or_default().push(native);
        }
        Natives { by_name, missing: BTreeSet::new(), raising: None, services: None }
    }

    /// The replacement of this method, which may have bytecode.
    pub fn find(&self, class: &str, name: &str, descriptor: &str, has_code: bool) -> Option<N> {
        let rows = self.by_name.get(&(class, name))?;
        rows.iter()
            .find(|row| row.descriptor == descriptor || row.descriptor == "*")
            .filter(|row| row.replaces || !has_code)
            .map(|row| row.native)
    }

    /// Records that a missing native was called.
    pub(crate) fn note_missing(&mut self, signature: String) {
        self.missing.insert(signature);
    }

    /// Missing natives that were called, by full signature.
    pub(crate) fn missing(&self) -> &BTreeSet<String> {
        &self.missing
    }

    /// The same, which are forgotten.
    pub(crate) fn take_missing(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.missing)
    }

    /// The services of the JDK's modules, if they have been read.
    pub(crate) fn services(&self) -> Option<&Catalog> {
        self.services.as_ref()
    }

    /// Keeps the services of the JDK's modules.
    pub(crate) fn set_services(&mut self, services: Catalog) {
        self.services = Some(services);
    }

    /// Sets the native whose exception is about to be raised.
    pub(crate) fn set_raising(&mut self, method: Option<MethodId>) {
        self.raising = method;
    }

    /// The native whose exception is about to be raised.
    pub(crate) fn raising(&self) -> Option<MethodId> {
        self.raising
    }
}
