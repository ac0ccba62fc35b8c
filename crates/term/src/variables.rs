//! Hash-consed sets of variables: terms over the same variables share one set.

use rustc_hash::FxHashMap;

/// A variable of an arena, numbered from 0 in order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarIndex(pub u32);

/// A set of variables of one arena; equal sets have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarSetId(u32);

impl VarSetId {
    /// The empty set.
    pub const EMPTY: VarSetId = VarSetId(0);
}

#[derive(Clone, Debug)]
pub(crate) struct VarSets {
    sets: Vec<Box<[VarIndex]>>,
    interned: FxHashMap<Box<[VarIndex]>, VarSetId>,
    unions: FxHashMap<(VarSetId, VarSetId), VarSetId>,
}

impl Default for VarSets {
    fn default() -> Self {
        let empty: Box<[VarIndex]> = Box::new([]);
        let interned = std::iter::once((empty.clone(), VarSetId::EMPTY)).collect();
        VarSets { sets: vec![empty], interned, unions: FxHashMap::default() }
    }
}

impl VarSets {
    pub(crate) fn get(&self, id: VarSetId) -> &[VarIndex] {
        &self.sets[id.0 as usize]
    }

    pub(crate) fn single(&mut self, variable: VarIndex) -> VarSetId {
        self.intern(Box::new([variable]))
    }

    pub(crate) fn union(&mut self, a: VarSetId, b: VarSetId) -> VarSetId {
        if a == b || b == VarSetId::EMPTY {
            return a;
        }
        if a == VarSetId::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let mut members: Vec<VarIndex> = self.get(a).iter().chain(self.get(b)).copied().collect();
        members.sort_unstable();
        members.dedup();
        let id = self.intern(members.into_boxed_slice());
        self.unions.insert(key, id);
        id
    }

    fn intern(&mut self, members: Box<[VarIndex]>) -> VarSetId {
        if let Some(&known) = self.interned.get(&members) {
            return known;
        }
        let id = VarSetId(u32::try_from(self.sets.len()).expect("no more sets than terms"));
        self.sets.push(members.clone());
        self.interned.insert(members, id);
        id
    }
}
