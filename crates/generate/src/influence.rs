//! Static influence between invokables (thesis §4.3.1): what an invocation may define and use, through the
//! call graph with all overriding methods on the class path.
//!
//! Three kinds of pairs carry influence: define-use pairs of fields, store-load pairs of array elements, and
//! return-argument pairs, which depend on types and belong to `sequences`. The analysis follows code of the
//! class path completely. Code of the JDK is summarised by whether a method may change its receiver or
//! arguments, instead of by its fields (`library`).

mod direct_effects;
mod effects;
mod files;
mod hierarchy;
mod library;
mod types;

use crate::invokable::Invokable;
use cupping_machine::{ClassId, Machine, MethodId};
use direct_effects::DirectEffects;
pub use effects::{Effects, FieldReference, element_key};
use hierarchy::Hierarchy;
use library::Library;
pub use library::is_harmless;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
pub use types::Types;

/// Limit on the methods followed from one invocation.
const MAX_METHODS: usize = 1_000;

/// Computes and caches effects. They depend only on the class path, so one instance serves all classes of a
/// session.
#[derive(Default)]
pub struct Influence {
    known: FxHashMap<(ClassId, MethodId), Rc<Effects>>,
    direct: FxHashMap<(ClassId, MethodId), Rc<DirectEffects>>,
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
            effects.defines.extend(own.map(|(index, _)| FieldReference { class: id, index }));
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

    /// Whether the code of a method itself, without what it calls, sets a field of the object that it is called on.
    pub fn sets_own_field(&mut self, machine: &mut Machine, class: ClassId, method: MethodId) -> bool {
        let selected = machine.select(class, method);
        self.direct(machine, class, selected).effects.changes_of(machine, class)
    }

    fn direct(&mut self, machine: &mut Machine, class: ClassId, method: MethodId) -> Rc<DirectEffects> {
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
