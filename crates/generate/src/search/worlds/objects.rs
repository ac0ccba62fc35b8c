//! Arguments of operations: objects of the world, alone and in arrays and collections, and texts of other
//! operations.

use crate::input::Input;
use crate::invokable::Parameter;
use crate::neighbourhood::{classes_within, is_own, own_class};
use crate::plan::{PlanStep, Var};
use crate::provisions::Provision;
use crate::search::Search;
use cupping_machine::ClassId;
use std::rc::Rc;

/// Limit on the elements of arrays and collections.
const MAX_ELEMENTS: usize = 3;

impl Search<'_> {
    /// The provision for a parameter: with objects of the world if there are any.
    pub(super) fn provision_in(&mut self, world: Option<usize>, parameter: &Parameter) -> Option<Provision> {
        if let Some(class) = own_class(self.machine, &parameter.ty) {
            let machine = &*self.machine;
            let known = self.worlds.of(world, |it| machine.is_subtype(it, class));
            if !known.is_empty() {
                return Some(Provision::Var(known[self.worlds.below(known.len())]));
            }
            let recipes = self.hard_recipes(class).len();
            if recipes > 0 {
                let at = self.worlds.below(recipes);
                return Some(Provision::Recipe(self.hard_recipes(class)[at].clone()));
            }
            if !self.worlds.neighbourhood.makers(self.machine, class).is_empty() {
                return None;
            }
        }
        if parameter.ty.is_string() && !self.worlds.texts.is_empty() && self.worlds.one_in(2) {
            let is_same = |it: &&(Rc<str>, Vec<u16>)| *it.0 == *parameter.name;
            let same: Vec<Vec<u16>> =
                self.worlds.texts.iter().filter(is_same).map(|(_, text)| text.clone()).collect();
            let text = if same.is_empty() || self.worlds.one_in(3) {
                let at = self.worlds.below(self.worlds.texts.len());
                self.worlds.texts[at].1.clone()
            } else {
                same[self.worlds.below(same.len())].clone()
            };
            return Some(Provision::Input(Input::Text(text)));
        }
        let all = self.provider.provisions_of(self.machine, parameter);
        if all.is_empty() {
            return None;
        }
        let within = classes_within(self.machine, parameter);
        let machine = &*self.machine;
        let has = |class: &ClassId| !self.worlds.of(world, |it| machine.is_subtype(it, *class)).is_empty();
        if !within.iter().all(has) {
            // The world has no element for it.
            let is_empty = |it: &&Provision| match it {
                Provision::MakeOf(_, parts) | Provision::Elements(_, parts) => parts.is_empty(),
                _ => false,
            };
            return all.iter().find(is_empty).or(all.first()).cloned();
        }
        // The first provision is the most promising one, `null` the last.
        let at = if self.worlds.one_in(4) { self.worlds.below((all.len() - 1).max(1)) } else { 0 };
        let found = all[at].clone();
        Some(self.with_objects(found, world, &within))
    }

    /// The object of some that a world has used last: what was prepared for the next operation.
    pub(super) fn used_last(&self, world: Option<usize>, objects: &[Var]) -> Option<Var> {
        let plan = &self.worlds.all[world?].driver.plan;
        plan.steps.iter().rev().find_map(|step| {
            let used = match step {
                PlanStep::Call { arguments, .. } => &arguments[..],
                _ => &[],
            };
            let mut used = step.defines().into_iter().chain(used.iter().copied());
            used.find(|it| objects.contains(it))
        })
    }

    /// The provision for a parameter of an operation that constructs: the object that was used last, or as in a world,
    /// and else by any recipe.
    pub(super) fn provision_for_construction(
        &mut self,
        world: Option<usize>,
        parameter: &Parameter,
    ) -> Option<Provision> {
        if let Some(class) = own_class(self.machine, &parameter.ty) {
            let machine = &*self.machine;
            let recipes = self.provider.pool().of(class).len();
            let known = self.worlds.of(world, |it| machine.is_subtype(it, class));
            let is_missing = known.is_empty();
            if let Some(last) = self.used_last(world, &known)
                && !self.worlds.one_in(4)
            {
                return Some(Provision::Var(last));
            }
            if recipes > 0 && is_missing {
                let at = self.worlds.below(recipes);
                return Some(Provision::Recipe(self.provider.pool().of(class)[at].clone()));
            }
            if is_missing && self.worlds.are_repaired && self.worlds.unmade.contains(&class) {
                return Some(Provision::Input(Input::Null));
            }
        }
        self.provision_in(world, parameter)
    }

    /// A provision whose application objects are taken from a world.
    fn with_objects(&mut self, provision: Provision, world: Option<usize>, within: &[ClassId]) -> Provision {
        let made = match &provision {
            Provision::Make(maker) | Provision::MakeOf(maker, _) => own_class(self.machine, &maker.result),
            Provision::Recipe(recipe) => Some(recipe.class),
            _ => None,
        };
        if let Some(made) = made {
            let machine = &*self.machine;
            let known = self.worlds.of(world, |it| machine.is_subtype(it, made));
            if !known.is_empty() {
                return Provision::Var(known[self.worlds.below(known.len())]);
            }
        }
        match provision {
            Provision::Elements(element, parts) if !parts.is_empty() => {
                let count = 1 + self.worlds.below(MAX_ELEMENTS);
                let inner = 1 + self.worlds.below(MAX_ELEMENTS);
                let of = Some(element).filter(|it| is_own(self.machine, *it));
                let of = of.or(within.first().copied().filter(|_| within.len() == 1));
                self.array(element, of, parts, world, &[count, inner])
            }
            Provision::MakeOf(maker, parts) => {
                let parts = parts.into_iter().map(|part| self.with_objects(part, world, within)).collect();
                Provision::MakeOf(maker, parts)
            }
            other => other,
        }
    }

    /// An array of objects of the class `of` from a world, distinct as far as possible. Nested arrays have the
    /// same length.
    fn array(
        &mut self,
        element: ClassId,
        of: Option<ClassId>,
        parts: Vec<Provision>,
        world: Option<usize>,
        lengths: &[usize],
    ) -> Provision {
        let length = lengths.first().copied().unwrap_or(1);
        if let Some(Provision::Elements(inner, more)) = parts.first().cloned() {
            let of = of.or(Some(inner).filter(|it| is_own(self.machine, *it)));
            let inner = (0..length).map(|_| self.array(inner, of, more.clone(), world, &lengths[1..]));
            return Provision::Elements(element, inner.collect());
        }
        let Some(of) = of else {
            let parts = parts.into_iter().map(|part| self.with_objects(part, world, &[]));
            return Provision::Elements(element, parts.collect());
        };
        let machine = &*self.machine;
        let known = self.worlds.of(world, |it| machine.is_subtype(it, of));
        if known.is_empty() {
            return Provision::Elements(element, parts);
        }
        let first = self.worlds.below(known.len());
        let chosen = (0..length).map(|at| Provision::Var(known[(first + at) % known.len()]));
        Provision::Elements(element, chosen.collect())
    }
}

/// Whether a provision refers to no variable.
pub(super) fn is_free(provision: &Provision) -> bool {
    match provision {
        Provision::Var(_) => false,
        Provision::Elements(_, parts) | Provision::MakeOf(_, parts) | Provision::Stub(_, parts) => {
            parts.iter().all(is_free)
        }
        _ => true,
    }
}
