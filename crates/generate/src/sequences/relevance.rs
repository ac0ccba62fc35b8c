//! Relevance: which invocations lie on a candidate sequence to a method with uncovered goals.

use super::element::ElementKind;
use super::universe::Universe;
use cupping_machine::MethodId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// For each method, the distance to the nearest target: the number of invocations after it in the shortest
/// candidate sequence.
#[derive(Debug, Default)]
pub struct Relevance {
    distance: FxHashMap<MethodId, usize>,
}

impl Relevance {
    /// The distances to the targets, which are elements of the universe.
    pub fn new(universe: &Universe, targets: &[usize]) -> Relevance {
        let mut distance: Vec<Option<usize>> = vec![None; universe.elements.len()];
        let mut open: VecDeque<usize> = targets.iter().copied().collect();
        for target in targets {
            distance[*target] = Some(0);
        }
        while let Some(later) = open.pop_front() {
            let next = distance[later].map(|d| d + 1);
            for (first, known) in distance.iter_mut().enumerate() {
                let may_precede = universe.elements[first].may_precede;
                if known.is_none() && may_precede && universe.influences(first, later) {
                    *known = next;
                    open.push_back(first);
                }
            }
        }
        let method = |at: usize| match &universe.elements[at].kind {
            ElementKind::Call(invokable) => Some(invokable.method),
            _ => None,
        };
        let known = distance.iter().enumerate().filter_map(|(at, d)| Some((method(at)?, (*d)?)));
        Relevance { distance: known.collect() }
    }

    /// Whether there are no targets, and thus no preferences.
    pub fn is_empty(&self) -> bool {
        self.distance.is_empty()
    }

    /// Whether a method can lead to a target within this many further invocations.
    pub fn leads_on(&self, method: MethodId, left: usize) -> bool {
        self.distance.get(&method).is_some_and(|distance| *distance <= left)
    }
}
