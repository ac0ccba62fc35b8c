//! Objects that operations need, built bottom up.
//!
//! Worlds grow at random; an object that takes ten calls in the right order, each with texts of a form, is
//! hardly ever met that way. So each class that operations under test need is made once on purpose: first what
//! its cheapest maker needs; then the maker is run; where it fails, the other methods that change what it reads
//! are called on its receiver, one after the other, until it returns. What is made becomes a recipe of the pool.

use super::operation::InputChoice;
use crate::driver::PlanDriver;
use crate::neighbourhood::{NEVER, classes_within, needs_of};
use crate::plan::PlanStep;
use crate::pool::Recipe;
use crate::search::{Job, Search};
use cupping_machine::ClassId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The shares of the budget that go into construction: the usual one, and the one without any object under test.
const SHARES: [(u64, u64); 2] = [(1, 10), (1, 2)];
/// The part of the budget after which construction begins, if sequences still find something.
const BEGIN: u64 = 6;
/// The part of the budget for one class, with what it needs.
const OF_CLASS: u64 = 12;
/// Limit on the makers that are tried for a class.
const MAX_MAKERS: usize = 4;
/// How hard a call is tried until it returns: a first attempt, and a thorough one.
const FIRST: Effort = Effort { again: 0, words: 8, begins: 1, paths: 12, share: 200 };
const THOROUGH: Effort = Effort { again: 0, words: 160, begins: 4, paths: 240, share: 32 };
/// The paths of an operation with words that have passed a check.
const PATHS_WITH_WORDS: u32 = 8;
/// How often the preparation of a maker begins anew with texts that suit its steps.
const ROUNDS: usize = 4;
/// Limit on the calls that prepare a receiver.
const MAX_CHANGES: usize = 12;
/// Limit on the steps of a recipe, inputs included.
const MAX_STEPS: usize = 90;

/// Limits on a call: the runs with words of the code, how often it is explored from other arguments, and the paths
/// and the work (as a share of the budget) of each exploration.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// The runs with texts that the world has passed before.
    pub(super) again: usize,
    pub(super) words: usize,
    pub(super) begins: usize,
    pub(super) paths: u32,
    pub(super) share: u64,
}

/// How the preparation of a maker ended.
enum Preparation {
    Made(usize),
    /// Texts were found that suit earlier calls.
    Texts,
    Failed,
}

/// One round of construction.
pub(super) struct Round {
    /// The work of the search at which it ends.
    pub(super) end: u64,
    /// The classes that have been tried, and those of which there is an object since.
    pub(super) seen: BTreeSet<ClassId>,
    pub(super) made: BTreeSet<ClassId>,
}

impl Search<'_> {
    /// Whether objects are constructed next: when the sequences have had their first turns.
    pub(in crate::search) fn has_turn_for_construction(&self) -> bool {
        let begun = self.options.budget.as_micros() as u64 / BEGIN;
        !self.worlds.are_constructed
            && self.worlds.are_useful()
            && (self.work > begun || self.is_tried())
            && !self.is_complete()
    }

    /// Makes an object of each class that operations under test need, unless the pool has one, and tries what is under
    /// test with them.
    pub(in crate::search) fn construct_objects(&mut self) {
        self.worlds.are_constructed = true;
        let has_own = self.has_own_state();
        let mut made = self.construct_needed(SHARES[usize::from(!has_own)]);
        if !self.has_own_state() {
            // Other choices may lead to an object under test.
            self.worlds.consumers.forget_failures();
            made.extend(self.construct_needed(SHARES[1]));
        }
        let subject = self.subject;
        for invokable in subject.makers.iter().chain(&subject.under_test).filter(|it| !it.has_receiver()) {
            let types: Vec<ClassId> = needs_of(self.machine, invokable);
            if types.iter().any(|class| made.contains(class)) {
                self.push_jobs(None, invokable, None, 0);
            }
        }
    }

    /// Whether sequences have an object under test, or need none.
    pub(in crate::search) fn has_own_state(&self) -> bool {
        let needs_one = self.subject.under_test.iter().any(|it| it.has_receiver());
        !needs_one || self.states.iter().any(|it| it.receiver.is_some())
    }

    /// Makes the objects that operations need, with a share of the budget; returns the classes of those made.
    fn construct_needed(&mut self, (share, of): (u64, u64)) -> BTreeSet<ClassId> {
        let end = self.work + self.options.budget.as_micros() as u64 / of * share;
        let mut round = Round { end, seen: BTreeSet::new(), made: BTreeSet::new() };
        let mut needed = Vec::new();
        // Sequences have found objects of the class under test, if it is easy.
        if !self.has_own_state() {
            needed.push(self.subject.class);
        }
        for at in 0..self.worlds.neighbourhood.under_test {
            let invokable = self.worlds.neighbourhood.operations[at].invokable.clone();
            for class in needs_of(self.machine, &invokable) {
                if class != self.subject.class && !needed.contains(&class) {
                    needed.push(class);
                }
            }
        }
        for class in needed {
            self.construct(class, &mut round);
        }
        round.made
    }

    /// Makes an object of a class, unless the pool has one; returns whether there is one now.
    pub(super) fn construct(&mut self, class: ClassId, round: &mut Round) -> bool {
        if !self.provider.pool().of(class).is_empty() {
            return true;
        }
        if !round.seen.insert(class) || self.is_past(round.end) {
            return false;
        }
        // Constructors and factories first: what other objects return is often an object that they were given.
        let mut makers: Vec<(bool, u32, usize)> = Vec::new();
        for maker in self.worlds.neighbourhood.makers(self.machine, class) {
            let invokable = self.worlds.neighbourhood.operations[maker].invokable.clone();
            let needs = needs_of(self.machine, &invokable);
            let cost = needs.iter().map(|it| self.worlds.neighbourhood.cost(*it)).sum::<u32>();
            if cost < NEVER {
                makers.push((invokable.has_receiver(), cost, maker));
            }
        }
        makers.sort_unstable();
        // One class must not take what the others need.
        let end = round.end;
        round.end = end.min(self.work + self.options.budget.as_micros() as u64 / OF_CLASS);
        let deadline = self.worlds.deadline.replace(round.end);
        let has_makers = !makers.is_empty();
        let tried = makers.into_iter().take(MAX_MAKERS);
        let is_made = tried.into_iter().any(|(_, _, maker)| self.construct_by(maker, class, round));
        round.end = end;
        self.worlds.deadline = deadline;
        if is_made {
            round.made.insert(class);
            self.worlds.hard.insert(class);
        } else if has_makers {
            self.worlds.unmade.insert(class);
        }
        is_made
    }

    pub(super) fn is_past(&self, end: u64) -> bool {
        self.work > end || self.is_over()
    }

    /// Makes an object of a class by an operation, after everything that the operation needs.
    fn construct_by(&mut self, maker: usize, class: ClassId, round: &mut Round) -> bool {
        let invokable = self.worlds.neighbourhood.operations[maker].invokable.clone();
        let mut start = None;
        for need in needs_of(self.machine, &invokable) {
            let has_one = self.construct(need, round);
            if invokable.has_receiver() && need == invokable.class && start.is_none() {
                start = if has_one { self.append_recipe(None, need) } else { None };
                if start.is_none() {
                    return false;
                }
            }
        }
        for _ in 0..ROUNDS {
            self.worlds.consumers.refused = None;
            match self.prepare(start, maker, round) {
                Preparation::Made(world) => return self.add_recipe(world, class),
                Preparation::Texts => {}
                Preparation::Failed => break,
            }
        }
        let made = self.with_other_parts(start, maker, round);
        made.is_some_and(|world| self.add_recipe(world, class))
    }

    /// Calls a maker; as long as it fails, calls what changes the state that it reads.
    fn prepare(&mut self, start: Option<usize>, maker: usize, round: &mut Round) -> Preparation {
        let mut world = start;
        let method = self.worlds.neighbourhood.operations[maker].invokable.method;
        let mut left = self.changes_before(maker).into_iter().take(MAX_CHANGES);
        loop {
            let change = left.next();
            // Without everything that it reads, a maker may fail for any input.
            let effort = if change.is_some() { FIRST } else { THOROUGH };
            self.worlds.consumers.maker = change.is_none().then_some(method);
            if let Some(made) = self.call_until_returned(world, maker, effort) {
                return Preparation::Made(made);
            }
            if self.serve_consumers() || (change.is_none() && self.vary_refused_texts()) {
                return Preparation::Texts;
            }
            let Some(change) = change.filter(|_| !self.is_past(round.end)) else {
                return Preparation::Failed;
            };
            let invokable = self.worlds.neighbourhood.operations[change].invokable.clone();
            for need in needs_of(self.machine, &invokable).into_iter().filter(|it| *it != invokable.class) {
                self.construct(need, round);
            }
            world = self.call_until_returned(world, change, THOROUGH).or(world);
        }
    }

    /// The operations on the receiver of another one that change what it reads, in the order of declaration.
    fn changes_before(&mut self, maker: usize) -> Vec<usize> {
        let invokable = self.worlds.neighbourhood.operations[maker].invokable.clone();
        if !invokable.has_receiver() {
            return Vec::new();
        }
        let reads = self.influence.effects(self.machine, invokable.class, invokable.method);
        let mut found = Vec::new();
        for at in 0..self.worlds.neighbourhood.operations.len() {
            let operation = &self.worlds.neighbourhood.operations[at];
            let other = operation.invokable.clone();
            let is_on_it = other.has_receiver() && self.machine.is_subtype(invokable.class, other.class);
            if at == maker || !operation.changes || !is_on_it {
                continue;
            }
            if self.influence.effects(self.machine, other.class, other.method).influences(&reads) {
                found.push(at);
            }
        }
        found
    }

    /// Runs an operation in a world until it returns; the world that it leads to.
    pub(super) fn call_until_returned(
        &mut self,
        world: Option<usize>,
        operation: usize,
        effort: Effort,
    ) -> Option<usize> {
        let world = self.with_elements(world, operation);
        self.worlds.failures.clear();
        self.worlds.last = None;
        self.call_with_known_texts(world, operation, effort);
        if self.worlds.last.is_none() {
            self.call_with_words(world, operation, effort);
        }
        if self.worlds.last.is_none() {
            self.call_with_constants(world, operation);
        }
        let method = self.worlds.neighbourhood.operations[operation].invokable.method;
        if self.worlds.last.is_none() && effort.begins > 1 {
            for nth in 0..self.ask_consumer(method) {
                if self.worlds.last.is_none() {
                    self.begin_operation(world, operation, InputChoice::Accepted(nth));
                }
            }
        }
        for nth in 0..effort.begins {
            if self.worlds.last.is_some() {
                break;
            }
            let end = self.work + self.options.budget.as_micros() as u64 / effort.share;
            let end = end.min(self.worlds.deadline.unwrap_or(u64::MAX));
            self.worlds.last = None;
            let begun = self.begin_operation(world, operation, InputChoice::Free(nth));
            if let Some(begun) = begun.filter(|_| self.worlds.last.is_none()) {
                self.run_until_returned(begun, effort.paths, end);
            }
            if self.is_over() || self.worlds.deadline.is_some_and(|it| self.work > it) {
                break;
            }
        }
        self.worlds.last
    }

    /// A world with an object of each class that arrays and collections hold which an operation takes, as far as there
    /// are recipes.
    fn with_elements(&mut self, world: Option<usize>, operation: usize) -> Option<usize> {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        let mut world = world;
        for parameter in &invokable.parameters {
            for class in classes_within(self.machine, parameter) {
                let machine = &*self.machine;
                if self.worlds.of(world, |it| machine.is_subtype(it, class)).is_empty() {
                    world = self.append_recipe(world, class).or(world);
                }
            }
        }
        world
    }

    /// Runs an operation that takes enums with each of their constants.
    fn call_with_constants(&mut self, world: Option<usize>, operation: usize) {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        for (at, parameter) in invokable.parameters.iter().enumerate() {
            let class = self.machine.load_descriptor(&parameter.ty.descriptor());
            if !class.is_ok_and(|class| self.machine.class(class).access.is_enum()) {
                continue;
            }
            let constants = self.provider.provisions_of(self.machine, parameter);
            let first = self.worlds.below(constants.len());
            for nth in (first..constants.len()).chain(0..first).filter(|nth| !constants[*nth].is_null()) {
                let is_begun =
                    self.begin_operation(world, operation, InputChoice::Constant(at, nth)).is_some();
                if !is_begun || self.worlds.last.is_some() || self.is_over() {
                    return;
                }
            }
        }
    }

    /// Runs an operation that takes texts with words of the code, which costs much less than an exploration.
    fn call_with_words(&mut self, world: Option<usize>, operation: usize, effort: Effort) {
        self.worlds.last = None;
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        if !invokable.parameters.iter().any(|it| it.ty.is_string()) {
            return;
        }
        let mut words = self.words_of(&invokable);
        for _ in 0..effort.words {
            let known = self.worlds.failures.all.len();
            let begun = self.begin_operation(world, operation, InputChoice::Words(&mut words));
            if let Some(begun) = begun
                && self.worlds.last.is_none()
                && self.worlds.failures.all.len() > known
            {
                // These words have passed a check: other numbers may pass the next one.
                let end = self.work + self.options.budget.as_micros() as u64 / effort.share;
                self.run_until_returned(begun, PATHS_WITH_WORDS, end);
            }
            if self.worlds.last.is_some() || self.is_over() {
                break;
            }
        }
    }

    /// Adds the object of a recipe for a class to a world.
    pub(super) fn append_recipe(&mut self, world: Option<usize>, class: ClassId) -> Option<usize> {
        let known = self.provider.pool().of(class).len();
        if known == 0 {
            return None;
        }
        let at = self.worlds.below(known);
        let recipe = self.provider.pool().of(class)[at].clone();
        let (mut plan, path, model, start) = self.enter_world(world);
        plan.follow(&recipe, false);
        let invokable = plan.under_test()?.clone();
        self.worlds.last = None;
        let driver = PlanDriver::continuing(start, Rc::new(plan));
        let hits_before = world.map(|at| self.worlds.all[at].hits.clone());
        let job = Job { in_world: true, hits_before, ..Job::of(invokable) };
        let mut completed = Vec::new();
        self.run_to_last(driver, path, model, &job, &mut completed);
        for done in completed {
            self.complete(&job, done);
        }
        self.worlds.last
    }

    /// Keeps the result of a world's last call as a recipe for a class; returns whether it is such an object.
    fn add_recipe(&mut self, world: usize, class: ClassId) -> bool {
        let world = &self.worlds.all[world];
        let plan = &world.driver.plan;
        let Some(object) = plan.steps.last().and_then(PlanStep::defines) else { return false };
        let is_it =
            world.objects.iter().any(|(var, it)| *var == object && self.machine.is_subtype(*it, class));
        if !is_it || plan.has_folder() {
            return false;
        }
        let free = plan.leading_to(plan.steps.len() - 1);
        if free.steps.len() > MAX_STEPS {
            return false;
        }
        let Some(plan) = world.driver.fixed_plan(&world.model) else { return false };
        let plan = plan.leading_to(plan.steps.len() - 1);
        let snapshot = world.snapshot.clone();
        let (driver, path, model) = (world.driver.clone(), world.path.clone(), world.model.clone());
        self.provider.add_recipe(class, Rc::new(Recipe { plan, free, object, class }));
        if class == self.subject.class {
            self.machine.restore(&snapshot);
            self.add_state(driver, path, model, Some(object), None, 0);
        }
        true
    }
}
