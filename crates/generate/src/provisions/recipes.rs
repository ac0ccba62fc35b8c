//! Objects of the pool as provisions.

use super::{Provider, Provision};
use crate::invokable::Parameter;
use crate::pool::{Pool, Recipe};
use cupping_machine::{ClassId, Kind};
use std::rc::Rc;

impl Provider {
    /// Sets the pool of objects of other classes. Must be called before anything is provided.
    pub fn set_pool(&mut self, pool: Pool) {
        self.pool = pool;
    }

    /// Adds a recipe for a class to the pool.
    pub(crate) fn add_recipe(&mut self, class: ClassId, recipe: Rc<Recipe>) {
        let known = self.pool.recipes.entry(class).or_default();
        Rc::make_mut(known).push(recipe);
        self.known.clear();
        self.assigned.clear();
    }

    /// The objects of other classes.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Adds objects of the pool. They are fixed, so makers that take only numbers and texts come before them,
    /// as they can be varied.
    pub(super) fn add_recipes(&self, class: ClassId, depth: u32, found: &mut Vec<Provision>) {
        const TAKEN: [usize; 2] = [4, 2];
        let recipes = self.pool.of(class).iter().take(TAKEN[depth.min(1) as usize]);
        let is_plain = |it: &Parameter| it.kind != Kind::Reference || it.ty.is_string();
        let first = match found.first() {
            Some(Provision::Make(maker)) if maker.parameters.iter().all(is_plain) => 1,
            _ => 0,
        };
        found.splice(first..first, recipes.map(|it| Provision::Recipe(it.clone())));
    }
}
