//! Chooses the next operation: one under test, one that makes a missing object, or one that changes state that is read.

use super::MAX_STEPS;
use crate::neighbourhood::{Operation, classes_within, needs_of, own_class};
use crate::plan::PlanStep;
use crate::search::Search;
use cupping_machine::{ClassId, MethodId};

/// The cost of each doubling of an operation's failures, counted in operations.
const FAILURE: u32 = 2;
/// How many more operations an alternative way to an object may take.
const NEARLY: u32 = 3;
/// How often an operation is tried for an object that it has never made: a getter may return what nobody sets.
const MAX_VAIN: u32 = 12;
/// Number of objects of a class below which another one is sometimes created.
const FEW_OBJECTS: usize = 3;

impl Search<'_> {
    /// An operation to aim at: usually one that leads to something uncovered.
    pub(super) fn pick_operation(&mut self) -> usize {
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

    /// The operation to run next on the way to a goal operation: it creates a missing object, or changes state
    /// that the goal reads.
    pub(super) fn on_the_way(&mut self, goal: usize, world: Option<usize>, failed: Option<usize>) -> usize {
        let next = self.first_of(goal, world);
        // Change the state that an operation reads before it is tried again.
        let is_again = failed == Some(next);
        if world.is_some()
            && (is_again || next == goal)
            && !self.worlds.one_in(if is_again { 3 } else { 2 })
            && let Some(change) = self.influential(next, world, is_again)
        {
            return self.first_of(change, world);
        }
        next
    }

    /// An operation, or another one that creates its missing objects.
    fn first_of(&mut self, operation: usize, world: Option<usize>) -> usize {
        let mut next = operation;
        for _ in 0..MAX_STEPS {
            let Some(missing) = self.missing(next, world) else { break };
            let makers = self.worlds.neighbourhood.makers(self.machine, missing);
            if makers.is_empty() {
                break;
            }
            next = self.cheap(&makers, world);
        }
        next
    }

    /// An operation that changes what another one reads: usually one on the same object, and one that has not
    /// been called. If the other one has just failed, mostly one that changes what the method has read that threw.
    fn influential(&mut self, goal: usize, world: Option<usize>, has_failed: bool) -> Option<usize> {
        let invokable = self.worlds.neighbourhood.operations[goal].invokable.clone();
        if has_failed && !self.worlds.one_in(4) {
            for (method, _) in self.worlds.failures.last.clone() {
                let class = self.machine.method(method).class;
                if method != invokable.method
                    && let Some(change) = self.influential_on(goal, class, method, world)
                {
                    return Some(change);
                }
            }
        }
        self.influential_on(goal, invokable.class, invokable.method, world)
    }

    /// An operation other than the goal that changes what a method reads.
    fn influential_on(
        &mut self,
        goal: usize,
        class: ClassId,
        method: MethodId,
        world: Option<usize>,
    ) -> Option<usize> {
        let reads = self.influence.effects(self.machine, class, method);
        let mut found = [Vec::new(), Vec::new()];
        for at in 0..self.worlds.neighbourhood.operations.len() {
            let operation = &self.worlds.neighbourhood.operations[at];
            if at == goal || !operation.changes {
                continue;
            }
            let (its, method) = (operation.invokable.class, operation.invokable.method);
            let own = self.influence.effects(self.machine, its, method);
            if own.influences(&reads) {
                found[usize::from(its != class)].push(at);
            }
        }
        let [mut own, others] = found;
        if let Some(world) = world {
            let plan = &self.worlds.all[world].driver.plan;
            let is_called = |at: &usize| {
                let method = self.worlds.neighbourhood.operations[*at].invokable.method;
                plan.steps.iter().any(
                    |step| matches!(step, PlanStep::Call { invokable, .. } if invokable.method == method),
                )
            };
            let fresh: Vec<usize> = own.iter().copied().filter(|at| !is_called(at)).collect();
            if !fresh.is_empty() {
                own = fresh;
            }
        }
        let from = if own.is_empty() || (!others.is_empty() && self.worlds.one_in(3)) { others } else { own };
        (!from.is_empty()).then(|| self.promising(&from))
    }

    /// One of these operations, with a preference for those that lack few objects.
    fn cheap(&mut self, operations: &[usize], world: Option<usize>) -> usize {
        let mut costs = Vec::new();
        for at in operations {
            let invokable = self.worlds.neighbourhood.operations[*at].invokable.clone();
            let machine = &mut *self.machine;
            let mut needs = needs_of(machine, &invokable);
            let machine = &*self.machine;
            needs.retain(|class| self.worlds.of(world, |it| machine.is_subtype(it, *class)).is_empty());
            let cost: u32 = needs.iter().map(|class| self.worlds.neighbourhood.cost(*class)).sum();
            let Operation { tries, returns, .. } = &self.worlds.neighbourhood.operations[*at];
            // Operations that rarely return count as distant.
            let failures = (tries + 1) / (returns + 1);
            costs.push(cost + FAILURE * failures.ilog2());
        }
        let least = costs.iter().copied().min().unwrap_or(0);
        let near: Vec<usize> = operations
            .iter()
            .zip(&costs)
            .filter(|(_, cost)| **cost <= 2 * least + NEARLY)
            .map(|(at, _)| *at)
            .collect();
        self.promising(&near)
    }

    /// One of these operations, with a preference for those that return more often.
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

    /// A class of which an operation needs an object that the world lacks.
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
        let is_ready = self.has_hard_recipes() && !self.worlds.one_in(4);
        let machine = &*self.machine;
        let few = if is_rich { FEW_OBJECTS } else { 1 };
        let has = |class: ClassId| {
            let count = self.worlds.of(world, |it| machine.is_subtype(it, class)).len();
            let is_recipe = is_ready && Some(class) != receiver && !self.hard_recipes(class).is_empty();
            count >= few || (count == 0 && is_recipe)
        };
        let is_hopeful = |at: &usize| {
            let Operation { tries, returns, .. } = &self.worlds.neighbourhood.operations[*at];
            *returns > 0 || *tries < MAX_VAIN
        };
        let makes = |class: ClassId| self.worlds.neighbourhood.makers(machine, class).iter().any(is_hopeful);
        wanted.into_iter().find(|class| !has(*class) && makes(*class))
    }
}
