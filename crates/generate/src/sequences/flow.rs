//! The data-flow check (thesis §4.3.3): whether every element of a sequence can be linked to the others, by
//! return-argument pairs or through static fields.
//!
//! Each reference that an element takes comes from one place. So this asks for a choice of one provider for each slot
//! such that the elements hang together; what is inserted in front later may provide, too.

use super::universe::Universe;

/// Choices of providers that are tried before it is taken to be possible.
const MAX_TRIES: u32 = 4_000;

/// Whether data can flow between all elements of a sequence, given with its end first. `open` says that more elements
/// may be inserted in front.
pub fn is_possible(universe: &Universe, backwards: &[usize], open: bool) -> bool {
    let length = backwards.len();
    if length < 2 {
        return true;
    }
    // The node behind the elements stands for all that comes from outside the sequence.
    let mut groups = Groups((0..=length).collect());
    for (at, later) in backwards.iter().enumerate() {
        for (before, first) in backwards.iter().enumerate().skip(at + 1) {
            if universe.influences_globally(*first, *later) {
                groups.join(before, at);
            }
        }
    }
    let mut slots: Vec<Vec<usize>> = Vec::new();
    for (at, element) in backwards.iter().enumerate() {
        for slot in 0..universe.elements[*element].slots.len() {
            let providers =
                (at + 1..length).filter(|before| universe.fits(backwards[*before], *element, slot));
            let mut providers: Vec<usize> = providers.collect();
            let provided = universe.is_provided(*element, slot);
            if provided && open || !provided && universe.is_shared(*element, slot) {
                providers.push(length);
            }
            if !providers.is_empty() {
                providers.insert(0, at);
                slots.push(providers);
            }
        }
    }
    // Slots with one provider leave no choice.
    slots.sort_by_key(Vec::len);
    let mut tries = 0;
    choose(&groups, &slots, length, &mut tries)
}

/// Tries the providers of the first slot, then the others'. The first entry of a slot is its element.
fn choose(groups: &Groups, slots: &[Vec<usize>], length: usize, tries: &mut u32) -> bool {
    *tries += 1;
    let missing = groups.count(length) - 1;
    if missing == 0 || *tries > MAX_TRIES {
        return true;
    }
    let Some((slot, others)) = slots.split_first() else { return false };
    // A slot joins two groups at most; the way through the outside costs one more.
    if missing > slots.len() {
        return false;
    }
    slot[1..].iter().any(|provider| {
        let mut joined = groups.clone();
        joined.join(slot[0], *provider) && choose(&joined, others, length, tries)
    }) || choose(groups, others, length, tries)
}

/// Whether a sequence, given with its end first, can run as it is: there is an object wherever one is needed, and data
/// can flow without more in front.
pub fn is_executable(universe: &Universe, backwards: &[usize]) -> bool {
    let has_receivers = backwards.iter().enumerate().all(|(at, element)| {
        let slots = universe.elements[*element].slots.iter().enumerate();
        slots
            .filter(|(_, slot)| slot.is_receiver)
            .all(|(slot, _)| backwards[at + 1..].iter().any(|before| universe.fits(*before, *element, slot)))
    });
    has_receivers && is_possible(universe, backwards, false)
}

/// Elements in groups, each known by one of them.
#[derive(Clone)]
struct Groups(Vec<usize>);

impl Groups {
    fn of(&self, element: usize) -> usize {
        let mut at = element;
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }

    /// Makes one group of two; `false` if they are one already.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }

    /// The number of groups that hold one of the first elements.
    fn count(&self, elements: usize) -> usize {
        let mut seen: Vec<usize> = (0..elements).map(|e| self.of(e)).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }
}
