//! The watcher's information about a method.

use super::index::Index;
use crate::branch::Branch;
use cupping_machine::Kind;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Number of results that tests must assert a predicate of before it is expected on other paths.
const MIN_RESULTS: usize = 3;

/// What the watcher knows about a method.
pub(super) enum MethodKnowledge {
    /// Not watched.
    Ignored,
    /// The method has no triples.
    Untested,
    /// The method has these branches.
    Tested(Rc<MethodTriples>),
}

pub(super) struct MethodTriples {
    pub(super) branches: Vec<usize>,
    /// The set of branches whose tests take a step between two labels.
    pub(super) ways: FxHashMap<(u32, u32), u128>,
    /// Whether the tests take every path through the method.
    pub(super) exhaustive: bool,
    pub(super) kinds: Vec<Kind>,
    pub(super) name: String,
    /// Finds candidates by the integer arguments.
    pub(super) index: Index,
    /// Whether a branch looks for an object while the method runs.
    pub(super) looks: bool,
    /// Whether the tests have predicates for it.
    pub(super) has_predicates: bool,
    /// The branches whose predicates on the result hold on any path.
    pub(super) general: u128,
    /// The branches whose tests took paths through other code, which no path here equals or differs from.
    pub(super) pathless: u128,
    /// Whether the method occurs in nested triples or has some.
    pub(super) is_waited_for: bool,
}

impl MethodTriples {
    /// Of a method that has none.
    pub(super) fn none(kinds: Vec<Kind>, name: String) -> MethodTriples {
        MethodTriples {
            branches: Vec::new(),
            ways: FxHashMap::default(),
            exhaustive: false,
            kinds,
            name,
            index: Index::default(),
            looks: false,
            has_predicates: false,
            general: 0,
            pathless: 0,
            is_waited_for: false,
        }
    }
}

/// The branches whose predicate on the result holds on any path: tests assert it of several results from
/// several paths, and no test asserts the opposite.
pub(super) fn general(branches: &[&Branch]) -> u128 {
    let of_result = |it: &&&Branch| it.uses_result && it.property.is_some();
    let is_general = |branch: &Branch| {
        let Some((predicate, holds)) = &branch.property else { return false };
        let same = branches.iter().filter(of_result).filter(|it| {
            it.property.as_ref().is_some_and(|(other, also)| other == predicate && also == holds)
        });
        let is_denied = branches
            .iter()
            .any(|it| it.property.as_ref().is_some_and(|(other, also)| other == predicate && also != holds));
        let ways: BTreeSet<_> = same.clone().map(|it| &it.path.steps).collect();
        !is_denied && same.count() >= MIN_RESULTS && ways.len() > 1
    };
    let general = branches.iter().enumerate().filter(|(_, it)| it.uses_result && is_general(it));
    general.fold(0, |set, (place, _)| set | 1 << place)
}
