//! Jobs: invocations to explore from a state or from the start, with their arguments.

use super::combinations::ChangedArguments;
use super::{LONG, Search};
use crate::corpus::RecalledTest;
use crate::driver::PlanDriver;
use crate::foreign_methods::{ObjectModifier, modifiers};
use crate::influence::FieldReference;
use crate::invokable::Invokable;
use crate::plan::Var;
use crate::pool::Recipe;
use crate::provisions::Provision;
use crate::seed::Seed;
use cupping_explore::{Exploration, SharedPathMemory};
use cupping_machine::ClassId;
use std::cmp::Reverse;
use std::rc::Rc;

/// Cost of setting fields before an invocation.
const STORES: u32 = 2;
/// In how many ways they are set at most.
const MAX_WAYS_OF_STORES: usize = 3;
/// Cost of the links of a chain: if the search only wants objects, and if tests of few calls come first.
const CHAINED: [u32; 2] = [3, 35];
/// Cost of methods of other classes that change an object: those that do what no other method does, and others.
const TAKERS: [u32; 2] = [4, 26];
/// Limit on the constants of a class that are tested, and the cost of the first; each further one costs more.
const MAX_CONSTANTS: usize = 48;
const CONSTANT: u32 = 5;
/// Limit on the stubs of an interface under test and on the choices of arguments, and the cost of a call on one.
const MAX_STUBS: usize = 4;
const STUBBED: u32 = 8;
/// Limit on the fields set before one invocation.
const MAX_STORES: usize = 12;

/// An invocation to explore from a state, or from the start.
pub(super) struct Job {
    pub(super) state: Option<usize>,
    pub(super) invokable: Rc<Invokable>,
    pub(super) assignment: Vec<Provision>,
    /// For a constant: no invocation, only the creation of a state.
    pub(super) constant: Option<(ClassId, usize)>,
    pub(super) exploration: Option<Exploration<PlanDriver>>,
    pub(super) receiver: Option<Var>,
    /// The object it is invoked on, if not the receiver.
    pub(super) caller: Option<Caller>,
    /// Whether it is an operation in a world; see [`super::worlds`].
    pub(super) in_world: bool,
    /// Whether it continues from a sentence; see [`super::texts`]. Such a job cannot start again.
    pub(super) is_found: bool,
    /// What had been hit in the world before.
    pub(super) hits_before: Option<Rc<Vec<u64>>>,
    /// Its place in a chain; see [`Search::push_chain`].
    pub(super) chain: Option<usize>,
    /// Fields of the receiver to set first.
    pub(super) stores: Vec<(ClassId, usize)>,
    /// Which of their provisions fields get.
    pub(super) way_of_stores: usize,
    /// The step of an earlier invocation that takes a path other than its first returning one, and the index of
    /// that path.
    pub(super) detour: Option<(usize, u32)>,
    pub(super) rounds: u32,
    /// The initial values of symbols.
    pub(super) seed: Seed,
    /// Known paths from here, shared by the jobs of all seeds.
    pub(super) memory: SharedPathMemory,
    /// Whether it waits for jobs that lead to something uncovered.
    pub(super) is_deferred: bool,
    /// The test of an earlier run that it repeats.
    pub(super) remembered: Option<Rc<RecalledTest>>,
    /// The same invocation with other arguments, which follows it.
    pub(super) next: Option<AlternativeArguments>,
    /// How its arguments differ from the first ones.
    pub(super) change: Option<ChangedArguments>,
}

/// The same invocation with other arguments: other initial values of the first assignment, and other
/// assignments. Most are never reached, so each becomes a job only when its predecessor runs.
#[derive(Clone)]
pub(super) struct AlternativeArguments {
    assignments: Rc<Vec<Vec<Provision>>>,
    assignment: usize,
    seeds: &'static [Seed],
    seed: usize,
    /// Paths known to the jobs of all seeds.
    memory: SharedPathMemory,
    /// Cost of the first.
    base_cost: u32,
}

/// Additional cost of each further assignment, and of other initial values.
const NEXT: [u32; 2] = [4, 12];

/// The receiver of a method that is not the object under test.
#[derive(Clone)]
pub(super) enum Caller {
    /// None: the method is static.
    Class,
    /// An object of the pool.
    Object(Rc<Recipe>),
    /// On an object that others make.
    Made(Provision),
    /// On what an earlier invocation returned; see [`super::results`].
    Result(Var),
}

impl Job {
    /// Whether it is invoked on a result of the code under test, and so under test itself.
    pub(super) fn is_on_result(&self) -> bool {
        matches!(self.caller, Some(Caller::Result(_)))
    }

    /// An invocation from the start, without arguments.
    pub(super) fn of(invokable: Rc<Invokable>) -> Job {
        Job {
            state: None,
            invokable,
            assignment: Vec::new(),
            constant: None,
            exploration: None,
            receiver: None,
            caller: None,
            in_world: false,
            is_found: false,
            hits_before: None,
            chain: None,
            stores: Vec::new(),
            way_of_stores: 0,
            detour: None,
            rounds: 0,
            seed: Seed::Zero,
            memory: SharedPathMemory::default(),
            is_deferred: false,
            remembered: None,
            next: None,
            change: None,
        }
    }

    /// A fresh copy of the job.
    pub(super) fn again(&self) -> Job {
        Job {
            state: self.state,
            invokable: self.invokable.clone(),
            assignment: self.assignment.clone(),
            constant: self.constant,
            exploration: None,
            receiver: self.receiver,
            caller: self.caller.clone(),
            in_world: self.in_world,
            is_found: self.is_found,
            hits_before: self.hits_before.clone(),
            chain: None,
            stores: self.stores.clone(),
            way_of_stores: self.way_of_stores,
            detour: self.detour,
            rounds: 0,
            seed: self.seed,
            memory: SharedPathMemory::default(),
            is_deferred: self.is_deferred,
            remembered: None,
            next: None,
            change: None,
        }
    }
}

impl Search<'_> {
    pub(super) fn first_jobs(&mut self) {
        let subject = self.subject;
        self.find_modifiers();
        // Set-ups have created objects already.
        let by_steps = self.is_set_up && !subject.is_set_up;
        let constants = subject.constants.iter().take(if by_steps { 0 } else { MAX_CONSTANTS });
        for (nth, constant) in (0..).zip(constants) {
            let Some(maker) = subject.under_test.first() else { continue };
            let job = Job { constant: Some(*constant), ..Job::of(maker.clone()) };
            self.push(CONSTANT + nth, job);
        }
        let mut first: Vec<Rc<Invokable>> = if by_steps { Vec::new() } else { subject.makers.clone() };
        let others = subject.under_test.iter().filter(|m| !m.has_receiver());
        for invokable in others {
            if !first.iter().any(|f| f.method == invokable.method) {
                first.push(invokable.clone());
            }
        }
        let is_anonymous = |m: &Rc<Invokable>| m.stub.is_some() || !subject.is_maker(m);
        if !self.is_set_up && first.iter().all(is_anonymous) && subject.constants.is_empty() {
            self.subclass_makers(&mut first);
            // Implementations in the application come before anonymous classes.
            first.sort_by_key(|maker| maker.stub.is_some());
        }
        for invokable in first {
            if invokable.has_receiver() {
                self.push_foreign_maker(&invokable);
            } else {
                self.push_jobs(None, &invokable, None, 0);
            }
        }
        self.push_default_methods();
    }

    /// Calls the default methods of an interface under test on stubs of it. Implementations may be missing, and what a
    /// default method does depends on the answers of the methods that they implement.
    fn push_default_methods(&mut self) {
        let subject = self.subject;
        if !self.machine.class(subject.class).access.is_interface() || self.is_set_up {
            return;
        }
        let stubs = self.provider.stubs_under_test(self.machine, subject.class);
        for (at, stub) in stubs.into_iter().take(MAX_STUBS).enumerate() {
            for invokable in subject.under_test.iter().filter(|it| it.has_receiver()) {
                let assignments =
                    self.provider.assignments(self.machine, &mut self.influence, invokable, None);
                for (nth, assignment) in assignments.iter().take(MAX_STUBS).enumerate() {
                    let caller = Some(Caller::Made(stub.clone()));
                    let assignment = assignment.clone();
                    let job = Job { caller, assignment, ..Job::of(invokable.clone()) };
                    self.push(STUBBED + 4 * (at + nth) as u32, job);
                }
            }
        }
    }

    /// Finds the methods of other classes that change an object under test that is passed to them.
    fn find_modifiers(&mut self) {
        if self.options.exhaustive || self.is_set_up {
            return;
        }
        let mut found = modifiers(self.machine, &mut self.influence, self.subject);
        found.retain(|ObjectModifier { invokable: it, .. }| {
            let has_object = !it.has_receiver() || !self.provider.pool().of(it.class).is_empty();
            has_object && self.options.filter.allows(self.machine, it)
        });
        self.modifiers = Rc::new(found);
    }

    /// Schedules the next link of a chain, which calls each method that changes an object once, one after the
    /// other. At its end builders are complete, beans are filled, and containers hold something.
    pub(super) fn push_chain(&mut self, state: usize, receiver: Var, at: usize) {
        let class = self.states[state].class;
        let steps = self.steps.clone();
        let Some(job) = (at..steps.len()).find_map(|at| self.link(class, &steps[at], at)) else {
            self.chains -= 1;
            return;
        };
        let cost = self.cost_of_link();
        self.push(cost, Job { state: Some(state), receiver: Some(receiver), ..job });
    }

    /// The job of a chain's link; `None` if the method changes nothing, or there are no arguments for it.
    fn link(&mut self, class: ClassId, step: &Rc<Invokable>, at: usize) -> Option<Job> {
        let effects = self.influence.effects(self.machine, class, step.method);
        let changes = effects.defines_of(self.machine, class) || !effects.changes.is_empty();
        if !changes || !self.options.filter.allows(self.machine, step) {
            return None;
        }
        let assignments = self.provider.assignments(self.machine, &mut self.influence, step, Some(class));
        let assignment = assignments.first()?.clone();
        Some(Job { assignment, chain: Some(at), ..Job::of(step.clone()) })
    }

    /// See [`CHAINED`].
    pub(super) fn cost_of_link(&self) -> u32 {
        CHAINED[usize::from(self.options.enough.is_none())]
    }

    /// Passes an object under test to methods of other classes that change it.
    pub(super) fn push_modifiers(&mut self, state: usize, receiver: Var, cost: u32) {
        for ObjectModifier { invokable, place, is_needed } in self.modifiers.clone().iter() {
            let cost = cost + TAKERS[usize::from(!is_needed)];
            let callers: Vec<Caller> = if invokable.has_receiver() {
                let objects = self.provider.pool().of(invokable.class).iter().take(2);
                objects.map(|it| Caller::Object(it.clone())).collect()
            } else {
                vec![Caller::Class]
            };
            let provider = &mut self.provider;
            let assignments = provider.assignments(self.machine, &mut self.influence, invokable, None);
            let Some(assignment) = assignments.first() else { continue };
            let mut assignment = assignment.clone();
            assignment[*place] = Provision::Receiver;
            for (nth, caller) in callers.into_iter().enumerate() {
                let job = Job {
                    state: Some(state),
                    receiver: Some(receiver),
                    caller: Some(caller),
                    assignment: assignment.clone(),
                    ..Job::of(invokable.clone())
                };
                self.push(cost + 4 * nth as u32, job);
            }
        }
    }

    /// Calls a method of another class that creates objects, on objects of the pool.
    fn push_foreign_maker(&mut self, invokable: &Rc<Invokable>) {
        let provider = &mut self.provider;
        let assignments = provider.assignments(self.machine, &mut self.influence, invokable, None);
        let makers: Vec<Rc<Recipe>> = provider.pool().of(invokable.class).to_vec();
        let mut callers: Vec<Caller> = makers.into_iter().map(Caller::Object).collect();
        if callers.is_empty() {
            let receivers = provider.receivers(self.machine, invokable.class, 0);
            callers.extend(receivers.into_iter().map(Caller::Made));
        }
        for (nth, caller) in callers.into_iter().enumerate() {
            for (at, assignment) in assignments.iter().take(4).enumerate() {
                let job = Job {
                    caller: Some(caller.clone()),
                    assignment: assignment.clone(),
                    ..Job::of(invokable.clone())
                };
                self.push(4 * (nth + at) as u32, job);
            }
        }
    }

    /// An abstract class is tested through subclasses in its package.
    fn subclass_makers(&mut self, first: &mut Vec<Rc<Invokable>>) {
        if !self.subject.under_test.iter().any(|m| m.has_receiver()) {
            return;
        }
        let package = self.subject.package.clone();
        let names = self.machine.program().classes_of_package(&package, false).unwrap_or_default();
        for name in names.iter() {
            let Ok(class) = self.machine.load(name) else { continue };
            let usable = self.machine.is_subtype(class, self.subject.class)
                && !self.machine.class(class).is_abstract()
                && crate::invokable::is_nameable(self.machine, class, &package);
            if usable {
                first.extend(crate::invokable::makers(self.machine, class, &package).into_iter().take(2));
            }
            if first.len() > 24 {
                return;
            }
        }
    }

    pub(super) fn push_jobs(
        &mut self,
        state: Option<usize>,
        invokable: &Rc<Invokable>,
        receiver: Option<Var>,
        base_cost: u32,
    ) {
        let receiver_class = state.filter(|_| receiver.is_some()).map(|s| self.states[s].class);
        let provider = &mut self.provider;
        let assignments = provider.assignments(self.machine, &mut self.influence, invokable, receiver_class);
        self.losses.assignments(invokable, &assignments);
        let stores = self.stores(invokable, receiver_class);
        let of = Job { state, receiver, ..Job::of(invokable.clone()) };
        let Some(job) = self.with_alternatives(of, assignments, base_cost) else { return };
        let ways = self.provider.store_ways(self.machine, &stores).min(MAX_WAYS_OF_STORES);
        for way_of_stores in 0..ways {
            let cost = base_cost + STORES * (1 + way_of_stores as u32);
            self.push(cost, Job { stores: stores.clone(), way_of_stores, ..job.again() });
        }
        self.push(base_cost, job);
    }

    /// Schedules a job's invocation with each of these arguments.
    pub(super) fn push_assignments(&mut self, of: Job, assignments: Rc<Vec<Vec<Provision>>>, cost: u32) {
        if let Some(job) = self.with_alternatives(of, assignments, cost) {
            self.push(cost, job);
        }
    }

    /// A job with the first of these arguments, followed by the others; `None` if there are none.
    fn with_alternatives(
        &self,
        of: Job,
        assignments: Rc<Vec<Vec<Provision>>>,
        base_cost: u32,
    ) -> Option<Job> {
        let assignment = assignments.first()?.clone();
        let symbols = assignment.iter().any(Provision::is_symbolic);
        let memory = SharedPathMemory::default();
        let seeds = if symbols && !self.options.exhaustive { Seed::ALL } else { &Seed::ALL[..1] };
        let next = AlternativeArguments {
            assignments,
            assignment: 1,
            seeds,
            seed: 1,
            memory: memory.clone(),
            base_cost,
        };
        Some(Job { assignment, memory, next: Some(next), ..of })
    }

    /// Schedules a job's invocation with the next arguments.
    pub(super) fn push_next(&mut self, job: &mut Job) {
        let Some(mut next) = job.next.take() else { return };
        let by_assignment = next.assignments.get(next.assignment).map(|_| NEXT[0] * next.assignment as u32);
        let by_seed = next.seeds.get(next.seed).map(|_| NEXT[1] * next.seed as u32);
        let caller = job.caller.clone();
        let of = Job { state: job.state, receiver: job.receiver, caller, ..Job::of(job.invokable.clone()) };
        let (more, job) = match (by_assignment, by_seed) {
            (Some(more), seed) if seed.is_none_or(|seed| more <= seed) => {
                next.assignment += 1;
                let at = next.assignment - 1;
                let change = ChangedArguments::of(&next.assignments, at, next.base_cost);
                (more, Job { assignment: next.assignments[at].clone(), change, ..of })
            }
            (_, Some(more)) => {
                next.seed += 1;
                let (seed, memory) = (next.seeds[next.seed - 1], next.memory.clone());
                (more, Job { assignment: next.assignments[0].clone(), seed, memory, ..of })
            }
            _ => return,
        };
        self.push(next.base_cost + more, Job { next: Some(next), ..job });
    }

    /// Schedules a job's invocation with combinations of its arguments and others.
    pub(super) fn push_combinations(&mut self, job: &Job, change: &ChangedArguments) {
        for (cost, assignment, change) in change.combinations(&job.assignment) {
            self.push(cost, Job { assignment, change: Some(change), next: None, ..job.again() });
        }
    }

    /// The fields of the receiver and static fields that an invocation uses and a test may set.
    fn stores(&mut self, invokable: &Invokable, receiver: Option<ClassId>) -> Vec<(ClassId, usize)> {
        let class = receiver.unwrap_or(self.subject.class);
        let uses = self.influence.effects(self.machine, class, invokable.method);
        let mut all = Vec::new();
        if receiver.is_some() && invokable.has_receiver() {
            all.extend(self.provider.settable(self.machine, &mut self.influence, class).iter().copied());
        }
        let own = self.subject.class;
        let shared = self.provider.settable_static(self.machine, &mut self.influence, own);
        all.extend(shared.into_iter().filter(|(_, index)| self.shared.contains(index)));
        let is_used = |(class, index): &(ClassId, usize)| {
            uses.uses.contains(&FieldReference { class: *class, index: *index as u32 })
        };
        all.iter().copied().filter(is_used).take(MAX_STORES).collect()
    }

    pub(super) fn push(&mut self, cost: u32, job: Job) {
        let number = self.next_job;
        self.next_job += 1;
        let calls = job.state.map_or(0, |s| self.states[s].calls) + 1;
        let cost = if calls > self.usual_length() && job.chain.is_none() {
            cost.max(LONG + cost % LONG)
        } else {
            cost
        };
        self.jobs.insert(number, job);
        self.queue.push(Reverse((cost, number)));
    }
}
