//! Explores a job: restores its state, creates its arguments, and runs its paths.

use super::{Caller, Job, Search};
use crate::driver::{Inputs, PlanDriver};
use crate::input::Input;
use crate::outcome::InternalError;
use crate::parameter::Parameter;
use crate::plan::{Plan, PlanStep, Var};
use crate::provisions::Provision;
use crate::seed::Seed;
use cupping_case::{Criterion, JavaType};
use cupping_explore::{
    CompletedPath, Counters, Driver, Exploration, ExplorationLimits, HARD, InvocationEnd, Path,
};
use cupping_machine::{ClassId, Halt, Value};
use cupping_term::{Model, VarIndex};
use std::rc::Rc;

/// Sets the initial values of file contents and of given texts that were created since there were `known`
/// variables; returns whether there are any.
fn fill_contents(driver: &PlanDriver, known: usize, seed: Seed, model: &mut Model) -> bool {
    let mut any = false;
    for step in &driver.plan.steps {
        let PlanStep::Input { input, var } = step else { continue };
        let symbols = &driver.slots[*var].symbols;
        let is_new = |symbol: &VarIndex| symbol.0 as usize >= known;
        let content = |at: usize| match input {
            Input::Bytes(_) => Some(seed.content(at)),
            Input::String { first: Some(text), .. } => Some(text.get(at).map_or(0, |unit| u64::from(*unit))),
            _ => None,
        };
        for (at, symbol) in symbols.values.iter().enumerate().filter(|(_, symbol)| is_new(symbol)) {
            if let Some(value) = content(at) {
                model.set(*symbol, value);
                any = true;
            }
        }
        if let (Input::String { first: Some(text), .. }, Some(length)) =
            (input, symbols.length.filter(is_new))
        {
            model.set(length, text.len() as u64);
        }
    }
    any
}

/// Limits on the rounds of a job all of whose sides have been taken before: the usual one, and the one while
/// something is uncovered.
const MAX_ROUNDS: [u32; 2] = [12, 60];
/// Limit on the jobs that run again without the limits that they share.
const MAX_SKIPPED: usize = 400;
/// The rank of sides in libraries that have been taken before.
const KNOWN_LIBRARY: u32 = 3;
/// The cost of a round whose best side has been taken before, and of one whose best side is hard for the
/// solver.
const AGAIN: [u32; 2] = [150, 300];
/// Limit on the rounds until a link of a chain returns.
const LINK_ROUNDS: u32 = 10;
/// Limit on the paths of a job in one round.
const SLICE: u32 = 24;
/// Limit on the work of a round, so that interruptions are noticed soon.
const MAX_SLICE: u64 = 500_000;
/// Limit on the unanswered queries kept as text.
const KEPT_QUERIES: usize = 16;

/// The work of a sequence in addition to running and solving.
const WORK_OF_SEQUENCE: u64 = 60;
/// Limit on the paths tried for an argument-making invocation, until one returns.
const MAX_MAKING: usize = 24;
/// The share of the budget that such an invocation may take.
const MAKING_SHARE: u64 = 100;
/// Limit on further returning paths of such an invocation.
const MAX_DETOURS: u32 = 2;

impl Search<'_> {
    pub(super) fn run_job(&mut self, job: Job) {
        let chain = job.chain.zip(job.state.zip(job.receiver));
        let states = self.states.len();
        let mut left = self.run_round(job);
        if let Some((at, (state, receiver))) = chain {
            let has_returned = self.states.len() > states;
            match &mut left {
                Some((cost, job)) if !has_returned && job.rounds < LINK_ROUNDS => {
                    *cost = self.cost_of_link() + job.rounds
                }
                _ => {
                    left.iter_mut().for_each(|(_, job)| job.chain = None);
                    self.push_chain(if has_returned { states } else { state }, receiver, at + 1);
                }
            }
        }
        if let Some((cost, job)) = left {
            self.push(cost, job);
        }
    }

    /// Runs a slice of a job's paths; returns it with its next cost if some are left.
    fn run_round(&mut self, mut job: Job) -> Option<(u32, Job)> {
        let mut completed = Vec::new();
        let mut exploration = match job.exploration.take() {
            Some(exploration) => exploration,
            None => match self.begin(&mut job, &mut completed) {
                Some(exploration) => exploration,
                None => {
                    if job.constant.is_none() {
                        self.losses.not_begun(job.invokable.method);
                    }
                    self.work += 20;
                    return None;
                }
            },
        };
        for done in completed {
            self.complete(&job, done);
        }
        let slice_end = self.work + (self.options.budget.as_micros() as u64 / 40).min(MAX_SLICE);
        let mut paths = 0;
        let mut counted = exploration.counters;
        loop {
            let counters = exploration.counters;
            self.account(counted, counters);
            self.losses.time_outs(job.invokable.method, counters.time_outs - counted.time_outs);
            counted = counters;
            let urgent = exploration.best_rank().is_some_and(|(class, ..)| class == 0);
            if (paths >= SLICE && !urgent) || self.work > slice_end || self.is_over() {
                break;
            }
            paths += 1;
            let mut tools = tools!(self);
            match exploration.step(&mut tools) {
                None => break,
                Some(None) => {}
                Some(Some(done)) => self.complete(&job, done),
            }
        }
        let room = KEPT_QUERIES.saturating_sub(self.unanswered.len());
        self.unanswered.extend(std::mem::take(&mut exploration.unanswered).into_iter().take(room));
        for check in std::mem::take(&mut exploration.self_checks) {
            self.internal_errors.push(InternalError { message: check.message, reproduction: check.query });
        }
        job.rounds += 1;
        let every_path = self.options.criteria.has(Criterion::Path);
        if exploration.counters.skipped > 0 {
            self.cut.insert(job.invokable.method);
        }
        let most = MAX_ROUNDS[usize::from(!self.is_complete())];
        if exploration.waiting() > 0 && (job.rounds < most || self.options.exhaustive || every_path) {
            // Further iterations of library loops come after other arguments.
            let again = match exploration.best_rank() {
                Some((class, ..)) if class >= HARD => AGAIN[1],
                Some((class, ..)) if class >= KNOWN_LIBRARY => AGAIN[0],
                _ => 0,
            };
            let cost = self.cost_of(job.state) + 16 * job.rounds + again;
            job.exploration = Some(exploration);
            return Some((cost, job));
        }
        if exploration.waiting() > 0 {
            self.cut.insert(job.invokable.method);
        }
        let is_again = !self.is_thorough && !job.is_found && self.skipped.len() < MAX_SKIPPED;
        if exploration.counters.skipped > 0 && is_again {
            self.skipped.push(job.again());
        }
        None
    }

    /// Starts a job: restores its state, creates its arguments, enters the invocation and runs the first
    /// path.
    fn begin(
        &mut self,
        job: &mut Job,
        completed: &mut Vec<CompletedPath<PlanDriver>>,
    ) -> Option<Exploration<PlanDriver>> {
        if let Some((class, field)) = job.constant {
            self.constant_state(class, field);
            return None;
        }
        self.statistics.sequences += 1;
        self.work += WORK_OF_SEQUENCE;
        let (mut plan, path, model, start) = match job.state {
            Some(at) => {
                let state = &self.states[at];
                self.machine.restore(&state.snapshot.clone());
                let state = &self.states[at];
                let plan = state.driver.plan.as_ref().clone();
                (plan, state.path.clone(), state.model.clone(), Some(state.driver.clone()))
            }
            None => {
                self.machine.restore(&self.base);
                (Plan::default(), Path::default(), Model::new(), None)
            }
        };
        for field in &job.stores {
            self.provider.store(self.machine, &mut plan, job.receiver, *field, job.way_of_stores, 0);
        }
        let mut arguments: Vec<Var> = match &job.caller {
            Some(Caller::Object(recipe)) => vec![plan.follow(recipe, job.receiver.is_none())],
            Some(Caller::Made(made)) => {
                let receiver = Parameter::receiver(&job.invokable.reference.class);
                vec![self.provider.provide(self.machine, &mut plan, made, &receiver, None, 0)]
            }
            Some(Caller::Class) => Vec::new(),
            Some(Caller::Result(var)) => vec![*var],
            None => job.receiver.into_iter().collect(),
        };
        for (parameter, provision) in job.invokable.parameters.iter().zip(&job.assignment) {
            if matches!(provision, Provision::Known)
                && plan.last_of(self.machine, &parameter.ty, job.receiver).is_none()
            {
                return None;
            }
            let var = self.provider.provide(self.machine, &mut plan, provision, parameter, job.receiver, 0);
            arguments.push(var);
        }
        plan.call(&job.invokable, arguments, "result");
        if plan.calls() > self.options.max_length {
            return None;
        }
        let driver = PlanDriver::continuing(start, Rc::new(plan));
        self.run_to_last(driver, path, model, job, completed)
    }

    /// Runs the argument-making invocations, each along its first returning path, and then the first path of
    /// the last invocation. What they take is charged.
    pub(super) fn run_to_last(
        &mut self,
        mut driver: PlanDriver,
        mut path: Path,
        mut model: Model,
        job: &Job,
        completed: &mut Vec<CompletedPath<PlanDriver>>,
    ) -> Option<Exploration<PlanDriver>> {
        let mut detours = Vec::new();
        loop {
            let mut bounds = Vec::new();
            let known = self.machine.terms().variable_count();
            if !self.enter_next(&mut driver, &Inputs::Symbolic, &mut bounds).ok()? {
                return None;
            }
            for bound in bounds {
                path = path.assume(bound);
            }
            let is_set = job.seed.set(self.machine.terms(), known, self.options.seed, &mut model);
            let is_last = driver.next + 1 == driver.plan.steps.len();
            let reuses = job.seed == Seed::Zero && !self.options.exhaustive && job.remembered.is_none();
            let is_set = is_set || (reuses && self.pass_arguments(&driver, is_last, known, &mut model));
            if fill_contents(&driver, known, job.seed, &mut model) || is_set {
                self.machine.adopt_model(&model);
                driver.adopt(self.machine, &model);
            }
            let mut limits = ExplorationLimits::default();
            if self.options.criteria.has(Criterion::Path) {
                (limits.offers, limits.shared_offers) = (u32::MAX, u32::MAX);
            }
            if self.is_thorough {
                limits.shared_offers = u32::MAX;
            }
            if self.options.exhaustive {
                limits = ExplorationLimits {
                    offers: u32::MAX,
                    shared_offers: u32::MAX,
                    waiting: usize::MAX,
                    retained_words: u64::MAX,
                    ..limits
                };
            }
            // Invocations that create arguments have their own path variables; only paths of the last step are
            // shared.
            let makes_arguments = job.assignment.iter().any(Provision::invokes);
            let mut exploration = if is_last && !makes_arguments {
                Exploration::sharing(limits, job.memory.clone())
            } else {
                Exploration::new(limits)
            };
            let mut tools = tools!(self);
            let mut made = exploration.start(&mut tools, driver.clone(), path.clone(), model.clone());
            let mut counted = exploration.counters;
            self.account(Counters::default(), counted);
            // A run from the start without choices that does not end.
            let is_stuck = matches!(made.driver.ended, Some(InvocationEnd::Halted(Halt::OutOfFuel)))
                && job.state.is_none()
                && !job.in_world
                && exploration.waiting() == 0;
            if is_stuck && self.warm_up() {
                self.push(0, job.again());
                return None;
            }
            if is_last {
                self.note_libraries();
                completed.push(made);
                self.push_detours(job, detours);
                return Some(exploration);
            }
            let at = driver.next;
            let wanted = job.detour.map_or(0, |(step, nth)| if step == at { nth } else { 0 });
            let mut returned = 0;
            let needs_object = driver.plan.needs_object(at);
            let end = self.work + self.options.budget.as_micros() as u64 / MAKING_SHARE;
            for _ in 0..MAX_MAKING {
                // A maker that returns null has made nothing; null itself is another argument.
                let has_made = |value: &Value| !needs_object || value.as_ref() != 0;
                if matches!(&made.driver.ended, Some(InvocationEnd::Returned(value)) if has_made(value)) {
                    returned += 1;
                    if returned > wanted {
                        break;
                    }
                }
                self.account(counted, exploration.counters);
                counted = exploration.counters;
                if self.work > end {
                    break;
                }
                // Skip infeasible paths.
                let mut tools = tools!(self);
                match exploration.step(&mut tools) {
                    Some(Some(done)) => made = done,
                    Some(None) => made.driver.ended = None,
                    None => break,
                }
            }
            self.account(counted, exploration.counters);
            if returned <= wanted {
                return None;
            }
            if exploration.waiting() > 0
                && wanted < MAX_DETOURS
                && job.detour.is_none_or(|(step, _)| step == at)
            {
                detours.push((at, wanted + 1));
            }
            self.remember_arguments(&made.driver, at, &made.model, true);
            driver = made.driver;
            path = made.path;
            model = made.model;
        }
    }

    /// Argument-making invocations may have other paths, which create other objects.
    fn push_detours(&mut self, job: &Job, detours: Vec<(usize, u32)>) {
        if job.seed != Seed::Zero || job.in_world {
            return;
        }
        let cost = self.cost_of(job.state);
        for (step, nth) in detours {
            self.push(cost + 8 * nth, Job { detour: Some((step, nth)), ..job.again() });
        }
    }

    /// Creates a state whose receiver is held by a static field.
    fn constant_state(&mut self, class: ClassId, field: usize) {
        self.machine.restore(&self.base);
        let name = self.machine.class(class).name.clone();
        let mut plan = Plan::default();
        let var = plan.static_field((class, field), JavaType::class(&name), "constant");
        let mut driver = PlanDriver::new(Rc::new(plan));
        if self.enter_next(&mut driver, &Inputs::Symbolic, &mut Vec::new()).is_err() {
            return;
        }
        if let Some(object) = driver.object(var) {
            self.constants.remember(self.machine, object);
            self.add_state(driver, Path::default(), Model::new(), Some(var), None, 0);
        }
    }
}
