//! Extreme states: those in which a field has the largest or smallest number so far, or objects have the most elements.
//! What happens at a full buffer is many calls away from an empty one.

use super::limits::ReachedState;
use cupping_machine::Snapshot;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Limit on the calls that lead to one: a counter has no end.
const MOST_CALLS: usize = 24;

/// A state with a state of the machine to go on from.
type Fork = (Rc<ReachedState>, Snapshot);

/// The extreme states that challenges met.
#[derive(Default)]
pub(super) struct Extremes {
    /// For each field and for the number of all elements (without a name), whether it is the largest or smallest: the
    /// number, and a state with it.
    states: BTreeMap<(Rc<str>, bool), (i128, Fork)>,
}

impl Extremes {
    /// Keeps a state if it is extreme. `snapshot` gives the state of the machine.
    pub fn note(&mut self, state: &ReachedState, snapshot: impl FnOnce() -> Snapshot) {
        if state.is_large || state.made.calls() > MOST_CALLS {
            return;
        }
        let object = state.image.objects.get(&state.receiver);
        let fields = object.into_iter().flat_map(|it| &it.fields);
        let numbers = fields.filter_map(|(name, value)| Some((name.clone(), value.number()?)));
        let elements: usize = state.image.objects.values().filter_map(|it| it.length).sum();
        let all = numbers.chain([("".into(), elements as i128)]);
        let records: Vec<((Rc<str>, bool), i128)> = all
            .flat_map(|(name, number)| [true, false].map(|is_largest| ((name.clone(), is_largest), number)))
            .filter(|((name, is_largest), number)| {
                let known = self.states.get(&(name.clone(), *is_largest));
                known.is_none_or(|(known, _)| if *is_largest { number > known } else { number < known })
            })
            .collect();
        if records.is_empty() {
            return;
        }
        let fork = (Rc::new(state.clone()), snapshot());
        for (key, number) in records {
            self.states.insert(key, (number, fork.clone()));
        }
    }

    /// The states, each once.
    pub fn all(&self) -> Vec<Fork> {
        let mut found: Vec<Fork> = Vec::new();
        for (_, fork) in self.states.values() {
            if !found.iter().any(|it| Rc::ptr_eq(&it.0, &fork.0)) {
                found.push(fork.clone());
            }
        }
        found
    }
}
