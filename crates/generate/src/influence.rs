//! Static influence between invokables (thesis §4.3.1): what an invocation may define and use, through the
//! call graph with all overriding methods on the class path.
//!
//! Three kinds of pairs carry influence: define-use pairs of fields, store-load pairs of array elements, and
//! return-argument pairs, which depend on types and belong to `sequences`. The analysis follows code of the
//! class path completely. Code of the JDK is summarised by whether a method may change its receiver or
//! arguments, instead of by its fields (`library`).

mod direct_effects;
mod files;
mod hierarchy;
mod library;
mod types;

use crate::invokable::Invokable;
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use direct_effects::Direct;
use hierarchy::Hierarchy;
use library::Library;
pub use library::is_harmless;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
pub use types::Types;

/// A field, identified by declaring class and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field {
    /// The declaring class.
    pub class: ClassId,
    /// Its index in [`cupping_machine::Class::fields`].
    pub index: u32,
}

/// The effects of an invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Fields defined.
    pub defines: BTreeSet<Field>,
    /// Fields used.
    pub uses: BTreeSet<Field>,
    /// Kinds of array elements stored; `boolean` counts as `byte`, like in the bytecode.
    pub stores: BTreeSet<u8>,
    /// Kinds of array elements loaded.
    pub loads: BTreeSet<u8>,
    /// JDK types whose objects may be changed.
    pub changes: Types,
    /// JDK types whose objects may be read.
    pub reads: Types,
    /// Methods outside of the JDK that may run.
    pub runs: BTreeSet<MethodId>,
    /// Whether JDK code may copy array elements.
    pub copies_arrays: bool,
    /// Whether files may be changed.
    pub changes_files: bool,
    /// Whether files may be read.
    pub uses_files: bool,
    /// Whether the call graph was cut off, so that anything may be defined or used.
    pub is_unknown: bool,
}

impl Effects {
    /// Whether a definition here may reach a use in `later`.
    pub fn influences(&self, later: &Effects) -> bool {
        let both = |a: &BTreeSet<Field>, b: &BTreeSet<Field>| a.intersection(b).next().is_some();
        both(&self.defines, &later.uses)
            || self.stores.intersection(&later.loads).next().is_some()
            || self.changes.meets(&later.reads)
            || self.changes_files && (later.uses_files || later.changes_files)
            || (self.is_unknown && !later.is_blind())
            || (later.is_unknown && !self.is_pure())
    }

    /// Whether it may influence `later` without a common object, through static fields.
    pub fn influences_globally(&self, machine: &Machine, later: &Effects) -> bool {
        let is_static = |f: &&Field| machine.class(f.class).fields[f.index as usize].is_static();
        self.defines.intersection(&later.uses).any(|f| is_static(&f)) || self.is_unknown || later.is_unknown
    }

    /// Whether two consecutive invocations have the same effect in either order (partial order reduction,
    /// §4.3.4).
    pub fn commutes_with(&self, other: &Effects) -> bool {
        let same_field = self.defines.intersection(&other.defines).next().is_some();
        let same_element = self.stores.intersection(&other.stores).next().is_some();
        let same_type = self.changes.meets(&other.changes);
        !self.influences(other) && !other.influences(self) && !same_field && !same_element && !same_type
    }

    /// Whether the invocation leads to further states after `last`: it defines something, and if the two
    /// commute, only one order is tried. `earlier` says that this invocation has the lower number (§4.3.4).
    pub fn is_step_after(&self, last: &Effects, earlier: bool) -> bool {
        !(self.is_pure() || earlier && last.commutes_with(self))
    }

    /// Whether it defines nothing.
    pub fn is_pure(&self) -> bool {
        self.defines.is_empty()
            && self.stores.is_empty()
            && self.changes.is_empty()
            && !self.changes_files
            && !self.is_unknown
    }

    /// Whether it defines a field of an object of this class.
    pub fn defines_of(&self, machine: &Machine, class: ClassId) -> bool {
        self.defines.iter().any(|field| machine.is_subtype(class, field.class))
    }

    /// Whether it may change a field of an object of this class that is there already. Final fields are set while an
    /// object is made, and the copy that it returns is another one.
    pub fn changes_of(&self, machine: &Machine, class: ClassId) -> bool {
        self.defines.iter().any(|field| {
            let is_final = machine.class(field.class).fields[field.index as usize].access.is_final();
            !is_final && machine.is_subtype(class, field.class)
        })
    }

    /// Whether it uses nothing.
    fn is_blind(&self) -> bool {
        self.uses.is_empty()
            && self.loads.is_empty()
            && self.reads.is_empty()
            && !self.uses_files
            && !self.changes_files
            && !self.is_unknown
    }

    fn add(&mut self, other: &Effects) {
        let Effects { defines, uses, stores, loads, changes, reads, runs, .. } = other;
        let Effects { copies_arrays, changes_files, uses_files, is_unknown, .. } = other;
        self.defines.extend(defines);
        self.uses.extend(uses);
        self.stores.extend(stores);
        self.loads.extend(loads);
        self.changes.add(changes);
        self.reads.add(reads);
        self.runs.extend(runs);
        self.copies_arrays |= copies_arrays;
        self.changes_files |= changes_files;
        self.uses_files |= uses_files;
        self.is_unknown |= is_unknown;
    }
}

/// The number of an array-element kind in [`Effects`].
pub fn element_key(kind: Kind) -> u8 {
    if kind == Kind::Boolean { Kind::Byte as u8 } else { kind as u8 }
}

/// Limit on the methods followed from one invocation.
const MAX_METHODS: usize = 1_000;

/// Computes and caches effects. They depend only on the class path, so one instance serves all classes of a
/// session.
#[derive(Default)]
pub struct Influence {
    known: FxHashMap<(ClassId, MethodId), Rc<Effects>>,
    direct: FxHashMap<(ClassId, MethodId), Rc<Direct>>,
    hierarchy: Hierarchy,
    library: Library,
}

impl Influence {
    /// The effects of a method called on an instance of `class`.
    pub fn effects(&mut self, machine: &mut Machine, class: ClassId, method: MethodId) -> Rc<Effects> {
        if let Some(known) = self.known.get(&(class, method)) {
            return known.clone();
        }
        let mut all = Effects::default();
        let mut seen = BTreeSet::from([method]);
        let mut open = vec![method];
        while let Some(next) = open.pop() {
            if seen.len() > MAX_METHODS {
                all.is_unknown = true;
                break;
            }
            let found = self.direct(machine, class, next);
            all.add(&found.effects);
            open.extend(found.calls.iter().filter(|call| seen.insert(**call)));
        }
        let all = Rc::new(all);
        self.known.insert((class, method), all.clone());
        all
    }

    /// The effects of an invokable. A constructor defines all fields of its object, at least by default
    /// values.
    pub fn of_invokable(&mut self, machine: &mut Machine, invokable: &Invokable) -> Rc<Effects> {
        let effects = self.effects(machine, invokable.class, invokable.method);
        if !invokable.is_constructor() {
            return effects;
        }
        let mut effects = effects.as_ref().clone();
        let mut at = Some(invokable.class);
        while let Some(id) = at {
            let class = machine.class(id);
            if class.from_jdk && id != invokable.class {
                break;
            }
            let own = (0..).zip(&class.fields).filter(|(_, f)| !f.is_static() && !f.access.is_synthetic());
            effects.defines.extend(own.map(|(index, _)| Field { class: id, index }));
            at = class.super_class;
        }
        Rc::new(effects)
    }

    /// Sorted names of the subclasses on the class path.
    pub fn below(&mut self, machine: &Machine, class: ClassId) -> BTreeSet<Box<str>> {
        self.hierarchy.all_below(machine, class)
    }

    /// Whether a method may change its receiver or what belongs to it, that is, whether it is not *const*.
    pub fn may_change(&mut self, machine: &mut Machine, class: ClassId, method: MethodId) -> bool {
        let declaring = machine.method(method).class;
        if machine.class(declaring).from_jdk {
            let name = machine.class(declaring).name.clone();
            return !is_harmless(&name) && self.library.summary(machine, method).changes;
        }
        if !machine.method(method).is_abstract() {
            return !self.effects(machine, class, method).is_pure();
        }
        let overriding = self.hierarchy.overriding(machine, method);
        overriding.is_empty()
            || overriding.into_iter().any(|m| {
                let class = machine.method(m).class;
                !self.effects(machine, class, m).is_pure()
            })
    }

    fn direct(&mut self, machine: &mut Machine, class: ClassId, method: MethodId) -> Rc<Direct> {
        if let Some(known) = self.direct.get(&(class, method)) {
            return known.clone();
        }
        let found =
            Rc::new(direct_effects::direct(machine, &mut self.hierarchy, &mut self.library, class, method));
        self.direct.insert((class, method), found.clone());
        found
    }
}

#[cfg(test)]
mod tests;
