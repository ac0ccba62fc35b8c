//! The fields that elements define and use, as bit sets: a universe compares all pairs of its elements.

use super::element::Element;
use crate::influence::FieldReference;
use cupping_machine::Machine;
use std::collections::{BTreeSet, HashMap};

/// A set of fields, by number.
type FieldSet = Box<[u64]>;

/// The fields that some element defines and some element uses, with those of each element.
pub(super) struct Marks {
    /// By element.
    defined: Vec<FieldSet>,
    /// By element.
    used: Vec<FieldSet>,
    /// The static ones.
    statics: FieldSet,
}

impl Marks {
    pub fn new(machine: &Machine, elements: &[Element]) -> Marks {
        let used: BTreeSet<&FieldReference> = elements.iter().flat_map(|it| &it.effects.uses).collect();
        let mut numbers = HashMap::new();
        for field in elements.iter().flat_map(|it| &it.effects.defines).filter(|it| used.contains(it)) {
            let next = numbers.len();
            numbers.entry(*field).or_insert(next);
        }
        let words = numbers.len().div_ceil(64);
        let set = |fields: &mut dyn Iterator<Item = &FieldReference>| {
            let mut bits = vec![0u64; words].into_boxed_slice();
            for number in fields.filter_map(|it| numbers.get(it)) {
                bits[number / 64] |= 1 << (number % 64);
            }
            bits
        };
        let is_static = |it: &&FieldReference| machine.class(it.class).fields[it.index as usize].is_static();
        let statics = set(&mut numbers.keys().filter(is_static));
        Marks {
            defined: elements.iter().map(|it| set(&mut it.effects.defines.iter())).collect(),
            used: elements.iter().map(|it| set(&mut it.effects.uses.iter())).collect(),
            statics,
        }
    }

    /// Whether `first` defines a field that `later` uses.
    pub fn meet(&self, first: usize, later: usize) -> bool {
        self.defined[first].iter().zip(&self.used[later]).any(|(a, b)| a & b != 0)
    }

    /// Whether it defines a static field that `later` uses.
    pub fn meet_globally(&self, first: usize, later: usize) -> bool {
        let both = self.defined[first].iter().zip(&self.used[later]);
        both.zip(&self.statics).any(|((a, b), statics)| a & b & statics != 0)
    }
}
