//! Runs operations in worlds.

use super::objects::is_free;
use super::{MAX_PLAN, PartialOperation, WORK_OF_OPERATION, World};
use crate::driver::PlanDriver;
use crate::input::Input;
use crate::plan::Plan;
use crate::provisions::Provision;
use crate::search::texts::Words;
use crate::search::{Job, Search};
use crate::seed::Seed;
use cupping_explore::{CompletedPath, Exploration, InvocationEnd, Path};
use cupping_term::Model;
use std::rc::Rc;

/// Number of paths of an operation under test: the usual one, and the one if some paths are new.
const PATHS: [u32; 2] = [3, 24];
/// Paths of another operation until one returns.
const MAX_MAKING: u32 = 5;

/// How the inputs of an operation are chosen.
pub(super) enum InputChoice<'a> {
    /// As they were before, or at random.
    Usual,
    /// All are free, and start from the values of the nth seed.
    Free(usize),
    /// Texts are words.
    Words(&'a mut Words),
    /// Texts are those that the world has passed before.
    Known,
    /// One of them, by its place, is the nth constant of its type.
    Constant(usize, usize),
    /// The nth is `null`, and texts are those that the world has passed before.
    Null(usize),
    /// The nth that are known to be accepted.
    Accepted(usize),
}

/// The initial values of free inputs, in the order in which they are tried; small ones twice, since texts and objects
/// are chosen anew each time.
const FREE_SEEDS: [Seed; 4] = [Seed::Small, Seed::Zero, Seed::Small, Seed::Negative];

/// A provision whose chosen text may vary.
fn free(provision: Provision) -> Provision {
    match provision {
        Provision::Input(Input::Text(text)) => Provision::Input(Input::near(&text, 0)),
        other => other,
    }
}

impl Search<'_> {
    /// Runs an operation in a world, or continues it.
    pub(super) fn operate(&mut self, world: Option<usize>, operation: usize) {
        self.worlds.failures.clear();
        let begun = match self.worlds.open.remove(&operation) {
            Some(begun) if !self.worlds.one_in(3) => Some(begun),
            _ => {
                let begun = self.begin_operation(world, operation, InputChoice::Usual);
                begun.filter(|_| self.worlds.last.is_none() || self.is_open(operation))
            }
        };
        if let Some(begun) = begun {
            self.go_on(operation, begun);
        }
    }

    /// Whether an operation under test leads to something uncovered.
    fn is_open(&mut self, operation: usize) -> bool {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        self.is_under_test(&invokable) && self.is_relevant(invokable.method, 0)
    }

    /// Restores the state of a world, or the start; returns its plan, path and model, and what has been run.
    pub(super) fn enter_world(&mut self, world: Option<usize>) -> (Plan, Path, Model, Option<PlanDriver>) {
        let Some(at) = world else {
            self.machine.restore(&self.base);
            return (Plan::default(), Path::default(), Model::new(), None);
        };
        let world = &self.worlds.all[at];
        self.machine.restore(&world.snapshot.clone());
        let World { driver, path, model, .. } = &self.worlds.all[at];
        (driver.plan.as_ref().clone(), path.clone(), model.clone(), Some(driver.clone()))
    }

    /// Runs the next path of an operation; returns whether there was one.
    fn step(&mut self, job: &Job, exploration: &mut Exploration<PlanDriver>) -> bool {
        let mut tools = tools!(self);
        let Some(found) = exploration.step(&mut tools) else { return false };
        if let Some(done) = found {
            self.finish(job, done);
        }
        true
    }

    /// Handles a completed path of an operation; the machine is at its end.
    fn finish(&mut self, job: &Job, done: CompletedPath<PlanDriver>) {
        self.note_refusal(job, &done);
        if let Some(InvocationEnd::Threw(exception)) = done.driver.ended {
            self.note_failure(exception);
        }
        self.complete(job, done);
    }

    /// Runs further paths of an operation until one returns.
    pub(super) fn run_until_returned(&mut self, begun: PartialOperation, paths: u32, end: u64) {
        let PartialOperation { job, mut exploration } = begun;
        let mut counted = exploration.counters;
        for _ in 0..paths {
            self.account(counted, exploration.counters);
            counted = exploration.counters;
            if self.worlds.last.is_some() || self.work > end || self.is_over() {
                break;
            }
            if !self.step(&job, &mut exploration) {
                break;
            }
        }
        self.account(counted, exploration.counters);
    }

    /// Runs the first path of an operation in a world; returns what is left of it, if it can be run.
    pub(super) fn begin_operation(
        &mut self,
        world: Option<usize>,
        operation: usize,
        mut choice: InputChoice<'_>,
    ) -> Option<PartialOperation> {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        let (mut plan, path, model, start) = self.enter_world(world);
        let mut arguments = Vec::new();
        let mut provisions = Vec::new();
        if invokable.has_receiver() {
            let machine = &*self.machine;
            let receivers = self.worlds.of(world, |it| machine.is_subtype(it, invokable.class));
            if receivers.is_empty() {
                return None;
            }
            let is_usual = matches!(choice, InputChoice::Usual);
            let last = if is_usual { receivers.last().copied() } else { self.used_last(world, &receivers) };
            let chosen = last.filter(|_| !self.worlds.one_in(if is_usual { 2 } else { 4 }));
            arguments.push(chosen.unwrap_or_else(|| receivers[self.worlds.below(receivers.len())]));
        }
        let passed = self.worlds.passed.get(&invokable.entrance()).cloned();
        let passed = passed.filter(|_| matches!(choice, InputChoice::Usual) && !self.worlds.one_in(3));
        let nth = if let InputChoice::Accepted(nth) = choice { Some(nth) } else { None };
        let accepted = self.accepted_arguments(invokable.method, nth);
        for (at, parameter) in invokable.parameters.iter().enumerate() {
            // Passes earlier arguments again, with objects of this world.
            let again = passed.as_ref().and_then(|it| it.get(at)).filter(|it| is_free(it)).cloned();
            let is_usual = matches!(choice, InputChoice::Usual);
            let suitable = self.suitable_text((invokable.method, at), parameter, !is_usual);
            let accepted = accepted.as_ref().and_then(|it| it.get(at)).cloned();
            let chosen = match choice {
                InputChoice::Null(nth) if nth == at => Some(Provision::Input(Input::Null)),
                InputChoice::Constant(of, nth) if of == at => {
                    self.provider.provisions_of(self.machine, parameter).get(nth).cloned()
                }
                InputChoice::Known | InputChoice::Null(_) if parameter.ty.is_string() => {
                    self.known_text(world, &parameter.name).map(|it| Provision::Input(Input::Text(it)))
                }
                _ => None,
            };
            if let Some(provision) = chosen {
                let var = self.provider.provide(self.machine, &mut plan, &provision, parameter, None, 0);
                arguments.push(var);
                provisions.push(provision);
                continue;
            }
            let provision = match (accepted.or(suitable).or(again), &mut choice) {
                (Some(known), _) => known,
                (None, InputChoice::Words(words)) if parameter.ty.is_string() => {
                    Provision::Input(Input::Text(words.word()))
                }
                (None, InputChoice::Usual) => self.provision_in(world, parameter)?,
                (None, _) => free(self.provision_for_construction(world, parameter)?),
            };
            let receiver = arguments.first().copied().filter(|_| invokable.has_receiver());
            let var = self.provider.provide(self.machine, &mut plan, &provision, parameter, receiver, 0);
            arguments.push(var);
            provisions.push(provision);
        }
        plan.call(&invokable, arguments, "result");
        if plan.steps.len() > MAX_PLAN {
            return None;
        }
        let driver = PlanDriver::continuing(start, Rc::new(plan));
        let job = Job {
            in_world: true,
            hits_before: world.map(|at| self.worlds.all[at].hits.clone()),
            seed: match choice {
                InputChoice::Usual
                | InputChoice::Words(_)
                | InputChoice::Known
                | InputChoice::Null(_)
                | InputChoice::Constant(..)
                | InputChoice::Accepted(_) => self.seed_for(operation),
                InputChoice::Free(nth) => FREE_SEEDS[nth % FREE_SEEDS.len()],
            },
            assignment: provisions,
            ..Job::of(invokable)
        };
        self.statistics.sequences += 1;
        let mut completed = Vec::new();
        let exploration = self.run_to_last(driver, path, model, &job, &mut completed);
        self.work += WORK_OF_OPERATION;
        completed.into_iter().for_each(|done| self.finish(&job, done));
        exploration.map(|exploration| PartialOperation { job, exploration })
    }

    /// The initial values of an operation's inputs: those with which it returned before, or arbitrary ones.
    fn seed_for(&mut self, operation: usize) -> Seed {
        const SEEDS: [Seed; 6] =
            [Seed::Zero, Seed::Small, Seed::Small, Seed::Small, Seed::Negative, Seed::Greatest];
        let entrance = self.worlds.neighbourhood.operations[operation].invokable.entrance();
        let is_known = self.arguments.contains_key(&(entrance, true));
        if is_known && !self.worlds.one_in(4) {
            return Seed::Zero;
        }
        SEEDS[self.worlds.below(SEEDS.len())]
    }

    /// Runs further paths of an operation: those that lead to something new, or until one returns.
    fn go_on(&mut self, operation: usize, begun: PartialOperation) {
        let PartialOperation { job, mut exploration } = begun;
        let under_test = self.is_under_test(&job.invokable);
        let mut counted = exploration.counters;
        for at in 0.. {
            self.account(counted, exploration.counters);
            counted = exploration.counters;
            let is_new = exploration.best_rank().is_some_and(|(class, ..)| class <= 1);
            let most = if under_test { PATHS[usize::from(is_new)] } else { MAX_MAKING };
            if at >= most || (!under_test && self.worlds.last.is_some()) || self.is_over() {
                break;
            }
            if !self.step(&job, &mut exploration) {
                break;
            }
        }
        self.account(counted, exploration.counters);
        // Operations that never returned or that lead to something new may need many paths.
        let has_returned =
            self.worlds.last.is_some() || self.arguments.contains_key(&(job.invokable.entrance(), true));
        let is_new = exploration.best_rank().is_some_and(|(class, ..)| class <= 1);
        if exploration.waiting() > 0 && (!has_returned || (under_test && is_new)) {
            self.worlds.open.insert(operation, PartialOperation { job, exploration });
        }
    }
}
