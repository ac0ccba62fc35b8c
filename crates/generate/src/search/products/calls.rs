//! Sequences with one more call, and runs of them on the original alone.

use super::super::{Job, Search};
use super::Attempt;
use crate::candidate::Candidate;
use crate::driver::{Inputs, PlanDriver};
use crate::exceptions::ThrownException;
use crate::input::Input;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use crate::provisions::Provision;
use crate::versions::prepare;
use cupping_explore::{CompletedPath, Counters, Driver, Exploration, ExplorationLimits, InvocationEnd, Path};
use cupping_machine::{MethodId, Snapshot};
use std::rc::Rc;

impl Search<'_> {
    /// Whether a plan runs a method on all its possible inputs: one call of a static method that depends only
    /// on its primitive arguments.
    pub(in crate::search) fn has_all_inputs(&mut self, plan: &Plan, method: MethodId) -> bool {
        let is_call =
            |step: &PlanStep| matches!(step, PlanStep::Call { invokable, .. } if invokable.method == method);
        let Some((last, inputs)) = plan.steps.split_last() else { return false };
        let is_input = |step: &PlanStep| matches!(step, PlanStep::Input { input: Input::Primitive(_), .. });
        if !is_call(last) || !inputs.iter().all(is_input) {
            return false;
        }
        let effects = self.influence.effects(self.machine, self.subject.class, method);
        effects.is_pure() && effects.uses.is_empty() && self.machine.method(method).is_static()
    }

    /// A plan with one more call, with the first arguments that its parameters can have.
    pub(in crate::search) fn with_call(
        &mut self,
        plan: &Plan,
        invokable: &Rc<Invokable>,
        receiver: Var,
    ) -> Option<Rc<Plan>> {
        let class = self.subject.class;
        let assignments =
            self.provider.assignments(self.machine, &mut self.influence, invokable, Some(class));
        let assignment = assignments.first()?.clone();
        self.with_call_of(plan, invokable, receiver, &assignment)
    }

    /// A plan with one more call, with these arguments.
    pub(in crate::search) fn with_call_of(
        &mut self,
        plan: &Plan,
        invokable: &Rc<Invokable>,
        receiver: Var,
        assignment: &[Provision],
    ) -> Option<Rc<Plan>> {
        let mut plan = plan.clone();
        let mut arguments = vec![receiver];
        for (parameter, provision) in invokable.parameters.iter().zip(assignment) {
            let var = self.provider.provide(self.machine, &mut plan, provision, parameter, Some(receiver), 0);
            arguments.push(var);
        }
        plan.call(invokable, arguments, "result");
        (plan.calls() <= self.options.max_length).then(|| Rc::new(plan))
    }

    /// The object of the class under test on which further calls can be made.
    pub(in crate::search) fn object_of(&self, plan: &Plan) -> Option<Var> {
        let PlanStep::Call { invokable, arguments, result, .. } = plan.steps.last()? else { return None };
        if invokable.has_receiver() {
            return arguments.first().copied();
        }
        let is_maker = self.subject.is_maker(invokable) || invokable.is_constructor();
        result.filter(|_| is_maker)
    }

    /// Runs a plan on the original with these inputs, as an exploration would.
    pub(in crate::search) fn follow(&mut self, base: &Snapshot, attempt: &Attempt) -> Option<Candidate> {
        self.follow_to_end(base, attempt)
            .filter(|it| !it.thrown.as_ref().is_some_and(|thrown| thrown.is_failure()))
    }

    /// As [`Search::follow`], but also returns a run that ends in a likely defect.
    pub(in crate::search) fn follow_to_end(
        &mut self,
        base: &Snapshot,
        attempt: &Attempt,
    ) -> Option<Candidate> {
        self.machine.restore(base);
        let (slots, _) = prepare(self.machine, &attempt.plan, &attempt.slots).ok()?;
        self.machine.restore(base);
        let mut driver = PlanDriver::new(attempt.plan.clone());
        let (mut path, mut model) = (Path::default(), attempt.model.clone());
        loop {
            let mut bounds = Vec::new();
            let inputs = Inputs::Again { slots: &slots };
            if !self.enter_next(&mut driver, &inputs, &mut bounds).ok()? {
                return None;
            }
            path = bounds.into_iter().fold(path, |path, bound| path.assume(bound));
            self.machine.adopt_model(&model);
            driver.adopt(self.machine, &model);
            let is_last = driver.next + 1 == driver.plan.steps.len();
            let mut exploration = Exploration::new(ExplorationLimits::default());
            let mut tools = tools!(self);
            let done = exploration.start(&mut tools, driver, path, model);
            self.account_product(Counters::default(), exploration.counters);
            if is_last {
                return self.candidate_of(done);
            }
            if !matches!(done.driver.ended, Some(InvocationEnd::Returned(_))) {
                return None;
            }
            (driver, path, model) = (done.driver, done.path, done.model);
        }
    }

    /// A completed path as a candidate that keeps its inputs; `None` if it cannot be a test.
    pub(in crate::search) fn candidate_of(&mut self, done: CompletedPath<PlanDriver>) -> Option<Candidate> {
        let ended = done.driver.ended.clone()?;
        let invokable = done.driver.plan.under_test()?.clone();
        let thrown = match &ended {
            InvocationEnd::Threw(exception) => {
                Some(ThrownException::of(self.machine, *exception, &done.driver, &done.path))
            }
            InvocationEnd::Returned(_) => None,
            InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions => return None,
        };
        let job = Job::of(invokable);
        if self.withhold(&job, &done, thrown.as_ref())
            || self.constants.are_changed(self.machine, &done.driver.plan)
        {
            return None;
        }
        let control = self.control(&done);
        Some(Candidate {
            hits: self.machine.hits_under(&done.model),
            pairs: Rc::default(),
            plan: done.driver.plan.clone(),
            driver: done.driver,
            path: done.path,
            model: done.model,
            ended,
            thrown,
            is_pure: false,
            leaf: None,
            control,
            remembered: None,
            keeps_inputs: true,
        })
    }
}
