//! Extreme states: those in which a field, or the difference of two, has the largest or smallest number so far, or
//! objects have the most elements. What happens at a full buffer is many calls away from an empty one, and that one
//! counter stays below another is refuted where they are closest.

use super::limits::ReachedState;
use cupping_machine::Snapshot;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Limit on the calls that lead to one: a counter has no end. Marches are the longest.
const MOST_CALLS: usize = 80;

/// Limit on the fields whose differences are looked at.
const MOST_COMPARED: usize = 5;

/// The names of two fields, the second without a name if the number is that of one, and whether it is the largest.
type Key = (Rc<str>, Rc<str>, bool);

/// A state with a state of the machine to go on from.
type Fork = (Rc<ReachedState>, Snapshot);

/// The extreme states that challenges met.
#[derive(Default)]
pub(super) struct Extremes {
    /// For each field, each two fields, the number of all elements (without a name), and elements of arrays (`[]`): the
    /// number, and a state with it.
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
        all.push((none.clone(), none.clone(), elements as i128));
        for (at, (name, number)) in fields.iter().enumerate().take(MOST_COMPARED) {
            let others = fields[at + 1..].iter().take(MOST_COMPARED - 1 - at);
            all.extend(others.map(|(other, subtracted)| (name.clone(), other.clone(), number - subtracted)));
        }
        // Elements, and how far they are beyond the number of elements: they may be indices.
        let (element, excess): (Rc<str>, Rc<str>) = ("[]".into(), "[] - []".into());
        for object in state.image.objects.values() {
            let numbers = || object.elements.iter().flatten().filter_map(|it| it.number());
            let length = object.length.unwrap_or_default() as i128;
            for number in numbers().max().into_iter().chain(numbers().min()) {
                all.push((element.clone(), none.clone(), number));
                all.push((excess.clone(), none.clone(), number - length));
            }
        }
        let mut fork: Option<Fork> = None;
        let mut snapshot = Some(snapshot);
        for (name, other, number) in all {
            for is_largest in [true, false] {
                let key = (name.clone(), other.clone(), is_largest);
                let is_record = self
                    .states
                    .get(&key)
                    .is_none_or(|(known, _)| if is_largest { number > *known } else { number < *known });
                if !is_record {
                    continue;
                }
                if let Some(snapshot) = snapshot.take() {
                    fork = Some((Rc::new(state.clone()), snapshot()));
                }
                self.states.extend(fork.clone().map(|fork| (key, (number, fork))));
            }
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
