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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether providers connect so many elements. Each slot is its element and its possible providers; the number of
    /// elements stands for everything outside.
    fn connects(elements: usize, slots: &[&[usize]]) -> bool {
        let slots: Vec<Vec<usize>> = slots.iter().map(|it| it.to_vec()).collect();
        choose(&Groups((0..=elements).collect()), &slots, elements, &mut 0)
    }

    #[test]
    fn groups_that_are_joined_are_one() {
        let mut groups = Groups((0..5).collect());
        assert_eq!(groups.count(5), 5);
        assert!(groups.join(3, 1) && groups.join(4, 3));
        assert!(!groups.join(1, 4), "they are one group already");
        assert_eq!((groups.of(4), groups.of(1)), (groups.of(3), groups.of(3)));
        assert_ne!(groups.of(0), groups.of(1));
        assert_eq!(groups.count(5), 3);
        assert_eq!(groups.count(2), 2, "only the first elements count");
    }

    #[test]
    fn each_element_is_connected_through_a_provider() {
        assert!(connects(2, &[&[0, 1]]));
        assert!(!connects(2, &[]), "nothing connects them");
        assert!(connects(3, &[&[0, 1], &[0, 2]]), "two arguments of one call");
        assert!(connects(3, &[&[0, 1], &[1, 2]]), "a chain");
    }

    #[test]
    fn a_slot_has_one_provider() {
        assert!(!connects(3, &[&[0, 1, 2]]), "one argument takes one of two objects");
        assert!(!connects(3, &[&[0, 1], &[0, 1]]), "the third is never passed");
    }

    #[test]
    fn another_choice_is_tried_if_the_first_leads_nowhere() {
        // If both slots took element 1, element 2 would be left.
        assert!(connects(3, &[&[0, 1, 2], &[0, 1]]));
        assert!(connects(4, &[&[0, 1, 2], &[0, 1, 3], &[0, 1]]));
        assert!(connects(3, &[&[0, 1], &[0, 1], &[0, 2]]), "two arguments may be one object");
    }

    #[test]
    fn elements_are_connected_by_what_lies_outside() {
        assert!(connects(2, &[&[0, 2], &[1, 2]]), "both take an object that is made before");
        assert!(!connects(2, &[&[0, 2]]), "only one does");
    }
}
