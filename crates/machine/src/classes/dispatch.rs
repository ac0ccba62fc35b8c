//! Which method a call runs: overriding, inherited defaults, selection (JVMS §5.4.5, §5.4.6).

use super::ids::{ClassId, MethodId, SignatureId};
use super::method::MethodBody;
use super::table::ClassTable;
use crate::memory::Addr;
use cupping_classfile::AccessFlags;
use rustc_hash::FxHashMap;

impl<N: Clone> ClassTable<N> {
    /// The vtable index for a method: that of the one it overrides (JVMS §5.4.5) among the slots of its
    /// signature, or a new one.
    pub(super) fn place(
        &self,
        vtable: &mut Vec<MethodId>,
        slots: &[u32],
        method: MethodId,
        package: (Addr, &str),
    ) -> u32 {
        let mut first = None;
        for slot in slots {
            let entry = &mut vtable[*slot as usize];
            let other = self.method(*entry);
            let owner = self.class(other.class);
            let visible = other.access.has_any(AccessFlags::PUBLIC | AccessFlags::PROTECTED)
                || (owner.loader, owner.package()) == package;
            if visible {
                *entry = method;
                first.get_or_insert(*slot);
            }
        }
        first.unwrap_or_else(|| {
            vtable.push(method);
            vtable.len() as u32 - 1
        })
    }

    /// Gives a class vtable entries for interface methods it does not have: the maximally specific
    /// default method if there is one (JVMS §5.4.3.3), else an abstract one.
    pub(super) fn inherit_interface_methods(&mut self, class: ClassId) {
        let mut interfaces: Vec<ClassId> =
            self.class(class).supertypes.iter().copied().filter(|s| self.class(*s).is_interface()).collect();
        interfaces.sort_unstable();
        let mut best: Vec<(SignatureId, MethodId)> = Vec::new();
        let mut place_of: FxHashMap<SignatureId, usize> = FxHashMap::default();
        let mut rivals: Vec<SignatureId> = Vec::new();
        for interface in interfaces.iter().copied() {
            for method in self.class(interface).methods.clone() {
                let candidate = self.method(method);
                if candidate.is_static() || candidate.is_private() || candidate.name.starts_with('<') {
                    continue;
                }
                let signature = candidate.signature;
                if let Some(slot) = self.class(class).virtual_index.get(&signature) {
                    let present = self.method(self.class(class).vtable[*slot as usize]);
                    if !self.class(present.class).is_interface() {
                        continue;
                    }
                }
                match place_of.get(&signature).map(|place| &mut best[*place].1) {
                    Some(chosen) => {
                        let old = self.method(*chosen);
                        let narrower = self.class(interface).supertypes.contains(&old.class);
                        let unrelated = !self.class(old.class).supertypes.contains(&interface);
                        if !narrower && unrelated && !old.is_abstract() && !candidate.is_abstract() {
                            rivals.push(signature);
                        }
                        if narrower || (unrelated && old.is_abstract() && !candidate.is_abstract()) {
                            *chosen = method;
                        }
                    }
                    None => {
                        place_of.insert(signature, best.len());
                        best.push((signature, method));
                    }
                }
            }
        }
        for (signature, method) in best {
            let method = match rivals.contains(&signature) {
                true => self.most_specific(signature, method, &interfaces),
                false => method,
            };
            let class = self.class_mut(class);
            match class.virtual_index.get(&signature) {
                Some(slot) => class.vtable[*slot as usize] = method,
                None => {
                    class.virtual_index.insert(signature, class.vtable.len() as u32);
                    class.vtable.push(method);
                }
            }
        }
    }

    /// The single most specific default method of a signature, or a method that reports a conflict between
    /// several (JVMS §5.4.3.3).
    fn most_specific(
        &mut self,
        signature: SignatureId,
        chosen: MethodId,
        interfaces: &[ClassId],
    ) -> MethodId {
        let declared: Vec<MethodId> = interfaces
            .iter()
            .flat_map(|interface| &self.class(*interface).methods)
            .copied()
            .filter(|m| self.method(*m).signature == signature)
            .filter(|m| !self.method(*m).is_static() && !self.method(*m).is_private())
            .collect();
        let is_overridden = |method: MethodId| {
            let owner = self.method(method).class;
            declared.iter().any(|other| {
                let other = self.method(*other).class;
                other != owner && self.class(other).supertypes.contains(&owner)
            })
        };
        let specific: Vec<MethodId> = declared
            .iter()
            .copied()
            .filter(|m| !self.method(*m).is_abstract() && !is_overridden(*m))
            .collect();
        if specific.len() < 2 {
            return specific.first().copied().unwrap_or(chosen);
        }
        let names = specific
            .iter()
            .map(|m| format!(" {}.{}", self.external_name(self.method(*m).class), self.method(*m).name));
        let message = format!("Conflicting default methods:{}", names.collect::<String>());
        let mut none = self.method(specific[0]).clone();
        none.id = self.next_method();
        none.access = none.access | AccessFlags::ABSTRACT;
        none.body = MethodBody::Abstract;
        self.conflicts.insert(none.id, message);
        let id = none.id;
        self.add_method(none);
        id
    }

    /// The method that a virtual or interface call of `method` on a receiver of `class` runs (JVMS §5.4.6).
    pub fn select(&mut self, class: ClassId, method: MethodId) -> MethodId {
        let resolved = self.method(method);
        if resolved.is_private() {
            return method;
        }
        if let Some(index) = resolved.virtual_index {
            return self.class(class).vtable.get(index as usize).copied().unwrap_or(method);
        }
        if let Some(found) = self.interface_calls.get(&(class, method)) {
            return *found;
        }
        let slot = self.class(class).virtual_index.get(&resolved.signature).copied();
        let found = slot.map_or(method, |slot| self.class(class).vtable[slot as usize]);
        self.interface_calls.insert((class, method), found);
        found
    }
}
