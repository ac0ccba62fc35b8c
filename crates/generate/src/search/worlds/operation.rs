//! Runs operations in worlds.

use super::objects::is_free;
use super::{MAX_PLAN, PartialOperation, WORK_OF_OPERATION};
use crate::driver::PlanDriver;
use crate::plan::Plan;
use crate::search::{Job, Search};
use crate::seed::Seed;
use cupping_explore::Path;
use cupping_term::Model;
use std::rc::Rc;

/// Number of paths of an operation under test: the usual one, and the one if some paths are new.
const PATHS: [u32; 2] = [3, 24];
/// Paths of another operation until one returns.
const MAX_MAKING: u32 = 5;

impl Search<'_> {
    /// Runs an operation in a world, or continues it.
    pub(super) fn operate(&mut self, world: Option<usize>, operation: usize) {
        let begun = match self.worlds.open.remove(&operation) {
            Some(begun) if !self.worlds.one_in(3) => Some(begun),
            _ => {
                let begun = self.begin_operation(world, operation);
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

    /// Runs the first path of an operation in a world.
    fn begin_operation(&mut self, world: Option<usize>, operation: usize) -> Option<PartialOperation> {
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
                return None;
            }
            let last = receivers.len() - 1;
            let at = if self.worlds.one_in(2) { last } else { self.worlds.below(receivers.len()) };
            arguments.push(receivers[at]);
        }
        let passed = self.worlds.passed.get(&invokable.method).cloned();
        let passed = passed.filter(|_| !self.worlds.one_in(3));
        for (at, parameter) in invokable.parameters.iter().enumerate() {
            // Passes earlier arguments again, with objects of this world.
            let again = passed.as_ref().and_then(|it| it.get(at)).filter(|it| is_free(it)).cloned();
            let provision = again.or_else(|| self.provision_in(world, parameter))?;
            let receiver = arguments.first().copied().filter(|_| invokable.has_receiver());
            let var = self.provider.provide(self.machine, &mut plan, &provision, parameter, receiver, 0);
            arguments.push(var);
            provisions.push(provision);
        }
        plan.call(&invokable, arguments, "result");
        if plan.steps.len() > MAX_PLAN {
            return None;
        }
        let plan = Rc::new(plan);
        let driver = match start {
            Some(driver) => driver.extended(plan),
            None => PlanDriver::new(plan),
        };
        let job = Job {
            in_world: true,
            hits_before: world.map(|at| self.worlds.all[at].hits.clone()),
            seed: self.seed_for(operation),
            assignment: provisions,
            ..Job::of(invokable)
        };
        self.statistics.sequences += 1;
        let mut completed = Vec::new();
        let exploration = self.run_to_last(driver, path, model, &job, &mut completed);
        self.work += WORK_OF_OPERATION;
        for done in completed {
            self.complete(&job, done);
        }
        exploration.map(|exploration| PartialOperation { job, exploration })
    }

    /// The initial values of an operation's inputs: those with which it returned before, or arbitrary ones.
    fn seed_for(&mut self, operation: usize) -> Seed {
        const SEEDS: [Seed; 6] =
            [Seed::Zero, Seed::Small, Seed::Small, Seed::Small, Seed::Negative, Seed::Greatest];
        let method = self.worlds.neighbourhood.operations[operation].invokable.method;
        let is_known = self.arguments.contains_key(&(method, true));
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
            let mut tools = tools!(self);
            match exploration.step(&mut tools) {
                None => break,
                Some(None) => {}
                Some(Some(done)) => self.complete(&job, done),
            }
        }
        self.account(counted, exploration.counters);
        // Operations that never returned or that lead to something new may need many paths.
        let has_returned =
            self.worlds.last.is_some() || self.arguments.contains_key(&(job.invokable.method, true));
        let is_new = exploration.best_rank().is_some_and(|(class, ..)| class <= 1);
        if exploration.waiting() > 0 && (!has_returned || (under_test && is_new)) {
            self.worlds.open.insert(operation, PartialOperation { job, exploration });
        }
    }
}
