//! The data-flow check (thesis §4.3.3): whether every element of a sequence can be connected to the others,
//! by return-argument pairs or through static fields.
//!
//! Each reference that an element takes has one provider. The check looks for a choice of providers that
//! connects all elements; elements inserted at the front later may be providers too.

use super::universe::Universe;

/// Limit on the choices tried before a flow is assumed to be possible.
const MAX_TRIES: u32 = 4_000;

/// Whether data can flow between all elements of a sequence, given backwards. `open` says that more elements
/// may be inserted at the front.
pub fn is_possible(universe: &Universe, backwards: &[usize], open: bool) -> bool {
    let length = backwards.len();
    if length < 2 {
        return true;
    }
    // The node after the elements represents everything outside of the sequence.
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
    // Slots with a single provider come first.
    slots.sort_by_key(Vec::len);
    let mut tries = 0;
    choose(&groups, &slots, length, &mut tries)
}

/// Tries the providers of the first slot, then those of the others. The first entry of a slot is its element.
fn choose(groups: &Groups, slots: &[Vec<usize>], length: usize, tries: &mut u32) -> bool {
    *tries += 1;
    let missing = groups.count(length) - 1;
    if missing == 0 || *tries > MAX_TRIES {
        return true;
    }
    let Some((slot, others)) = slots.split_first() else { return false };
    // A slot connects at most two groups; a connection through the outside needs one more.
    if missing > slots.len() {
        return false;
    }
    slot[1..].iter().any(|provider| {
        let mut joined = groups.clone();
        joined.join(slot[0], *provider) && choose(&joined, others, length, tries)
    }) || choose(groups, others, length, tries)
}

/// Whether a sequence, given backwards, is executable as it is: every receiver exists, and data can flow
/// without further elements.
pub fn is_executable(universe: &Universe, backwards: &[usize]) -> bool {
    let has_receivers = backwards.iter().enumerate().all(|(at, element)| {
        let slots = universe.elements[*element].slots.iter().enumerate();
        slots
            .filter(|(_, slot)| slot.is_receiver)
            .all(|(slot, _)| backwards[at + 1..].iter().any(|before| universe.fits(*before, *element, slot)))
    });
    has_receivers && is_possible(universe, backwards, false)
}

/// A union-find structure over elements.
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

    /// Merges two groups; false if they are the same.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }

    /// Number of groups among the first elements.
    fn count(&self, elements: usize) -> usize {
        let mut seen: Vec<usize> = (0..elements).map(|e| self.of(e)).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }
}
