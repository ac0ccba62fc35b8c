//! Definition-use pairs of fields in tracked code (paper of Buy, Orso & Pezzè, §4).

use crate::code::Site;
use crate::machine::Machine;
use crate::memory::Addr;
use std::hash::Hasher;
use std::rc::Rc;

/// A definition of a field and a use that it reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefUse {
    /// The field, as [`field_key`] names it.
    pub field: u32,
    /// The store.
    pub definition: Site,
    /// The load.
    pub usage: Site,
}

/// The number by which data flow knows a field of this name.
pub fn field_key(name: &str) -> u32 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(name.as_bytes());
    (hasher.finish() >> 33) as u32
}

impl Machine {
    /// Takes note of a load or store of a field.
    pub(crate) fn note_access(&mut self, object: Addr, field: u32, is_write: bool, site: Site) {
        if is_write {
            self.registers.definitions.insert((object, field), site);
        } else if let Some(definition) = self.registers.definitions.get(&(object, field)) {
            let pair = DefUse { field, definition: *definition, usage: site };
            if !self.registers.pairs.contains(&pair) {
                Rc::make_mut(&mut self.registers.pairs).insert(pair);
            }
        }
    }
}
