//! Extreme states: those in which a field, or the difference of two, has the largest or smallest number so far, or
//! objects have the most elements. What happens at a full buffer is many calls away from an empty one, and that one
//! counter stays below another is refuted where they are closest.

use super::limits::ReachedState;
use cupping_machine::Snapshot;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Limit on the calls that lead to one: a counter has no end.
const MOST_CALLS: usize = 24;

/// Limit on the fields whose differences are looked at.
const MOST_COMPARED: usize = 5;

/// The names of two fields, the second without a name if the number is that of one, and whether it is the largest.
type Key = (Rc<str>, Rc<str>, bool);

/// A state with a state of the machine to go on from.
type Fork = (Rc<ReachedState>, Snapshot);

/// The extreme states that challenges met.
#[derive(Default)]
pub(super) struct Extremes {
    /// For each field, each two fields, and the number of all elements (without a name): the number, and a state with
    /// it.
    states: BTreeMap<Key, (i128, Fork)>,
}

impl Extremes {
    /// Keeps a state if it is extreme. `snapshot` gives the state of the machine.
    pub fn note(&mut self, state: &ReachedState, snapshot: impl FnOnce() -> Snapshot) {
        if state.is_large || state.made.calls() > MOST_CALLS {
            return;
        }
        let object = state.image.objects.get(&state.receiver);
        let fields = object.into_iter().flat_map(|it| &it.fields);
        let none: Rc<str> = "".into();
        let fields: Vec<(Rc<str>, i128)> =
            fields.filter_map(|(name, value)| Some((name.clone(), value.number()?))).collect();
        let elements: usize = state.image.objects.values().filter_map(|it| it.length).sum();
        let single = fields.iter().map(|(name, number)| (name.clone(), none.clone(), *number));
        let mut all: Vec<(Rc<str>, Rc<str>, i128)> = single.collect();
        all.push((none.clone(), none, elements as i128));
        for (at, (name, number)) in fields.iter().enumerate().take(MOST_COMPARED) {
            let others = fields[at + 1..].iter().take(MOST_COMPARED - 1 - at);
            all.extend(others.map(|(other, subtracted)| (name.clone(), other.clone(), number - subtracted)));
        }
        let records: Vec<(Key, i128)> = all
            .into_iter()
            .flat_map(|(name, other, number)| {
                [true, false].map(|is_largest| ((name.clone(), other.clone(), is_largest), number))
            })
            .filter(|(key, number)| {
                self.states
                    .get(key)
                    .is_none_or(|(known, _)| if key.2 { number > known } else { number < known })
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
