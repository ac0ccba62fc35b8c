//! Extreme states: those in which a field has the largest or smallest number so far, or objects have the most elements.
//! Random sequences begin there as well, since what happens at a full buffer is many calls away from an empty one.

use super::limits::ReachedState;
use crate::random::Random;
use cupping_machine::Snapshot;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Limit on the states kept; later ones replace earlier ones.
const MOST: usize = 24;
/// Limit on the calls that lead to one: a counter has no end.
const MOST_CALLS: usize = 24;

/// The extreme states of the random sequences of one challenge.
#[derive(Default)]
pub(super) struct Extremes {
    /// The range of each field's numbers, and of the number of all elements.
    ranges: BTreeMap<Rc<str>, (i128, i128)>,
    states: Vec<(ReachedState, Snapshot)>,
    next: usize,
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
        let mut is_extreme = false;
        for (name, number) in numbers.chain([("".into(), elements as i128)]) {
            let is_first = !self.ranges.contains_key(&name);
            let range = self.ranges.entry(name).or_insert((number, number));
            is_extreme |= !is_first && !(range.0..=range.1).contains(&number);
            *range = (range.0.min(number), range.1.max(number));
        }
        if !is_extreme {
            return;
        }
        let kept = (state.clone(), snapshot());
        if self.states.len() < MOST {
            self.states.push(kept);
        } else {
            self.states[self.next % MOST] = kept;
        }
        self.next += 1;
    }

    /// One of the states, with the state of the machine.
    pub fn one(&self, random: &mut Random) -> Option<(ReachedState, Snapshot)> {
        random.one(&self.states).cloned()
    }
}
