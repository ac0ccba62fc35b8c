//! Data flow through fields and array elements: definition-use pairs in tracked code (paper of Buy, Orso & Pezzè, §4),
//! and which invocation of a sequence influenced which (thesis §4.4.1).

use crate::code::Site;
use crate::machine::Machine;
use crate::memory::Addr;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::rc::Rc;
use std::sync::Arc;

/// A definition of a field and a use that it reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefUse {
    /// The field, as `FieldKeys` name it.
    pub field: u32,
    /// The store.
    pub definition: Site,
    /// The load.
    pub usage: Site,
}

/// Where a field or element was defined last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The store.
    pub site: Site,
    /// The invocation of the sequence in whose course it ran.
    pub invocation: u32,
    /// Whether it ran in tracked code.
    pub is_tracked: bool,
}

/// The numbers by which data flow knows a field, below 2³¹; array elements have those above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldKeys {
    /// In an object, where its name is enough.
    pub of_object: u32,
    /// Among all static fields.
    pub of_static: u32,
}

impl FieldKeys {
    /// The numbers of the field of this name in this class.
    pub fn new(class: &str, name: &str) -> FieldKeys {
        let key = |texts: &[&str]| {
            let mut hasher = rustc_hash::FxHasher::default();
            texts.iter().for_each(|text| hasher.write(text.as_bytes()));
            (hasher.finish() >> 33) as u32
        };
        FieldKeys { of_object: key(&[name]), of_static: key(&[class, name]) }
    }
}

/// An instruction of tracked code that reads or changes what a field's value holds (an element of its array, its object
/// by a call), and so counts as a use or definition of the field of `this`, or of the static field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentsAccess {
    /// The field, as `FieldKeys` name it.
    pub field: u32,
    /// Whether it is static; else it is a field of the object in local variable 0.
    pub is_static: bool,
    /// Whether it counts as a definition.
    pub is_definition: bool,
}

/// By class and method index: the instructions that [`ContentsAccess`] is about, by offset.
pub(crate) type ContentsPlans = FxHashMap<(Arc<str>, usize), BTreeMap<u32, ContentsAccess>>;

/// The access to a field.
pub(crate) struct Access {
    /// The object; 0 for statics.
    pub object: Addr,
    /// The field, as `FieldKeys` name it.
    pub key: u32,
    /// Whether it is in tracked code.
    pub is_tracked: bool,
    /// Where.
    pub site: Site,
}

/// Marks the number of an array element in what an observer is told.
pub const ELEMENT: u32 = 1 << 31;
/// Marks elements at an index that the inputs decide, one number for each invocation: they overwrite nothing for sure.
const SOME_ELEMENT: u32 = ELEMENT | 1 << 30;

/// Whether a class of the JDK holds what programs put into it: [`crate::Limits::record_library_flows`].
pub(crate) fn is_library(class: &str) -> bool {
    match class.strip_prefix("java/util/") {
        Some(rest) => !rest.contains('/'),
        None => matches!(
            class,
            "java/lang/AbstractStringBuilder" | "java/lang/StringBuilder" | "java/lang/StringBuffer"
        ),
    }
}

impl Machine {
    /// Takes note of a store to a field.
    pub(crate) fn note_definition(&mut self, access: Access) {
        if self.limits.record_library_flows {
            return;
        }
        let Access { object, key, is_tracked, site } = access;
        let invocation = self.registers.invocation;
        self.registers.definitions.insert((object, key), Definition { site, invocation, is_tracked });
    }

    /// Takes note of a load of a field.
    pub(crate) fn note_use(&mut self, access: Access) {
        let Access { object, key, is_tracked, site } = access;
        if self.observer.is_some() {
            self.tell_read(object, key);
        }
        let Some(definition) = self.registers.definitions.get(&(object, key)).copied() else { return };
        self.note_flow(definition.invocation);
        if is_tracked && definition.is_tracked {
            let pair = DefUse { field: key, definition: definition.site, usage: site };
            if !self.registers.pairs.contains(&pair) {
                Rc::make_mut(&mut self.registers.pairs).insert(pair);
            }
        }
    }

    /// From the next call on, these instructions of a method of tracked code, by offset, count as accesses to fields.
    pub fn watch_contents(
        &mut self,
        class: &Arc<str>,
        method: usize,
        accesses: BTreeMap<u32, ContentsAccess>,
    ) {
        self.contents_plans.insert((class.clone(), method), accesses);
        self.decode_again(class);
    }

    /// Takes note of a store to or a load of an array element; without an index where the inputs decide it.
    pub(crate) fn note_element(&mut self, array: Addr, index: Option<u32>, is_write: bool, site: Site) {
        let invocation = self.registers.invocation;
        if is_write {
            if self.limits.record_library_flows {
                return;
            }
            let key = index.map_or(SOME_ELEMENT | invocation, |index| index | ELEMENT);
            let definition = Definition { site, invocation, is_tracked: false };
            self.registers.definitions.insert((array, key), definition);
            return;
        }
        if self.observer.is_some()
            && let Some(index) = index
        {
            self.tell_read(array, index | ELEMENT);
        }
        let definitions = &self.registers.definitions;
        let mut found: Vec<u32> = match index {
            Some(index) => {
                definitions.get(&(array, index | ELEMENT)).map(|d| d.invocation).into_iter().collect()
            }
            None => {
                let elements = definitions.iter().filter(|((a, key), _)| *a == array && key & ELEMENT != 0);
                elements.map(|(_, d)| d.invocation).collect()
            }
        };
        found.extend((0..invocation).filter(|by| definitions.contains_key(&(array, SOME_ELEMENT | by))));
        found.into_iter().for_each(|by| self.note_flow(by));
    }

    fn note_flow(&mut self, from: u32) {
        let to = self.registers.invocation;
        if from != to && !self.registers.flows.contains(&(from, to)) {
            Rc::make_mut(&mut self.registers.flows).insert((from, to));
        }
    }
}
