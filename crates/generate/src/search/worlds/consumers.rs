//! Consumers of texts: methods of the application that take a text apart and refuse most texts.
//!
//! A builder keeps any text; only `build` hands it to the code that checks it, several calls later. Exploring
//! `build` anew in each world hardly ever gets through that check. So where an operation fails within such a
//! consumer, a search for the consumer alone finds arguments that it accepts. Their texts are put in place of the
//! texts of the operations before, and remembered for the parameter that they suit. Where an operation passes all
//! its arguments on to a consumer, or is one itself, it gets the arguments as they are.

use super::WORK_OF_OPERATION;
use super::acceptance::{Consumers, ParameterOf};
use crate::candidate::Candidate;
use crate::criteria::Criteria;
use crate::driver::{PlanDriver, Slot, run_concrete};
use crate::input::Input;
use crate::invokable::{Invokable, Parameter, Subject};
use crate::neighbourhood::own_class;
use crate::options::{GenerateOptions, NO_CLOCK};
use crate::plan::{Plan, PlanStep, Var};
use crate::pool::Recipe;
use crate::provisions::{Provision, matching_texts, string_literals};
use crate::search::{Job, Search};
use cupping_case::Criterion;
use cupping_classfile::reads::comparing_lines;
use cupping_coverage::CoverageMap;
use cupping_explore::{CompletedPath, InvocationEnd, spent};
use cupping_machine::{Addr, MethodId};
use cupping_term::Model;
use std::rc::Rc;
use std::sync::Arc;

/// Limit on the failing plans that wait, and on those of one consumer that are looked at.
const MAX_WAITING: usize = 8;
const MAX_REFUSALS: u32 = 24;
/// Limit on the accepted texts of a consumer, and on the texts kept for a parameter.
const MAX_ACCEPTED: usize = 4;
const MAX_SUITABLE: usize = 6;
/// The share of the budget that the search for a consumer gets.
const SHARE: u32 = 8;
/// The part of the budget after which no further consumer is explored: the usual one, and the one without any object
/// under test.
const MOST: [u64; 2] = [8, 2];
/// Fuel of a trial.
const FUEL: u64 = 100_000;

impl Search<'_> {
    /// Whether a search for arguments that a consumer accepts has found any.
    pub(in crate::search) fn has_accepted_arguments(&self) -> bool {
        self.is_for_consumer && self.candidates.iter().any(|it| it.thrown.is_none())
    }

    /// Notes that an operation failed within a consumer of texts. The machine is at the end of the run.
    pub(super) fn note_refusal(&mut self, job: &Job, done: &CompletedPath<PlanDriver>) {
        let Some(InvocationEnd::Threw(exception)) = done.driver.ended else { return };
        let consumers = &self.worlds.consumers;
        let operation = job.invokable.method;
        // What returns for some inputs is not waiting for others.
        if self.arguments.contains_key(&(job.invokable.entrance(), true)) {
            return;
        }
        if job.invokable.parameters.iter().any(|it| it.ty.is_string()) {
            if !consumers.alike.contains_key(&operation)
                && let Some(alike) = self.consumer_alike(exception, operation)
            {
                self.worlds.consumers.alike.insert(operation, alike);
            }
            return;
        }
        if consumers.waiting.len() >= MAX_WAITING {
            return;
        }
        let Some(consumer) = self.consumer(exception, operation) else {
            if consumers.maker == Some(operation) {
                self.worlds.consumers.refused = done.driver.fixed_plan(&done.model).map(Rc::new);
            }
            return;
        };
        let consumers = &self.worlds.consumers;
        let is_vain = consumers.accepted.get(&consumer).is_some_and(|it| it.is_empty());
        let refusals = consumers.refusals.get(&consumer).copied().unwrap_or(0);
        if is_vain || refusals >= MAX_REFUSALS || consumers.waiting.iter().any(|(_, it)| *it == consumer) {
            return;
        }
        let Some(plan) = done.driver.fixed_plan(&done.model) else { return };
        if plan.steps.iter().any(|step| text_of(step).is_some()) {
            *self.worlds.consumers.refusals.entry(consumer).or_default() += 1;
            self.worlds.consumers.waiting.push((Rc::new(plan), consumer));
        }
    }

    /// The outermost method of the application on the way to an exception, below the operation itself, that
    /// takes a text and needs no object.
    fn consumer(&self, exception: Addr, operation: MethodId) -> Option<MethodId> {
        let rows = self.machine.stack_trace(exception);
        let below = rows.iter().rev().skip_while(|row| row.method != operation);
        below.map(|row| row.method).find(|it| *it != operation && self.is_consumer(*it))
    }

    /// The consumer on the way to an exception that takes the same arguments as an operation: the operation
    /// itself, or what it passes them to.
    fn consumer_alike(&self, exception: Addr, operation: MethodId) -> Option<MethodId> {
        let parameters =
            |method: MethodId| self.machine.method(method).descriptor.split(')').next().map(str::to_owned);
        let rows = self.machine.stack_trace(exception);
        let below = rows.iter().rev().skip_while(|row| row.method != operation);
        below
            .map(|row| row.method)
            .find(|it| self.is_consumer(*it) && parameters(*it) == parameters(operation))
    }

    fn is_consumer(&self, method: MethodId) -> bool {
        let method = self.machine.method(method);
        let takes_text = method.descriptor.split(')').next().is_some_and(|it| it.contains(TEXT));
        let is_free = method.access.is_static() || &*method.name == "<init>";
        takes_text && is_free && !self.machine.class(method.class).from_jdk
    }

    /// Arguments that an operation accepts: the nth ones, or usually any.
    pub(super) fn accepted_arguments(
        &mut self,
        operation: MethodId,
        nth: Option<usize>,
    ) -> Option<Vec<Provision>> {
        let alike = *self.worlds.consumers.alike.get(&operation)?;
        let known = self.worlds.consumers.accepted.get(&alike)?.clone();
        if nth.is_some() {
            return nth.and_then(|nth| known.get(nth)).cloned();
        }
        if known.is_empty() || self.worlds.one_in(4) {
            return None;
        }
        Some(known[self.worlds.below(known.len())].clone())
    }

    /// Explores the consumer that takes the same arguments as an operation, if it has failed there; returns how
    /// many choices of arguments are known now.
    pub(super) fn ask_consumer(&mut self, operation: MethodId) -> usize {
        let alike = self.worlds.consumers.alike.get(&operation).copied();
        alike.map_or(0, |alike| self.accepted_by(alike).len())
    }

    /// The same arguments with objects of the pool in place of null; `None` if that is nothing else.
    fn with_recipes(&mut self, consumer: MethodId, arguments: Vec<Provision>) -> Option<Vec<Provision>> {
        let class = self.machine.method(consumer).class;
        let invokable = Invokable::new(self.machine, class, consumer)?;
        let mut found = arguments;
        let mut is_other = false;
        for (provision, parameter) in found.iter_mut().zip(&invokable.parameters) {
            let class = own_class(self.machine, &parameter.ty);
            let recipe = class.and_then(|class| self.provider.pool().of(class).first().cloned());
            if let (Provision::Input(Input::Null), Some(recipe)) = (&*provision, recipe) {
                *provision = Provision::Recipe(recipe);
                is_other = true;
            }
        }
        is_other.then_some(found)
    }

    /// The arguments that a consumer accepts. It is explored the first time.
    fn accepted_by(&mut self, consumer: MethodId) -> Rc<Vec<Vec<Provision>>> {
        if let Some(known) = self.worlds.consumers.accepted.get(&consumer) {
            return known.clone();
        }
        let mut accepted = self.explore_consumer(consumer);
        // With objects in place of null, as far as the pool has any.
        let objects: Vec<_> = accepted.iter().map(|it| self.with_recipes(consumer, it.clone())).collect();
        accepted.splice(0..0, objects.into_iter().flatten());
        let accepted = Rc::new(accepted);
        self.worlds.consumers.accepted.insert(consumer, accepted.clone());
        accepted
    }

    /// A text that suits a parameter, usually or always if there is one.
    pub(super) fn suitable_text(
        &mut self,
        of: ParameterOf,
        parameter: &Parameter,
        always: bool,
    ) -> Option<Provision> {
        let known = self.worlds.consumers.suitable(of).len();
        if known == 0 || !parameter.ty.is_string() || (!always && self.worlds.one_in(4)) {
            return None;
        }
        let at = self.worlds.below(known);
        Some(Provision::Input(Input::Text(self.worlds.consumers.suitable(of)[at].clone())))
    }

    /// Explores the consumers at which operations failed, and replaces the texts of these operations; returns
    /// whether some text suits a parameter better.
    pub(super) fn serve_consumers(&mut self) -> bool {
        let count = |consumers: &Consumers| consumers.suitable.values().map(Vec::len).sum::<usize>();
        let before = count(&self.worlds.consumers);
        for (plan, consumer) in std::mem::take(&mut self.worlds.consumers.waiting) {
            let accepted = self.accepted_by(consumer);
            let texts = accepted.iter().flatten().filter_map(|provision| match provision {
                Provision::Input(Input::Text(text)) if !text.is_empty() => Some(text.clone()),
                _ => None,
            });
            let texts: Vec<Vec<u16>> = texts.take(MAX_ACCEPTED).collect();
            self.replace_texts(&plan, consumer, &texts);
            if self.is_over() {
                break;
            }
        }
        count(&self.worlds.consumers) > before
    }

    /// Arguments that a consumer accepts: those of a search for it alone, as if it were the only method under test.
    fn explore_consumer(&mut self, consumer: MethodId) -> Vec<Vec<Provision>> {
        let class = self.machine.method(consumer).class;
        let invokable = Invokable::new(self.machine, class, consumer).map(Rc::new);
        let part = MOST[usize::from(!self.has_own_state())];
        if self.worlds.consumers.work > self.options.budget.as_micros() as u64 / part {
            return Vec::new();
        }
        let (Some(invokable), Some(file)) = (invokable, self.machine.class(class).file.clone()) else {
            return Vec::new();
        };
        let share = self.options.budget / SHARE;
        let options = GenerateOptions {
            budget: share,
            seed: self.options.seed + self.worlds.consumers.round,
            clock: self.options.counts_work_only().then_some(NO_CLOCK).or(Some(share * 2)),
            criteria: Criteria::new([Criterion::Line, Criterion::Branch], false),
            corpus: Arc::default(),
            explain: false,
            explain_sequences: false,
            ..self.options.clone()
        };
        let mut map = CoverageMap::asking(&options.criteria.requirements());
        self.machine.restore(&self.base);
        if comparing_lines(|| map.track(&file)).is_err() || self.machine.initialize_class_now(class).is_err()
        {
            return Vec::new();
        }
        let mut literals = matching_texts(self.machine, class, 3);
        literals.extend(string_literals(self.machine, class, 6));
        let subject = Subject {
            under_test: vec![invokable],
            makers: Vec::new(),
            constants: Vec::new(),
            ..Subject::new(self.machine, class, &[], options.filter.access)
        };
        self.machine.track(&map);
        let influence = std::mem::take(&mut self.influence);
        let mut search =
            Search::new(self.machine, self.solver, &options, &map, &subject, literals, influence);
        search.is_for_consumer = true;
        search.provider.set_pool(self.provider.pool().clone());
        search.clock = self.clock.part(10, options.clock());
        // Only set-ups can fail.
        let _ = search.run(&mut |_| true);
        let returned = search.candidates.iter().filter(|it| it.thrown.is_none());
        let accepted: Vec<Vec<Provision>> = returned.filter_map(arguments_of).take(MAX_ACCEPTED).collect();
        let work = search.work();
        self.influence = std::mem::take(&mut search.influence);
        let errors = std::mem::take(&mut search.internal_errors);
        drop(search);
        self.work += work.as_micros() as u64;
        self.worlds.consumers.work += work.as_micros() as u64;
        self.internal_errors.extend(errors);
        self.solver_work = self.solver.work();
        self.track_again();
        accepted
    }

    /// Puts accepted texts in place of each text of a plan that failed at a consumer; those with which it gets
    /// further are kept for the parameter.
    fn replace_texts(&mut self, plan: &Rc<Plan>, consumer: MethodId, accepted: &[Vec<u16>]) {
        let Some(operation) = plan.under_test().map(|it| it.method) else { return };
        let texts = (0..).zip(&plan.steps).filter_map(|(at, step)| Some((at, text_of(step)?)));
        for (at, var) in texts.collect::<Vec<(usize, Var)>>() {
            for text in accepted {
                let mut other = plan.as_ref().clone();
                other.steps[at] = PlanStep::Input { input: Input::Text(text.clone()), var };
                if self.gets_further(&Rc::new(other), operation, consumer) {
                    self.keep_suitable(plan, var, text);
                }
                if self.is_over() {
                    return;
                }
            }
        }
    }

    /// Whether a plan returns, or fails elsewhere.
    fn gets_further(&mut self, plan: &Rc<Plan>, operation: MethodId, consumer: MethodId) -> bool {
        self.machine.restore(&self.base);
        let slots = vec![Slot::default(); plan.variables.len()];
        let begun = spent(self.machine);
        let run = run_concrete(self.machine, plan, &slots, &Model::default(), false, FUEL);
        self.work += WORK_OF_OPERATION;
        self.charge_runs(begun);
        match run {
            Ok((_, InvocationEnd::Returned(_))) => true,
            Ok((driver, InvocationEnd::Threw(exception))) => {
                let is_last = driver.is_done() || driver.next + 1 == plan.steps.len();
                is_last && self.consumer(exception, operation) != Some(consumer)
            }
            _ => false,
        }
    }

    /// Remembers a text for the parameters that a variable of a plan was passed for.
    pub(super) fn keep_suitable(&mut self, plan: &Plan, var: Var, text: &[u16]) {
        for step in &plan.steps {
            let PlanStep::Call { invokable, arguments, .. } = step else { continue };
            let first = usize::from(invokable.has_receiver());
            for (at, _) in arguments.iter().enumerate().skip(first).filter(|(_, it)| **it == var) {
                let known = self.worlds.consumers.suitable.entry((invokable.method, at - first)).or_default();
                if known.len() < MAX_SUITABLE && !known.iter().any(|it| it == text) {
                    known.push(text.to_vec());
                }
            }
        }
    }
}

/// The arguments of a candidate's last call, without symbols.
fn arguments_of(candidate: &Candidate) -> Option<Vec<Provision>> {
    let plan = candidate.driver.fixed_plan(&candidate.model)?;
    let Some(PlanStep::Call { arguments, .. }) = plan.steps.last() else { return None };
    let provided = arguments.iter().map(|var| {
        let at = plan.steps.iter().position(|step| step.defines() == Some(*var))?;
        Some(match &plan.steps[at] {
            PlanStep::Input { input, .. } => Provision::Input(input.clone()),
            PlanStep::StaticField { field: (class, index), .. } => Provision::Constant(*class, *index),
            PlanStep::Call { invokable, .. } => {
                let made = plan.leading_to(at);
                let free = made.clone();
                Provision::Recipe(Rc::new(Recipe { plan: made, free, object: *var, class: invokable.class }))
            }
            _ => return None,
        })
    });
    provided.collect()
}

/// The descriptor of a text.
const TEXT: &str = "Ljava/lang/String;";

/// The variable of a step that gives a fixed text.
fn text_of(step: &PlanStep) -> Option<Var> {
    match step {
        PlanStep::Input { input: Input::Text(_), var } => Some(*var),
        _ => None,
    }
}
