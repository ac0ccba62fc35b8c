//! Worlds: states of several objects that are linked with each other.
//!
//! The states of [`super::states`] have one object whose methods are called. An object whose methods ask others needs
//! these in states of their own: a unit on a square, the square on a board, both in a level. So worlds hold objects of
//! all classes of the [`Neighbourhood`], and grow by any operation on any of them (feedback-directed, as by Pacheco et
//! al.): a method under test is chosen, what it lacks is made first, and what it reads is changed before. Numbers and
//! texts stay symbolic along the way.

use super::{Job, Search};
use crate::driver::PlanDriver;
use crate::neighbourhood::{Neighbourhood, Operation, classes_within, is_own, own_class};
use crate::plan::{Plan, PlanStep, Var};
use crate::provisions::Provision;
use crate::seed::Seed;
use cupping_explore::{Completed, Counters, Ended, Path};
use cupping_machine::{ClassId, Snapshot, Value};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the worlds kept.
const MAX_WORLDS: usize = 240;
/// Limit on the operations on the way to the one that was chosen.
const MAX_STEPS: usize = 12;
/// Limit on the steps of a plan.
const MAX_PLAN: usize = 120;
/// Paths of an operation that is under test: usually, and if some are new.
const PATHS: [u32; 2] = [3, 24];
/// Paths of another operation until one returns.
const MAX_MAKING: u32 = 5;
/// By how much worlds in which something new was covered are preferred.
const GAIN: u32 = 8;
/// Objects of a class below which another one is made now and then.
const FEW_OBJECTS: usize = 3;
/// Limit on the elements of arrays and collections.
const MAX_ELEMENTS: usize = 3;
/// The work of an operation beside running and solving.
const WORK_OF_OPERATION: u64 = 100;

/// A state of several objects.
struct World {
    snapshot: Rc<Snapshot>,
    driver: PlanDriver,
    path: Path,
    model: Model,
    /// The objects of the application, with the classes by which tests know them.
    objects: Vec<(Var, ClassId)>,
    /// How often it is picked compared with others.
    weight: u32,
}

/// The worlds of a search.
#[derive(Default)]
pub(super) struct Worlds {
    neighbourhood: Neighbourhood,
    all: Vec<World>,
    random: u64,
    /// Work done for worlds.
    pub(super) work: u64,
    /// The work of the search when something was last found by them.
    pub(super) last_find: u64,
    /// The world that the last operation led to.
    last: Option<usize>,
}

impl Worlds {
    pub(super) fn new(neighbourhood: Neighbourhood, seed: u64) -> Worlds {
        let random = 0x9e37_79b9_7f4a_7c15 ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d);
        Worlds { neighbourhood, random, ..Worlds::default() }
    }

    /// Whether objects of other classes are involved.
    pub(super) fn are_useful(&self) -> bool {
        self.neighbourhood.has_others && self.neighbourhood.under_test > 0
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % limit.max(1)
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
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
    /// Grows worlds until an operation under test has been run, or nothing helps.
    pub(super) fn grow_worlds(&mut self) {
        let before = self.work;
        let mut world = self.worlds.pick();
        let goal = self.pick_operation();
        let mut is_next = false;
        for _ in 0..MAX_STEPS {
            let next = self.on_the_way(goal, world, is_next);
            self.worlds.last = None;
            self.operate(world, next);
            let operation = &mut self.worlds.neighbourhood.operations[next];
            operation.tries += 1;
            operation.returns += u32::from(self.worlds.last.is_some());
            world = self.worlds.last.or(world);
            // What it reads is changed before it is tried again.
            is_next = next != goal;
            if self.is_over() || (next == goal && self.worlds.one_in(3)) {
                break;
            }
        }
        self.work += WORK_OF_OPERATION;
        self.worlds.work += self.work - before;
        if self.last_find > before {
            self.worlds.last_find = self.last_find;
        }
    }

    /// An operation to aim at: mostly one that leads to something uncovered.
    fn pick_operation(&mut self) -> usize {
        let count = self.worlds.neighbourhood.under_test;
        let mut open = Vec::new();
        for at in 0..count {
            let method = self.worlds.neighbourhood.operations[at].invokable.method;
            if self.is_relevant(method, 0) {
                open.push(at);
            }
        }
        if open.is_empty() || self.worlds.one_in(8) {
            let all = self.worlds.neighbourhood.operations.len();
            return self.worlds.below(all);
        }
        let at = self.worlds.below(open.len());
        open[at]
    }

    /// The operation to run next if another shall be run in the end: it makes what that lacks, or changes what it
    /// reads.
    fn on_the_way(&mut self, goal: usize, world: Option<usize>, is_next: bool) -> usize {
        let mut next = goal;
        for _ in 0..MAX_STEPS {
            let Some(missing) = self.missing(next, world) else { break };
            let makers = self.worlds.neighbourhood.makers(self.machine, missing);
            if makers.is_empty() {
                break;
            }
            next = self.promising(&makers);
        }
        if next == goal && world.is_some() && (!is_next || self.worlds.one_in(2)) {
            if let Some(change) = self.influential(goal, world) {
                return change;
            }
        }
        next
    }

    /// An operation that changes what another one reads, and for which all objects are there.
    fn influential(&mut self, goal: usize, world: Option<usize>) -> Option<usize> {
        let invokable = self.worlds.neighbourhood.operations[goal].invokable.clone();
        let reads = self.influence.effects(self.machine, invokable.class, invokable.method);
        let mut found = Vec::new();
        for at in 0..self.worlds.neighbourhood.operations.len() {
            let operation = &self.worlds.neighbourhood.operations[at];
            if at == goal || !operation.changes {
                continue;
            }
            let (class, method) = (operation.invokable.class, operation.invokable.method);
            let own = self.influence.effects(self.machine, class, method);
            if own.influences(&reads) && self.missing(at, world).is_none() {
                found.push(at);
            }
        }
        (!found.is_empty()).then(|| self.promising(&found))
    }

    /// One of these operations; those that return more often are taken more often.
    fn promising(&mut self, operations: &[usize]) -> usize {
        let weight = |at: &usize| {
            let Operation { tries, returns, .. } = &self.worlds.neighbourhood.operations[*at];
            1 + 16 * (returns + 1) / (tries + 1)
        };
        let weights: Vec<u32> = operations.iter().map(weight).collect();
        let mut left = self.worlds.below(weights.iter().sum::<u32>() as usize) as u32;
        let chosen = weights.iter().position(|weight| {
            let is_it = left < *weight;
            left = left.saturating_sub(*weight);
            is_it
        });
        operations[chosen.unwrap_or(0)]
    }

    /// A class of which an operation needs an object that is not there.
    fn missing(&mut self, operation: usize, world: Option<usize>) -> Option<ClassId> {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        let receiver = invokable.has_receiver().then_some(invokable.class);
        let is_rich = self.worlds.one_in(6);
        let mut wanted: Vec<ClassId> = receiver.into_iter().collect();
        wanted.extend(invokable.parameters.iter().filter_map(|it| own_class(self.machine, &it.ty)));
        if !self.worlds.one_in(8) {
            let parameters = invokable.parameters.iter();
            wanted.extend(parameters.flat_map(|it| classes_within(self.machine, it)).collect::<Vec<_>>());
        }
        let machine = &*self.machine;
        let few = if is_rich { FEW_OBJECTS } else { 1 };
        let has = |class: ClassId| self.worlds.of(world, |it| machine.is_subtype(it, class)).len() >= few;
        let makes = |class: ClassId| !self.worlds.neighbourhood.makers(machine, class).is_empty();
        wanted.into_iter().find(|class| !has(*class) && makes(*class))
    }

    /// Runs an operation in a world.
    fn operate(&mut self, world: Option<usize>, operation: usize) {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        let (mut plan, path, model, start) = match world {
            Some(at) => {
                let world = &self.worlds.all[at];
                self.machine.restore(&world.snapshot.clone());
                let world = &self.worlds.all[at];
                (
                    world.driver.plan.as_ref().clone(),
                    world.path.clone(),
                    world.model.clone(),
                    Some(world.driver.clone()),
                )
            }
            None => {
                self.machine.restore(&self.base);
                (Plan::default(), Path::default(), Model::new(), None)
            }
        };
        let mut arguments = Vec::new();
        let mut provisions = Vec::new();
        if invokable.has_receiver() {
            let machine = &*self.machine;
            let receivers = self.worlds.of(world, |it| machine.is_subtype(it, invokable.class));
            if receivers.is_empty() {
                return;
            }
            arguments.push(receivers[self.worlds.below(receivers.len())]);
        }
        for parameter in &invokable.parameters {
            let Some(provision) = self.provision_in(world, parameter) else { return };
            let receiver = arguments.first().copied().filter(|_| invokable.has_receiver());
            let var = self.provider.provide(self.machine, &mut plan, &provision, parameter, receiver, 0);
            arguments.push(var);
            provisions.push(provision);
        }
        plan.call(&invokable, arguments, "result");
        if plan.steps.len() > MAX_PLAN {
            return;
        }
        let plan = Rc::new(plan);
        let driver = match start {
            Some(driver) => driver.extended(plan),
            None => PlanDriver::new(plan),
        };
        const SEEDS: [Seed; 6] =
            [Seed::Zero, Seed::Small, Seed::Small, Seed::Small, Seed::Negative, Seed::Greatest];
        let seed = SEEDS[self.worlds.below(SEEDS.len())];
        let job = Job { in_world: true, seed, assignment: provisions, ..Job::of(invokable.clone()) };
        self.statistics.sequences += 1;
        let mut completed = Vec::new();
        let Some(mut exploration) = self.run_to_last(driver, path, model, &job, &mut completed) else {
            self.work += WORK_OF_OPERATION;
            return;
        };
        let under_test = self.is_under_test(&invokable);
        for done in completed {
            self.complete(&job, done);
        }
        let mut counted = Counters::default();
        for at in 0.. {
            self.account(counted, exploration.counters);
            counted = exploration.counters;
            let is_new = exploration.best_rank().is_some_and(|(class, ..)| class <= 1);
            let most = if under_test { PATHS[usize::from(is_new)] } else { MAX_MAKING };
            if at >= most || (!under_test && self.worlds.last.is_some()) || self.is_over() {
                break;
            }
            let mut tools = tools!(self);
            match exploration.step(&mut tools) {
                None => break,
                Some(None) => {}
                Some(Some(done)) => self.complete(&job, done),
            }
        }
        self.work += WORK_OF_OPERATION;
    }

    /// What is passed for a parameter: objects of the world where there are some.
    fn provision_in(
        &mut self,
        world: Option<usize>,
        parameter: &crate::invokable::Parameter,
    ) -> Option<Provision> {
        if let Some(class) = own_class(self.machine, &parameter.ty) {
            let machine = &*self.machine;
            let known = self.worlds.of(world, |it| machine.is_subtype(it, class));
            if !known.is_empty() {
                return Some(Provision::Var(known[self.worlds.below(known.len())]));
            }
            if !self.worlds.neighbourhood.makers(self.machine, class).is_empty() {
                return known.first().map(|var| Provision::Var(*var));
            }
        }
        let all = self.provider.provisions_of(self.machine, parameter);
        if all.is_empty() {
            return None;
        }
        let within = classes_within(self.machine, parameter);
        let machine = &*self.machine;
        let has = |class: &ClassId| !self.worlds.of(world, |it| machine.is_subtype(it, *class)).is_empty();
        if !within.iter().all(has) {
            // Nothing to put into it.
            let is_empty = |it: &&Provision| match it {
                Provision::MakeOf(_, parts) | Provision::Elements(_, parts) => parts.is_empty(),
                _ => false,
            };
            return all.iter().find(is_empty).or(all.first()).cloned();
        }
        // The first is the most promising one, `null` the last.
        let at = if self.worlds.one_in(4) { self.worlds.below((all.len() - 1).max(1)) } else { 0 };
        let found = all[at].clone();
        Some(self.with_objects(found, world, &within))
    }

    /// A provision whose objects of the application are those of a world.
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

    /// An array of objects `of` a class in a world, with different ones as far as there are any. Arrays in an array have
    /// the same length.
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

    /// Keeps the world that an operation led to.
    pub(super) fn keep_world(&mut self, job: &Job, done: Completed<PlanDriver>, gained: bool) {
        if !matches!(done.driver.ended, Some(Ended::Returned(_))) {
            return;
        }
        let class = job.invokable.class;
        let effects = self.influence.effects(self.machine, class, job.invokable.method);
        let makes_object = own_class(self.machine, &job.invokable.result).is_some();
        if effects.is_pure() && !makes_object && !job.invokable.is_constructor() {
            return;
        }
        let mut objects: Vec<(Var, ClassId)> = Vec::new();
        let mut addresses = Vec::new();
        for var in done.driver.plan.steps.iter().filter_map(PlanStep::defines) {
            let declared = done.driver.plan.variables[var].ty.clone();
            let Some(class) = own_class(self.machine, &declared) else { continue };
            let object = done.driver.slots[var].value.map_or(0, Value::as_ref);
            if object != 0 && !addresses.contains(&object) {
                addresses.push(object);
                objects.push((var, class));
            }
        }
        if objects.is_empty() {
            return;
        }
        let is_full = done.driver.plan.steps.len() > MAX_PLAN / 2;
        let classes: BTreeSet<ClassId> = objects.iter().map(|(_, class)| *class).collect();
        let world = World {
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
