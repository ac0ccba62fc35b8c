//! The pool: objects of the classes that a class under test collaborates with, ready to use.
//!
//! A constructor called with the first choice of arguments rarely gives a useful collaborator: texts need a
//! form, objects must be linked, states must be reached. So the classes of the parameters are searched first,
//! bottom up, each for a short time and in the same way as a class under test. The states found are kept as
//! *recipes*: calls with fixed arguments that have been run.

use crate::plan::{Plan, PlanStep, Var};
use cupping_machine::ClassId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// How to create an object.
#[derive(Debug)]
pub struct Recipe {
    /// The calls, with fixed arguments; in an open recipe, those on which no decision depends are free.
    pub plan: Plan,
    /// The calls with free arguments, so that values that are only checked later can still be chosen then.
    pub free: Plan,
    /// The variable that holds the object in the end.
    pub object: Var,
    /// Its class.
    pub class: ClassId,
}

impl Recipe {
    /// Whether stubs take part.
    pub(crate) fn leans_on_stub(&self) -> bool {
        self.plan.steps.iter().any(|it| matches!(it, PlanStep::Stub { .. }))
    }

    /// Whether the plan has free arguments.
    pub(crate) fn is_open(&self) -> bool {
        let is_free = |step: &PlanStep| matches!(step, PlanStep::Input { input, .. } if input.is_free());
        self.plan.steps.iter().any(is_free)
    }
}

/// Recipes by the class that a parameter asks for.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    pub(crate) recipes: FxHashMap<ClassId, Rc<Vec<Rc<Recipe>>>>,
}

impl Pool {
    /// The recipes for a class, most promising first.
    pub fn of(&self, class: ClassId) -> &[Rc<Recipe>] {
        self.recipes.get(&class).map_or(&[], |it| it.as_slice())
    }
}

/// A search for a collaborator: its class, the package of the tests, how far the search for its own collaborators
/// goes, and its budget.
pub(crate) type RecipeKey = (ClassId, String, u32, Duration);
/// The work of searches, each once.
pub(crate) type SearchWork = BTreeMap<RecipeKey, Duration>;
/// What the searches of a session have found, with the work of each search. The work charged to a class does
/// not depend on the classes before it.
pub(crate) type RecipeCache = BTreeMap<RecipeKey, (Rc<Vec<Rc<Recipe>>>, SearchWork)>;

impl Plan {
    /// Adds the steps of a recipe, with free arguments or fixed ones; returns the variable of the object.
    pub fn follow(&mut self, recipe: &Recipe, is_free: bool) -> Var {
        let offset = self.variables.len();
        let plan = if is_free { &recipe.free } else { &recipe.plan };
        self.variables.extend(plan.variables.iter().cloned());
        let moved = |var: Var| Some(var + offset);
        self.steps.extend(plan.steps.iter().filter_map(|step| step.renamed(&moved)));
        self.given += recipe.plan.calls();
        recipe.object + offset
    }
}
