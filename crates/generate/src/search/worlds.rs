//! Worlds: states of several objects that are linked with each other.
//!
//! The states of [`super::states`] have one object whose methods are called. An object whose methods call
//! others needs these in suitable states: a unit on a square, the square on a board, both in a level. So worlds
//! hold objects of all classes of the [`Neighbourhood`], and grow by any operation on any of them
//! (feedback-directed, as by Pacheco et al.): a method under test is chosen; operations before it create
//! missing objects and change the state that it reads. Numbers and texts stay symbolic along the way.

mod acceptance;
mod changes;
mod choice;
mod construction;
mod consumers;
mod failures;
mod known_texts;
mod objects;
mod operation;
mod refusals;
mod repair;

use super::{Job, Search};
use crate::driver::PlanDriver;
use crate::input::Input;
use crate::invokable::Entrance;
use crate::neighbourhood::{Neighbourhood, own_class};
use crate::plan::{PlanStep, Var};
use crate::pool::Recipe;
use crate::provisions::Provision;
use crate::random::Random;
use acceptance::Consumers;
use cupping_explore::{CompletedPath, Exploration, InvocationEnd, Path};
use cupping_machine::{ClassId, Snapshot};
use cupping_term::Model;
use failures::Failures;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the steps of a plan.
const MAX_PLAN: usize = 120;
/// Limit on the worlds kept.
const MAX_WORLDS: usize = 240;
/// Limit on the operations that lead to the chosen one.
const MAX_STEPS: usize = 12;
/// Weight of worlds that covered something new.
const GAIN: u32 = 8;
/// Limit on the number of texts kept, and the minimum length of a text that is kept.
const MAX_TEXTS: usize = 48;
const TELLING: usize = 2;
/// The work of an operation in addition to running and solving.
const WORK_OF_OPERATION: u64 = 100;

/// The share of worlds in the work: the usual one, and the one while they find something.
const WORLDS: [(u64, u64); 2] = [(1, 2), (3, 4)];

/// A state of several objects.
struct World {
    snapshot: Rc<Snapshot>,
    driver: PlanDriver,
    path: Path,
    model: Model,
    /// Probes hit on the way.
    hits: Rc<Vec<u64>>,
    /// The objects of the application, with the classes by which tests know them.
    objects: Vec<(Var, ClassId)>,
    /// How often it is picked, relative to others.
    weight: u32,
}

/// An operation of which some paths have been run.
struct PartialOperation {
    job: Job,
    exploration: Exploration<PlanDriver>,
}

/// The worlds of a search.
#[derive(Default)]
pub(super) struct Worlds {
    pub(super) neighbourhood: Neighbourhood,
    all: Vec<World>,
    random: Random,
    /// Texts with which operations returned, by the names of the parameters.
    texts: Vec<(Rc<str>, Vec<u16>)>,
    /// What was passed when an operation returned.
    passed: FxHashMap<Entrance, Vec<Provision>>,
    /// The classes of which only a thorough construction has made objects.
    hard: BTreeSet<ClassId>,
    /// Whether the objects that operations need have been constructed, as far as possible.
    are_constructed: bool,
    /// Whether failing operations have been repaired, as far as possible.
    are_repaired: bool,
    /// What is known of the methods that take texts apart.
    consumers: Consumers,
    /// Unfinished operations, which continue when they are chosen again.
    open: FxHashMap<usize, PartialOperation>,
    /// Work done for worlds.
    pub(super) work: u64,
    /// The work of the search at the time when worlds last found something.
    pub(super) last_find: u64,
    /// The world that the last operation led to.
    last: Option<usize>,
    /// Where the last operation has thrown.
    failures: Failures,
    /// The work of the search at which what is being constructed must be done.
    deadline: Option<u64>,
    /// Classes of which construction has made no object.
    unmade: BTreeSet<ClassId>,
}

impl Worlds {
    pub(super) fn new(neighbourhood: Neighbourhood, seed: u64) -> Worlds {
        let random = 0x9e37_79b9_7f4a_7c15 ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let texts = neighbourhood.texts.iter().map(|it| ("".into(), it.clone())).collect();
        Worlds { neighbourhood, random: Random::new(random), texts, ..Worlds::default() }
    }

    /// Whether objects of other classes are involved.
    pub(super) fn are_useful(&self) -> bool {
        self.neighbourhood.has_others && self.neighbourhood.under_test > 0
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.random.one_in(times)
    }

    /// A world, or nothing to begin with.
    fn pick(&mut self) -> Option<usize> {
        let sum: u32 = self.all.iter().map(|it| it.weight).sum();
        if sum == 0 || self.one_in(8) {
            return None;
        }
        let mut left = self.below(sum as usize) as u32;
        (0..self.all.len()).find(|at| {
            let weight = self.all[*at].weight;
            let is_it = left < weight;
            left = left.saturating_sub(weight);
            is_it
        })
    }

    /// The objects of a class in a world.
    fn of(&self, world: Option<usize>, is_it: impl Fn(ClassId) -> bool) -> Vec<Var> {
        let objects = world.map_or(&[][..], |at| &self.all[at].objects);
        objects.iter().filter(|(_, class)| is_it(*class)).map(|(var, _)| *var).collect()
    }
}

impl Search<'_> {
    /// Finds the classes whose objects are linked with those under test.
    pub(super) fn find_worlds(&mut self) {
        if self.options.exhaustive || self.options.enough.is_some() || self.is_set_up || self.is_for_consumer
        {
            return;
        }
        let found = Neighbourhood::new(self.machine, &mut self.influence, self.subject, &self.options.filter);
        self.worlds = Worlds::new(found, self.options.seed);
    }

    /// Whether worlds grow next: they get a share of the work, and all of it when nothing else is left.
    pub(super) fn has_turn_for_worlds(&self) -> bool {
        if !self.worlds.are_useful() || self.is_complete() {
            return false;
        }
        let budget = self.options.budget.as_micros() as u64;
        let is_finding = self.work - self.worlds.last_find < budget / 8;
        let (share, of) = WORLDS[usize::from(is_finding)];
        // A share of what both took: a share of the whole would starve the waiting sequences where other parts of
        // the search take long.
        let both = self.worlds.work + self.work_of_sequences;
        self.is_tried() || self.worlds.work * of <= both * share
    }

    /// Grows worlds until an operation under test has been run, or no further operation helps.
    pub(super) fn grow_worlds(&mut self) {
        let before = self.work;
        self.serve_consumers();
        let mut world = self.worlds.pick();
        let goal = self.pick_operation();
        let mut failed = None;
        for _ in 0..MAX_STEPS {
            world = self.receiver_by_recipe(goal, world);
            let next = self.on_the_way(goal, world, failed);
            self.worlds.last = None;
            let found = self.last_find;
            self.operate(world, next);
            if let Some(at) = world
                && self.worlds.last.is_none()
                && self.last_find > found
            {
                // The operation has failed at a new place, so more of what it needs is there.
                let weight = &mut self.worlds.all[at].weight;
                *weight = (*weight + GAIN).min((*weight).max(2 * GAIN));
            }
            let operation = &mut self.worlds.neighbourhood.operations[next];
            operation.tries += 1;
            operation.returns += u32::from(self.worlds.last.is_some());
            world = self.worlds.last.or(world);
            failed = (self.worlds.last.is_none()).then_some(next);
            // What has been initialised for the first time belongs to the state before all sequences; each further
            // operation would initialise it again.
            if self.is_over() || self.has_open_libraries() || (next == goal && self.worlds.one_in(3)) {
                break;
            }
        }
        self.work += WORK_OF_OPERATION;
        self.worlds.work += self.work - before;
        if self.last_find > before {
            self.worlds.last_find = self.last_find;
        }
    }

    /// A world with an object on which an operation can be called, by a recipe if there is one.
    fn receiver_by_recipe(&mut self, operation: usize, world: Option<usize>) -> Option<usize> {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        let machine = &*self.machine;
        let is_there = !self.worlds.of(world, |it| machine.is_subtype(it, invokable.class)).is_empty();
        if !invokable.has_receiver() || is_there || self.hard_recipes(invokable.class).is_empty() {
            return world;
        }
        self.append_recipe(world, invokable.class).or(world)
    }

    pub(super) fn has_hard_recipes(&self) -> bool {
        !self.worlds.hard.is_empty()
    }

    /// The recipes for a class whose objects are hard to make: to follow one costs steps, so others are made anew.
    pub(super) fn hard_recipes(&self, class: ClassId) -> &[Rc<Recipe>] {
        if self.worlds.hard.contains(&class) { self.provider.pool().of(class) } else { &[] }
    }

    /// Keeps the texts of an operation that returned, if it read them.
    fn keep_texts(&mut self, done: &CompletedPath<PlanDriver>) {
        let plan = done.driver.plan.clone();
        let Some(PlanStep::Call { arguments, .. }) = plan.steps.last() else { return };
        for step in &plan.steps {
            let PlanStep::Input { input: Input::String { .. }, var } = step else { continue };
            if !arguments.contains(var) {
                continue;
            }
            let text = done.driver.object(*var).map_or(Vec::new(), |it| self.machine.string_units(it));
            self.keep_text(plan.variables[*var].name.clone(), text);
        }
    }

    /// Keeps a text that parameters of this name can take.
    pub(super) fn keep_text(&mut self, name: Rc<str>, text: Vec<u16>) {
        let is_telling = text.len() >= TELLING && text.iter().all(|it| *it != 0);
        let has_room = self.worlds.texts.len() < MAX_TEXTS;
        if is_telling && has_room && !self.worlds.texts.iter().any(|(_, known)| *known == text) {
            self.worlds.texts.push((name, text));
        }
    }

    /// Keeps the world that an operation led to.
    pub(super) fn keep_world(&mut self, job: &Job, done: CompletedPath<PlanDriver>, gained: bool) {
        if !matches!(done.driver.ended, Some(InvocationEnd::Returned(_))) {
            return;
        }
        self.keep_texts(&done);
        self.worlds.passed.insert(job.invokable.entrance(), job.assignment.clone());
        let class = job.invokable.class;
        let effects = self.influence.effects(self.machine, class, job.invokable.method);
        let makes_object =
            own_class(self.machine, &job.invokable.result).is_some() && has_new_result(&done.driver);
        if effects.is_pure() && !makes_object && !job.invokable.is_constructor() {
            return;
        }
        let mut objects: Vec<(Var, ClassId)> = Vec::new();
        let mut addresses = Vec::new();
        for var in done.driver.plan.steps.iter().filter_map(PlanStep::defines) {
            let declared = done.driver.plan.variables[var].ty.clone();
            let Some(class) = own_class(self.machine, &declared) else { continue };
            let Some(object) = done.driver.object(var) else { continue };
            if !addresses.contains(&object) {
                addresses.push(object);
                objects.push((var, class));
            }
        }
        if objects.is_empty() {
            return;
        }
        let is_full = done.driver.plan.steps.len() > MAX_PLAN / 2;
        let classes: BTreeSet<ClassId> = objects.iter().map(|(_, class)| *class).collect();
        let hits = self.machine.hits_under(&done.model);
        let world = World {
            hits,
            snapshot: Rc::new(self.machine.snapshot()),
            driver: done.driver,
            path: done.path,
            model: done.model,
            objects,
            weight: if is_full { 0 } else { classes.len() as u32 + if gained { GAIN } else { 0 } },
        };
        let at = if self.worlds.all.len() < MAX_WORLDS {
            self.worlds.all.push(world);
            self.worlds.all.len() - 1
        } else {
            let at = self.worlds.below(MAX_WORLDS);
            self.worlds.all[at] = world;
            at
        };
        self.worlds.last = Some(at);
    }
}

/// Whether the last call returned an object that its world did not hold before.
fn has_new_result(driver: &PlanDriver) -> bool {
    let mut defined = driver.plan.steps.iter().filter_map(PlanStep::defines);
    let result = driver.plan.steps.last().and_then(PlanStep::defines);
    let object = result.and_then(|result| driver.object(result));
    object.is_some() && defined.all(|var| Some(var) == result || driver.object(var) != object)
}
