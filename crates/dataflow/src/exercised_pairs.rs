//! Determines the pairs that a run exercised from the machine's records.

use crate::accesses::Accesses;
use crate::flattened_class::FlatClass;
use crate::pairs::Pair;
use cupping_machine::{DefUse, Machine, MethodBody as Code, Site};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A method by name, since machines number methods in load order.
pub type Name = (Arc<str>, Arc<str>, Arc<str>);
/// An instruction by the name of its method and its offset, valid on any machine.
pub type NamedSite = (Name, u32);
/// A method of the class, and an offset in its code.
pub type CodeOffset = (usize, u32);

/// Recorded pairs by name, except those in methods without code.
pub fn named(machine: &Machine, recorded: &BTreeSet<DefUse>) -> Vec<(NamedSite, NamedSite)> {
    let site = |site: Site| {
        let method = machine.method(site.method);
        let Code::Code(code) = &method.body else { return None };
        let class = machine.class(method.class).name.clone();
        let offset = *code.offsets.get(site.at as usize)?;
        Some(((class, method.name.clone(), method.descriptor.clone()), offset))
    };
    recorded.iter().filter_map(|pair| site(pair.definition).zip(site(pair.usage))).collect()
}

/// An index of a class's pairs by position.
pub struct ExercisedPairs {
    methods: FxHashMap<Name, usize>,
    pairs: FxHashMap<(CodeOffset, CodeOffset), Vec<usize>>,
    definitions: FxHashMap<CodeOffset, Vec<usize>>,
}

impl ExercisedPairs {
    /// Builds the index.
    pub fn new(machine: &Machine, flat: &FlatClass, accesses: &Accesses, pairs: &[Pair]) -> ExercisedPairs {
        let mut found = ExercisedPairs {
            methods: FxHashMap::default(),
            pairs: FxHashMap::default(),
            definitions: FxHashMap::default(),
        };
        for (number, body) in flat.methods.iter().enumerate() {
            let class = machine.class(body.class).name.clone();
            found.methods.insert((class, body.name.clone(), body.descriptor.clone()), number);
        }
        let places = |access: usize| {
            let access = &accesses.all[access];
            let instructions = &flat.methods[access.method].instructions;
            access.places().map(|at| (access.method, instructions[at].pc))
        };
        for (number, pair) in pairs.iter().enumerate() {
            for definition in places(pair.definition) {
                found.definitions.entry(definition).or_default().push(number);
                for usage in places(pair.usage) {
                    found.pairs.entry((definition, usage)).or_default().push(number);
                }
            }
        }
        found
    }

    /// The pairs among the recorded ones, by number.
    pub fn pairs(&self, machine: &Machine, recorded: &BTreeSet<DefUse>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for pair in recorded {
            let places = self.place(machine, pair.definition).zip(self.place(machine, pair.usage));
            let numbers = places.and_then(|places| self.pairs.get(&places));
            found.extend(numbers.into_iter().flatten());
        }
        found
    }

    /// The numbers of the pairs that another machine recorded.
    pub fn pairs_by_name(&self, recorded: &[(NamedSite, NamedSite)]) -> BTreeSet<usize> {
        let place = |(name, offset): &NamedSite| Some((*self.methods.get(name)?, *offset));
        let places = recorded.iter().filter_map(|(definition, usage)| place(definition).zip(place(usage)));
        places.filter_map(|places| self.pairs.get(&places)).flatten().copied().collect()
    }

    /// The pairs with this definition and use.
    pub fn between(&self, definition: CodeOffset, usage: CodeOffset) -> &[usize] {
        self.pairs.get(&(definition, usage)).map_or(&[], Vec::as_slice)
    }

    /// The pairs with this definition.
    pub fn defined_at(&self, definition: &CodeOffset) -> &[usize] {
        self.definitions.get(definition).map_or(&[], Vec::as_slice)
    }

    /// The position of a site within the class.
    pub fn place(&self, machine: &Machine, site: Site) -> Option<CodeOffset> {
        let method = machine.method(site.method);
        let class = machine.class(method.class).name.clone();
        let number = self.methods.get(&(class, method.name.clone(), method.descriptor.clone()))?;
        let Code::Code(code) = &method.body else { return None };
        Some((*number, *code.offsets.get(site.at as usize)?))
    }
}
