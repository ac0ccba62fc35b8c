//! Triples of a suite that ran with an earlier version of the program.

use super::SuiteTriples;
use crate::binding::Binding;
use cupping_contract::Method;
use std::collections::BTreeSet;

/// What the suite's version of the program and the one to be watched have in common.
pub struct EarlierVersion<'e> {
    /// The methods whose code differs.
    pub replaced: &'e BTreeSet<Method>,
    /// The classes whose fields differ.
    pub reshaped: &'e BTreeSet<String>,
    /// The label in the watched version that corresponds to a label of a method of the earlier version.
    pub label: &'e dyn Fn(&Method, u32) -> Option<u32>,
}

impl SuiteTriples {
    /// Makes the triples fit the version of the program that is watched. Paths through other code cannot be compared,
    /// and objects with other fields cannot be copied.
    pub fn watch_later(&mut self, earlier: &EarlierVersion<'_>) {
        let is_reshaped = |class: &str| earlier.reshaped.contains(class);
        for branch in &mut self.branches {
            let target = &self.cases[branch.case].triples[branch.triple].target;
            let label = |label: u32| (earlier.label)(target, label);
            match branch.path.relabeled(&label).filter(|_| !earlier.replaced.contains(target)) {
                Some(path) => branch.path = path,
                None => branch.is_pathless = true,
            }
            for binding in &mut branch.bindings {
                if matches!(binding, Binding::Copy(copy, root) if copy.has_class(*root, &is_reshaped)) {
                    *binding = Binding::Unknown;
                }
            }
        }
    }
}
