//! Selects the smallest difference of each kind.

use crate::candidate::Candidate;
use crate::comparison::Difference;
use crate::versions::{Contrast, VersionEnd};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The smallest difference of each kind, among those that run the same changed methods.
pub(super) fn smallest(all: Vec<(Difference, Candidate)>) -> Vec<(Difference, Candidate)> {
    let size = |it: &Difference| {
        let text = format!("{:?}", it.old_case.steps);
        (it.old_case.steps.len(), text.len(), text)
    };
    let mut kept: BTreeMap<(BTreeSet<usize>, String, String), (Difference, Candidate)> = BTreeMap::new();
    for (difference, candidate) in all {
        let method = &difference.old_case.under_test;
        let name = format!("{}.{}{}", method.class, method.name, method.descriptor);
        let key = (difference.runs.clone(), name, kind(&difference.what));
        match kept.entry(key) {
            Entry::Vacant(place) => {
                place.insert((difference, candidate));
            }
            Entry::Occupied(mut known) => {
                if size(&difference) < size(&known.get().0) {
                    known.insert((difference, candidate));
                }
            }
        }
    }
    let mut kept: Vec<(Difference, Candidate)> = kept.into_values().collect();
    kept.sort_by_cached_key(|(it, _)| size(it));
    kept
}

/// What a difference concerns, without its values.
fn kind(what: &Contrast) -> String {
    let end = |end: &VersionEnd| match end {
        VersionEnd::Threw { class, .. } => class.to_string(),
        other => format!("{other:?}"),
    };
    match what {
        Contrast::Ends(old, new) => format!("{} {}", end(old), end(new)),
        Contrast::Values(_) => "values".to_owned(),
    }
}
