//! Instrumentation to insert when methods are decoded, by class and method index.

use super::data_flow::ContentsAccess;
use cupping_coverage::ProbePlan;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A method: the name of its class, and its index in the class file.
type Key = (Arc<str>, usize);

/// Plans for code that is not decoded yet.
#[derive(Default)]
pub(crate) struct Plans {
    probes: FxHashMap<Key, ProbePlan>,
    contents: FxHashMap<Key, BTreeMap<u32, ContentsAccess>>,
    places: FxHashMap<Key, BTreeMap<u32, u32>>,
    armed: Vec<bool>,
    is_silent: bool,
    /// The classes under test; empty if none is known to be.
    under_test: BTreeSet<Arc<str>>,
}

impl Plans {
    /// The probes of a method.
    pub(crate) fn probes(&self, key: &Key) -> Option<&ProbePlan> {
        self.probes.get(key)
    }

    /// The instructions of a method, by offset, that count as accesses to fields.
    pub(crate) fn contents(&self, key: &Key) -> Option<&BTreeMap<u32, ContentsAccess>> {
        self.contents.get(key)
    }

    /// The places of a method at which runs may pause: numbers by offset.
    pub(crate) fn places(&self, key: &Key) -> Option<&BTreeMap<u32, u32>> {
        self.places.get(key)
    }

    /// Sets the places of a method at which runs may pause.
    pub(crate) fn set_places(&mut self, class: &Arc<str>, method: usize, places: BTreeMap<u32, u32>) {
        self.places.insert((class.clone(), method), places);
    }

    /// Whether runs pause at a place.
    #[inline]
    pub(crate) fn is_armed(&self, place: u32) -> bool {
        !self.is_silent && self.armed.get(place as usize).copied().unwrap_or(false)
    }

    /// Says whether runs pause at armed places at all.
    pub(crate) fn set_pausing(&mut self, is_pausing: bool) {
        self.is_silent = !is_pausing;
    }

    /// Says whether runs pause at a place.
    pub(crate) fn arm(&mut self, place: u32, is_armed: bool) {
        if self.armed.len() <= place as usize {
            self.armed.resize(place as usize + 1, false);
        }
        self.armed[place as usize] = is_armed;
    }

    /// Whether a class is known not to be under test.
    pub(crate) fn is_beside_test(&self, class: &str) -> bool {
        !self.under_test.is_empty() && !self.under_test.contains(class)
    }

    /// Sets the classes under test.
    pub(crate) fn set_under_test(&mut self, classes: BTreeSet<Arc<str>>) {
        self.under_test = classes;
    }

    /// Sets the probes of a method.
    pub(crate) fn set_probes(&mut self, class: &Arc<str>, method: usize, plan: ProbePlan) {
        self.probes.insert((class.clone(), method), plan);
    }

    /// Sets which instructions of a method count as accesses to fields.
    pub(crate) fn set_contents(
        &mut self,
        class: &Arc<str>,
        method: usize,
        at: BTreeMap<u32, ContentsAccess>,
    ) {
        self.contents.insert((class.clone(), method), at);
    }

    /// Forgets all probes: the classes that had some.
    pub(crate) fn clear_probes(&mut self) -> BTreeSet<Arc<str>> {
        std::mem::take(&mut self.probes).into_keys().map(|(class, _)| class).collect()
    }

    /// Forgets which instructions count as accesses to fields: the classes that had some.
    pub(crate) fn clear_contents(&mut self) -> BTreeSet<Arc<str>> {
        std::mem::take(&mut self.contents).into_keys().map(|(class, _)| class).collect()
    }
}
