//! The last definition of each field and element.

use super::data_flow::{Definition, ELEMENT, SOME_ELEMENT};
use crate::memory::Addr;
use crate::state::PersistentMap;
use std::ops::Deref;

/// Definitions by object (0 for statics) and key.
///
/// A load at an index that depends on inputs may use any element of an array, and there may be thousands. So the
/// invocations that define them are counted.
#[derive(Clone, Default)]
pub struct LastDefinitions {
    all: PersistentMap<(Addr, u32), Definition>,
    /// How many elements of an array are as an invocation defined them.
    elements: PersistentMap<(Addr, u32), u32>,
    /// The object from which a value was last loaded, by value and field.
    owners: PersistentMap<(Addr, u32), Addr>,
    /// The object that an instruction that is about to run accesses.
    kept: Addr,
    /// Whether there ever was a store at an index that depends on inputs.
    has_unknown_index: bool,
}

impl LastDefinitions {
    /// Records a definition in place of the last one.
    pub fn insert(&mut self, key: (Addr, u32), definition: Definition) {
        self.has_unknown_index |= key.1 & SOME_ELEMENT == SOME_ELEMENT;
        let last = self.all.insert(key, definition);
        if key.1 & ELEMENT == 0 || last.is_some_and(|it| it.invocation == definition.invocation) {
            return;
        }
        self.forget_element(key.0, last);
        *self.elements.entry((key.0, definition.invocation)).or_default() += 1;
    }

    /// Keeps the object that the next instruction accesses.
    pub fn keep(&mut self, object: Addr) {
        self.kept = object;
    }

    /// The object that was kept last.
    pub fn kept(&self) -> Addr {
        self.kept
    }

    /// Notes that a value was loaded from this field of the kept object.
    pub fn note_owner(&mut self, value: Addr, field: u32) {
        self.owners.insert((value, field), self.kept);
    }

    /// The object from whose field a value was last loaded.
    pub fn owner(&self, value: Addr, field: u32) -> Option<Addr> {
        self.owners.get(&(value, field)).copied()
    }

    /// Forgets owners that are gone, and those of values that are gone.
    pub fn forget_owners(&mut self, is_gone: impl Fn(Addr) -> bool) {
        let all = self.owners.iter().filter(|(key, owner)| is_gone(key.0) || is_gone(**owner));
        let gone: Vec<(Addr, u32)> = all.map(|(key, _)| *key).collect();
        for key in gone {
            self.owners.remove(&key);
        }
    }

    /// Forgets the definition of a field or element.
    pub fn remove(&mut self, key: &(Addr, u32)) {
        let last = self.all.remove(key);
        if key.1 & ELEMENT != 0 {
            self.forget_element(key.0, last);
        }
    }

    /// Whether an invocation may have defined any element of an array, since the index depended on inputs.
    pub fn may_define_all(&self, array: Addr, invocation: u32) -> bool {
        self.has_unknown_index && self.all.contains_key(&(array, SOME_ELEMENT | invocation))
    }

    /// Whether an element of an array is as an invocation defined it.
    pub fn has_element(&self, array: Addr, invocation: u32) -> bool {
        self.elements.contains_key(&(array, invocation))
    }

    fn forget_element(&mut self, array: Addr, last: Option<Definition>) {
        let Some(Definition { invocation, .. }) = last else { return };
        let key = (array, invocation);
        match self.elements.get_mut(&key) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(self.elements.remove(&key)),
        }
    }
}

impl Deref for LastDefinitions {
    type Target = PersistentMap<(Addr, u32), Definition>;

    fn deref(&self) -> &PersistentMap<(Addr, u32), Definition> {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MethodId;
    use crate::code::Site;

    #[test]
    fn invocations_are_counted_until_others_define_all_that_they_did() {
        let definition = |invocation| Definition {
            site: Site { method: MethodId(0), at: 0 },
            invocation,
            is_tracked: false,
        };
        let mut known = LastDefinitions::default();
        let has = |known: &LastDefinitions| [1, 2].map(|by| known.has_element(8, by));
        known.insert((8, 5), definition(1));
        assert_eq!(has(&known), [false, false], "a field is no element");
        for element in [0, 1, 1] {
            known.insert((8, element | ELEMENT), definition(1));
        }
        assert_eq!(has(&known), [true, false]);
        known.insert((8, ELEMENT), definition(2));
        assert_eq!(has(&known), [true, true]);
        known.insert((8, 1 | ELEMENT), definition(2));
        assert_eq!(has(&known), [false, true]);
        known.remove(&(8, ELEMENT));
        assert_eq!(has(&known), [false, true]);
        known.remove(&(8, 1 | ELEMENT));
        assert_eq!((has(&known), known.len()), ([false, false], 1));
    }
}
