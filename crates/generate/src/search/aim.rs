//! The aim of a search that is restricted to some methods.

use cupping_coverage::{CoverageMap, Goal};
use cupping_explore::Signature;
use cupping_machine::MethodId;
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the recorded paths for each invoked method, and for all together.
const MAX_WAYS: usize = 48;
const MAX_ALL_WAYS: usize = 400;

/// The methods that a search is for.
pub(super) struct Aim {
    pub(super) methods: BTreeSet<MethodId>,
    /// Their indices of class and method in the coverage map.
    places: BTreeSet<(usize, usize)>,
    is_run: bool,
    ways: BTreeSet<(MethodId, Signature)>,
    kept: BTreeMap<MethodId, usize>,
}

impl Aim {
    /// An aim at methods, given with their indices of class and method in the coverage map.
    pub(super) fn at(placed: Vec<(MethodId, (usize, usize))>) -> Aim {
        Aim {
            methods: placed.iter().map(|it| it.0).collect(),
            places: placed.into_iter().map(|it| it.1).collect(),
            is_run: false,
            ways: BTreeSet::new(),
            kept: BTreeMap::new(),
        }
    }

    /// Whether a run takes a new path through the methods. The number of recorded paths is limited.
    pub(super) fn is_new_way(
        &mut self,
        map: &CoverageMap,
        invoked: MethodId,
        control: Signature,
        hits: &[u64],
    ) -> bool {
        let kept = self.kept.entry(invoked).or_default();
        if *kept >= MAX_WAYS || self.ways.len() >= MAX_ALL_WAYS {
            return false;
        }
        let is_new =
            self.places.iter().any(|place| is_run(map, *place, hits)) && self.ways.insert((invoked, control));
        *kept += usize::from(is_new);
        is_new
    }

    /// Whether a goal is in one of the methods.
    pub(super) fn wants(&self, goal: &Goal) -> bool {
        matches!(goal, Goal::Branch { class, method, .. } if self.places.contains(&(*class, *method)))
    }

    /// Whether all of the methods have been run.
    pub(super) fn is_run(&self) -> bool {
        self.is_run
    }

    pub(super) fn note_run(&mut self, map: &CoverageMap, hits: &[u64]) {
        self.is_run = self.places.iter().all(|place| is_run(map, *place, hits));
    }
}

/// Whether a run with these hits has entered a method.
fn is_run(map: &CoverageMap, (class, method): (usize, usize), hits: &[u64]) -> bool {
    let known = map.classes()[class].methods.iter().find(|it| it.index == method);
    known.and_then(|it| it.covered_ways(hits)).is_some_and(|ways| ways.contains(&true))
}
