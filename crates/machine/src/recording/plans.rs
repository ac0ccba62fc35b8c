//! What is to be put between the instructions of methods when they are decoded, by class and index of the method.

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

    /// Forgets all plans: the classes that had probes.
    pub(crate) fn clear(&mut self) -> BTreeSet<Arc<str>> {
        self.contents.clear();
        std::mem::take(&mut self.probes).into_keys().map(|(class, _)| class).collect()
    }
}
