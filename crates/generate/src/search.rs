//! The search for tests of one class: states of objects, extended invocation by invocation.
//!
//! States that several sequences begin with are reached once and forked (sequence grouping, thesis §4.4.3);
//! a state that has been seen is not extended again; an invocation that defines nothing is tried only where
//! the last one may influence it (§4.3.1, §4.4.1), and of two that commute only one order is (§4.3.4).
//! Arguments stay symbolic along the sequence, so a later branch can still choose an earlier argument.

use crate::driver::{Inputs, PlanDriver};
use crate::influence::{Effects, Influence};
use crate::invokable::{Invokable, Subject};
use crate::options::Options;
use crate::plan::{Plan, PlanStep, Var};
use crate::provide::{Provider, Provision};
use crate::redundancy::{Extent, redundant};
use crate::seed::Seed;
use crate::sequences::{Fate, Reach, Relevance, Skip, Story, Universe, steps};
use crate::session::{InternalError, Progress, Statistics};
use crate::subsume::{Admission, SeenStates};
use crate::thrown::{Thrown, says_more_of_the_jvm};
use cupping_case::JavaType;
use cupping_explore::{
    Completed, Counters, Driver, Ended, Exploration, Path, SharedPathMemory, SideCounts, Tools, TreeNode,
    Trees, UncoveredFirst,
};
use cupping_machine::coverage::{CoverageMap, GoalSet};
use cupping_machine::{ClassId, DefUse, Halt, InitState, Kind, Machine, MethodId, Snapshot, Value};
use cupping_solve::Solver;
use cupping_term::Model;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::rc::Rc;
use std::time::Instant;

/// A path that may become a test.
#[derive(Clone)]
pub struct Candidate {
    /// The sequence.
    pub plan: Rc<Plan>,
    /// The execution at its end, with the symbols behind its inputs.
    pub driver: PlanDriver,
    /// The path condition.
    pub path: Path,
    /// The inputs.
    pub model: Model,
    /// Probes hit.
    pub hits: Rc<Vec<u64>>,
    /// Definition-use pairs exercised.
    pub pairs: Rc<BTreeSet<DefUse>>,
    /// How it ended.
    pub ended: Ended,
    /// For one that ended with an exception: its class, and the place it was thrown at.
    pub thrown: Option<Thrown>,
    /// Whether the invocation under test defines nothing, so that other tests' assertions can call it.
    pub is_pure: bool,
    /// Where it ended in the tree of the method under test, if it decided anything.
    pub leaf: Option<TreeNode>,
}

struct State {
    snapshot: Rc<Snapshot>,
    driver: PlanDriver,
    path: Path,
    model: Model,
    receiver: Var,
    class: ClassId,
    calls: usize,
}

/// An invocation to be explored from a state, or from the beginning.
struct Job {
    state: Option<usize>,
    invokable: Rc<Invokable>,
    assignment: Vec<Provision>,
    /// For constants: nothing to invoke, only a state to set up.
    constant: Option<(ClassId, usize)>,
    exploration: Option<Exploration<PlanDriver>>,
    receiver: Option<Var>,
    rounds: u32,
    /// Which values symbols have on the first path, for where the solver finds none.
    seed: Seed,
    /// What is known of the paths from here, shared by the jobs of all seeds.
    memory: SharedPathMemory,
    /// Whether it waits behind those that lead to something uncovered.
    is_deferred: bool,
}

/// The search for one class.
pub struct Search<'a> {
    machine: &'a mut Machine,
    solver: &'a mut Solver,
    options: &'a Options,
    map: &'a CoverageMap,
    subject: &'a Subject,
    provider: Provider,
    /// Kept from class to class.
    pub influence: Influence,
    /// What became of the sequences, if that is asked for.
    pub story: Option<Story>,
    /// What is invoked on objects of the class, methods that are not under test among it.
    steps: Vec<Rc<Invokable>>,
    universe: Universe,
    /// What leads to a method of which something is uncovered, as of so many goals covered.
    relevance: (usize, Relevance),
    base: Snapshot,
    /// Constraint trees of all methods met.
    pub trees: Trees,
    counts: SideCounts,
    states: Vec<State>,
    seen: SeenStates,
    jobs: FxHashMap<u64, Job>,
    queue: BinaryHeap<Reverse<(u32, u64)>>,
    next_job: u64,
    /// Paths that may become tests, in the order found.
    pub candidates: Vec<Candidate>,
    hits: Vec<u64>,
    goals: GoalSet,
    pairs: BTreeSet<DefUse>,
    failures: BTreeSet<(Thrown, MethodId)>,
    refusals: BTreeSet<(Thrown, MethodId)>,
    /// Counters.
    pub statistics: Statistics,
    /// Self-checks that failed.
    pub internal_errors: Vec<InternalError>,
    /// Queries that the solver gave up on, as text, the first few.
    pub unanswered: Vec<String>,
    /// Work done, in microseconds of an ordinary machine: what the budget is measured by, so that the same
    /// input gives the same tests.
    work: u64,
    /// The part of it that was the solver's.
    solver_work: u64,
    /// Work at which something was last found.
    last_find: u64,
    started: Instant,
}

/// Rounds of a job whose sides have all been taken before, at most.
const MAX_ROUNDS: u32 = 12;
/// Paths of a job in one round.
const SLICE: u32 = 24;
/// Definition-use pairs up to which every new one is worth more time.
const FEW_PAIRS: usize = 200;
/// Work of one round of a job at most, so that an interruption is soon noticed.
const MAX_SLICE: u64 = 500_000;
/// Queries without an answer that are kept as text.
const KEPT_QUERIES: usize = 16;
/// Cost of an invocation from which no candidate sequence leads to anything uncovered.
const DEFERRED: u32 = 50;
/// States kept at most.
const MAX_STATES: usize = 4000;

impl<'a> Search<'a> {
    /// A search that starts from the present state of the machine.
    pub fn new(
        machine: &'a mut Machine,
        solver: &'a mut Solver,
        options: &'a Options,
        map: &'a CoverageMap,
        subject: &'a Subject,
        literals: Vec<Vec<u16>>,
        mut influence: Influence,
    ) -> Search<'a> {
        let steps = if options.exhaustive { own_steps(subject) } else { steps(machine, subject) };
        let universe = Universe::new(machine, &mut influence, subject, &options.filter, Reach::Object);
        let base = machine.snapshot();
        let hits = machine.registers.coverage.as_ref().clone();
        let goals = map.covered(&hits);
        Search {
            provider: Provider::new(&subject.package, options.max_elements, literals),
            influence,
            story: options.explain_sequences.then(Story::default),
            steps,
            universe,
            relevance: (usize::MAX, Relevance::default()),
            machine,
            solver,
            options,
            map,
            subject,
            base,
            trees: Trees::default(),
            counts: SideCounts::default(),
            states: Vec::new(),
            seen: SeenStates::default(),
            jobs: FxHashMap::default(),
            queue: BinaryHeap::new(),
            next_job: 0,
            candidates: Vec::new(),
            hits,
            goals,
            pairs: BTreeSet::new(),
            failures: BTreeSet::new(),
            refusals: BTreeSet::new(),
            statistics: Statistics::default(),
            internal_errors: Vec::new(),
            unanswered: Vec::new(),
            work: 0,
            solver_work: 0,
            last_find: 0,
            started: Instant::now(),
        }
    }

    /// Runs until the budget is used up or nothing is left to try.
    pub fn run(&mut self, progress: &mut dyn FnMut(Progress) -> bool) {
        self.first_jobs();
        while let Some(Reverse((cost, number))) = self.queue.pop() {
            let Some(mut job) = self.jobs.remove(&number) else { continue };
            if !job.is_deferred && !self.leads_on(&job) {
                job.is_deferred = true;
                self.push(cost + DEFERRED, job);
                continue;
            }
            self.run_job(job);
            if !progress(self.progress()) || self.is_over() {
                break;
            }
        }
        self.machine.restore(&self.base);
    }

    /// The state from which every sequence starts.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    fn progress(&self) -> Progress {
        let figures = self.map.coverage(0, &self.hits).map(|c| c.counters.branches);
        Progress {
            paths: self.statistics.paths,
            tests: self.candidates.len(),
            branches: figures.map_or(0, |b| b.covered),
            all_branches: figures.map_or(0, |b| b.covered + b.missed),
        }
    }

    fn is_over(&self) -> bool {
        if self.options.exhaustive {
            return self.started.elapsed() > self.options.budget;
        }
        let budget = self.options.budget.as_micros() as u64;
        // Wall time is only a backstop: where it cuts in, results may differ from run to run.
        let late = self.started.elapsed() > self.options.budget * 2;
        // With everything covered, what is still found is data flow; it is found soon or hardly at all.
        let complete = self.map.uncovered(0, &self.hits).is_empty();
        let patience = if complete { budget / 20 } else { budget };
        late || self.work > budget || self.work - self.last_find > patience
    }

    fn first_jobs(&mut self) {
        let subject = self.subject;
        for constant in subject.constants.iter().take(6) {
            let Some(maker) = subject.under_test.first() else { continue };
            let job = Job {
                state: None,
                invokable: maker.clone(),
                assignment: Vec::new(),
                constant: Some(*constant),
                exploration: None,
                receiver: None,
                rounds: 0,
                seed: Seed::Zero,
                memory: SharedPathMemory::default(),
                is_deferred: false,
            };
            self.push(5, job);
        }
        let mut first: Vec<Rc<Invokable>> = subject.makers.clone();
        let others = subject.under_test.iter().filter(|m| !m.has_receiver());
        for invokable in others {
            if !first.iter().any(|f| f.method == invokable.method) {
                first.push(invokable.clone());
            }
        }
        if first.iter().all(|m| !is_maker(m, subject)) && subject.constants.is_empty() {
            self.subclass_makers(&mut first);
        }
        for invokable in first {
            self.push_jobs(None, &invokable, None, 0);
        }
    }

    /// An abstract class is tested through subclasses of its package.
    fn subclass_makers(&mut self, first: &mut Vec<Rc<Invokable>>) {
        if !self.subject.under_test.iter().any(|m| m.has_receiver()) {
            return;
        }
        let package = self.subject.package.clone();
        let names = self.machine.program.classes_of_package(&package, false).unwrap_or_default();
        for name in names {
            let Ok(class) = self.machine.load(&name) else { continue };
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

    fn push_jobs(
        &mut self,
        state: Option<usize>,
        invokable: &Rc<Invokable>,
        receiver: Option<Var>,
        base_cost: u32,
    ) {
        let receiver_class = state.map(|s| self.states[s].class);
        let assignments = self.provider.assignments(self.machine, invokable, receiver_class);
        for (at, assignment) in assignments.into_iter().enumerate() {
            let cost = base_cost + 4 * at as u32;
            let symbols = assignment.iter().any(Provision::is_symbolic);
            let memory = SharedPathMemory::default();
            let seeds =
                if symbols && at == 0 && !self.options.exhaustive { Seed::ALL } else { &Seed::ALL[..1] };
            for (nth, seed) in seeds.iter().enumerate() {
                let job = Job {
                    state,
                    invokable: invokable.clone(),
                    assignment: assignment.clone(),
                    constant: None,
                    exploration: None,
                    receiver,
                    rounds: 0,
                    seed: *seed,
                    memory: memory.clone(),
                    is_deferred: false,
                };
                self.push(cost + 12 * nth as u32, job);
            }
        }
    }

    fn push(&mut self, cost: u32, job: Job) {
        let number = self.next_job;
        self.next_job += 1;
        self.jobs.insert(number, job);
        self.queue.push(Reverse((cost, number)));
    }

    fn run_job(&mut self, mut job: Job) {
        let fuel_before = job.exploration.as_ref().map_or(Default::default(), |e| e.counters);
        let mut completed = Vec::new();
        let mut exploration = match job.exploration.take() {
            Some(exploration) => exploration,
            None => match self.begin(&mut job, &mut completed) {
                Some(exploration) => exploration,
                None => {
                    self.work += 20;
                    return;
                }
            },
        };
        for done in completed {
            self.complete(&job, done);
        }
        let slice_end = self.work + (self.options.budget.as_micros() as u64 / 40).min(MAX_SLICE);
        let mut paths = 0;
        let mut counted = fuel_before;
        loop {
            let counters = exploration.counters;
            self.account(counted, counters);
            counted = counters;
            let urgent = exploration.best_rank().is_some_and(|(class, ..)| class == 0);
            if (paths >= SLICE && !urgent) || self.work > slice_end || self.is_over() {
                break;
            }
            paths += 1;
            let mut tools = Tools {
                machine: self.machine,
                solver: self.solver,
                trees: &mut self.trees,
                counts: &mut self.counts,
                searcher: &UncoveredFirst,
                under_test: &is_application,
            };
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
        if exploration.waiting() > 0 && (job.rounds < MAX_ROUNDS || self.options.exhaustive) {
            let calls = job.state.map_or(0, |s| self.states[s].calls) as u32;
            let cost = calls * 10 + 16 * job.rounds;
            job.exploration = Some(exploration);
            self.push(cost, job);
        }
    }

    /// Charges what an exploration has done since `before` to the budget.
    fn account(&mut self, before: Counters, now: Counters) {
        let solving = solver_work(&self.solver.stats());
        self.work +=
            (now.fuel - before.fuel) / 4 + (now.paths - before.paths) * 30 + solving - self.solver_work;
        self.solver_work = solving;
        self.statistics.paths += now.paths - before.paths;
        self.statistics.infeasible += now.infeasible - before.infeasible;
        self.statistics.time_outs += now.time_outs - before.time_outs;
    }

    /// Sets up a job: goes to its state, makes its arguments, enters the invocation and runs the first path.
    fn begin(
        &mut self,
        job: &mut Job,
        completed: &mut Vec<Completed<PlanDriver>>,
    ) -> Option<Exploration<PlanDriver>> {
        if let Some((class, field)) = job.constant {
            self.constant_state(class, field);
            return None;
        }
        self.statistics.sequences += 1;
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
        let mut arguments: Vec<Var> = job.receiver.into_iter().collect();
        for (parameter, provision) in job.invokable.parameters.iter().zip(&job.assignment) {
            let var = self.provider.provide(self.machine, &mut plan, provision, parameter, job.receiver, 0);
            arguments.push(var);
        }
        plan.call(&job.invokable, arguments, "result");
        if plan.calls() > self.options.max_length {
            return None;
        }
        let plan = Rc::new(plan);
        let driver = match start {
            Some(driver) => driver.extended(plan),
            None => PlanDriver::new(plan),
        };
        self.run_to_last(driver, path, model, job, completed)
    }

    /// Runs the invocations that only make arguments, each along the first path on which it returns, and
    /// the first path of the last one.
    fn run_to_last(
        &mut self,
        mut driver: PlanDriver,
        mut path: Path,
        mut model: Model,
        job: &Job,
        completed: &mut Vec<Completed<PlanDriver>>,
    ) -> Option<Exploration<PlanDriver>> {
        loop {
            let mut bounds = Vec::new();
            let known = self.machine.terms.variable_count();
            if !driver.enter_next(self.machine, &Inputs::Symbolic, &mut bounds).ok()? {
                return None;
            }
            for bound in bounds {
                path = path.assume(bound);
            }
            if job.seed.set(&self.machine.terms, known, self.options.seed, &mut model) {
                self.machine.adopt_model(&model);
                driver.adopt(self.machine, &model);
            }
            let is_last = driver.next + 1 == driver.plan.steps.len();
            let mut limits = cupping_explore::Limits::default();
            if self.options.exhaustive {
                (limits.offers, limits.waiting) = (u32::MAX, usize::MAX);
            }
            // Makers of arguments are variables of a path of their own; only the last step's paths are shared.
            let makes_arguments = job.assignment.iter().any(Provision::invokes);
            let mut exploration = if is_last && !makes_arguments {
                Exploration::sharing(limits, job.memory.clone())
            } else {
                Exploration::new(limits)
            };
            let mut tools = Tools {
                machine: self.machine,
                solver: self.solver,
                trees: &mut self.trees,
                counts: &mut self.counts,
                searcher: &UncoveredFirst,
                under_test: &is_application,
            };
            let mut made = exploration.start(&mut tools, driver.clone(), path.clone(), model.clone());
            if is_last {
                completed.push(made);
                return Some(exploration);
            }
            for _ in 0..24 {
                if matches!(made.driver.ended, Some(Ended::Returned(_))) {
                    break;
                }
                if let Some(done) = exploration.step(&mut tools)? {
                    made = done;
                }
            }
            if !matches!(made.driver.ended, Some(Ended::Returned(_))) {
                return None;
            }
            driver = made.driver;
            path = made.path;
            model = made.model;
        }
    }

    /// Sets up a state whose receiver is held by a static field.
    fn constant_state(&mut self, class: ClassId, field: usize) {
        self.machine.restore(&self.base);
        let name = self.machine.class(class).name.clone();
        let mut plan = Plan::default();
        let var = plan.variable(JavaType::class(&name), "constant");
        plan.steps.push(PlanStep::StaticField { field: (class, field), var });
        let mut driver = PlanDriver::new(Rc::new(plan));
        if driver.enter_next(self.machine, &Inputs::Symbolic, &mut Vec::new()).is_err() {
            return;
        }
        let receiver = driver.slots[var].value.map_or(0, Value::as_ref);
        if receiver != 0 {
            self.add_state(driver, Path::default(), Model::new(), var, None, 0);
        }
    }

    /// Takes in a path that has been run to its end; the machine is at that end.
    fn complete(&mut self, job: &Job, done: Completed<PlanDriver>) {
        let Some(ended) = done.driver.ended.clone() else { return };
        if let Ended::Halted(Halt::Unsupported(what)) = &ended {
            self.statistics.missing_natives.insert(what.clone());
        }
        if matches!(ended, Ended::Halted(_) | Ended::TooManyDecisions) {
            return;
        }
        if let Ended::Threw(exception) = &ended
            && says_more_of_the_jvm(self.machine, *exception)
        {
            return;
        }
        let thrown = match &ended {
            Ended::Threw(exception) => Some(Thrown::of(self.machine, *exception, &job.invokable)),
            _ => None,
        };
        let hits = self.machine.registers.coverage.clone();
        let pairs = self.machine.registers.pairs.clone();
        let under_test = self.is_under_test(&job.invokable);
        let mut gained = false;
        if under_test {
            let covered = self.map.covered(&hits);
            let gain = self.map.gain(&covered, &self.goals);
            let new_cover = gain.lines + gain.branches > 0;
            let new_pair = pairs.iter().any(|p| !self.pairs.contains(p));
            let new_throw = thrown.as_ref().is_some_and(|t| {
                let key = (t.clone(), job.invokable.method);
                if t.is_failure { self.failures.insert(key) } else { self.refusals.insert(key) }
            });
            gained = new_cover || new_pair || new_throw;
            let plain_return = thrown.is_none()
                && !self.candidates.iter().any(|c| {
                    c.thrown.is_none()
                        && c.plan.under_test().is_some_and(|m| m.method == job.invokable.method)
                });
            if gained || plain_return {
                let effects = self.influence.effects(self.machine, self.subject.class, job.invokable.method);
                let is_pure = effects.is_pure() && job.invokable.has_receiver();
                cupping_machine::coverage::merge(&mut self.hits, &hits);
                self.goals = self.map.covered(&self.hits);
                self.pairs.extend(pairs.iter().copied());
                if new_cover || new_throw || (new_pair && self.pairs.len() < FEW_PAIRS) || self.last_find == 0
                {
                    self.last_find = self.work;
                }
                self.candidates.push(Candidate {
                    plan: done.driver.plan.clone(),
                    driver: done.driver.clone(),
                    path: done.path.clone(),
                    model: done.model.clone(),
                    hits,
                    pairs,
                    ended: ended.clone(),
                    thrown,
                    is_pure,
                    leaf: done.leaf,
                });
            }
        }
        if let Some(story) = &mut self.story {
            let unused = redundant(self.machine, &mut self.influence, &done.driver, Extent::Complete);
            story.path(&done.driver.plan, gained && under_test, unused.is_some());
        }
        if matches!(ended, Ended::Returned(_)) {
            self.extend(job, done, gained);
        }
    }

    /// Whether an invocation counts as a test's subject; makers that were not asked for only set up.
    fn is_under_test(&self, invokable: &Invokable) -> bool {
        self.subject.under_test.iter().any(|m| m.method == invokable.method)
    }

    /// Whether a job's invocation lies on a candidate sequence to a method of which something is uncovered. Where nothing
    /// is, all are alike.
    fn leads_on(&mut self, job: &Job) -> bool {
        let Some(state) = job.state else { return true };
        let calls = self.states[state].calls;
        self.is_relevant(job.invokable.method, calls + 1)
    }

    /// Whether an invocation, the one of this number in its sequence, leads to something uncovered.
    fn is_relevant(&mut self, method: MethodId, number: usize) -> bool {
        if self.options.exhaustive {
            return true;
        }
        let covered = self.goals.len();
        if self.relevance.0 != covered {
            let open: BTreeSet<usize> = match self.map.classes().first() {
                Some(class) => class.unhit(&self.hits).map(|(method, _)| method).collect(),
                None => BTreeSet::new(),
            };
            let methods = &self.machine.class(self.subject.class).methods;
            let open: Vec<MethodId> =
                methods.iter().copied().filter(|m| open.contains(&self.machine.method(*m).index)).collect();
            let targets = self.universe.calls(|invokable, effects| {
                self.is_under_test(invokable) && open.iter().any(|method| effects.runs.contains(method))
            });
            self.relevance = (covered, Relevance::new(&self.universe, &targets));
        }
        let relevance = &self.relevance.1;
        relevance.is_empty() || relevance.leads_on(method, self.options.max_length.saturating_sub(number))
    }

    /// The state after an invocation that returned becomes one to extend.
    fn extend(&mut self, job: &Job, done: Completed<PlanDriver>, gained: bool) {
        let receiver = match job.receiver {
            Some(receiver) => receiver,
            None if is_maker(&job.invokable, self.subject) || job.invokable.is_constructor() => {
                match done.driver.plan.steps.last().and_then(PlanStep::defines) {
                    Some(var) => var,
                    None => return,
                }
            }
            None => return,
        };
        let Some(object) = done.driver.slots[receiver].value.map(Value::as_ref).filter(|o| *o != 0) else {
            return;
        };
        let class = self.machine.class_of(object);
        let is_let_in = self.options.filter.allows(self.machine, &job.invokable);
        if !is_let_in || !self.machine.is_subtype(class, self.subject.class) {
            return;
        }
        let effects = self.influence.effects(self.machine, class, job.invokable.method);
        let last = job.receiver.is_some().then(|| (effects.clone(), job.invokable.method));
        if job.receiver.is_some() && effects.is_pure() {
            self.tell(&done.driver.plan, Fate::Unchanged);
            return;
        }
        // In classes of the JDK only accesses of the class itself are recorded.
        if !self.options.exhaustive
            && !self.machine.class(self.subject.class).from_jdk
            && let Some(call) =
                redundant(self.machine, &mut self.influence, &done.driver, Extent::Prefix(receiver))
        {
            self.statistics.redundant_states += 1;
            self.tell(&done.driver.plan, Fate::Redundant(call));
            return;
        }
        self.add_state(done.driver, done.path, done.model, receiver, last, gained as u32);
    }

    fn add_state(
        &mut self,
        driver: PlanDriver,
        path: Path,
        model: Model,
        receiver: Var,
        last: Option<(Rc<Effects>, MethodId)>,
        bonus: u32,
    ) {
        let calls = driver.plan.calls();
        let full = self.states.len() >= MAX_STATES && !self.options.exhaustive;
        if full || calls >= self.options.max_length {
            return;
        }
        let Some(receiver_value) = driver.slots[receiver].value else { return };
        let mut roots = vec![receiver_value];
        roots.extend(self.static_roots());
        let seen =
            self.seen.admit(self.machine, self.solver, &roots, (&path, &model), self.options.subsumption);
        self.statistics.isomorphic_states = self.seen.isomorphic;
        self.statistics.subsumed_states = self.seen.subsumed;
        let fate = match seen {
            Admission::New => Fate::Extended,
            Admission::Isomorphic => Fate::Isomorphic,
            Admission::Subsumed => Fate::Subsumed,
        };
        self.tell(&driver.plan, fate);
        if seen != Admission::New {
            return;
        }
        self.statistics.states += 1;
        let class = self.machine.class_of(receiver_value.as_ref());
        let snapshot = Rc::new(self.machine.snapshot());
        let at = self.states.len();
        let plan = driver.plan.clone();
        self.states.push(State { snapshot, driver, path, model, receiver, class, calls });
        for invokable in self.steps.clone() {
            if let Some(why) = self.skip(&invokable, class, calls, last.as_ref()) {
                if let Some(story) = &mut self.story {
                    story.skip(&plan, &invokable, why);
                }
                continue;
            }
            let cost = (calls as u32 * 10).saturating_sub(bonus * 6);
            self.push_jobs(Some(at), &invokable, Some(self.states[at].receiver), cost);
        }
    }

    /// Why an invocation is not tried on an object of this class after so many calls, the last of them this one.
    fn skip(
        &mut self,
        invokable: &Invokable,
        class: ClassId,
        calls: usize,
        last: Option<&(Rc<Effects>, MethodId)>,
    ) -> Option<Skip> {
        // What only sets up is of use where it leads on.
        let only_sets_up = !self.is_under_test(invokable);
        if only_sets_up
            && !(self.options.filter.allows(self.machine, invokable)
                && self.is_relevant(invokable.method, calls + 1))
        {
            return Some(Skip::LeadsNowhere);
        }
        let effects = self.influence.effects(self.machine, class, invokable.method);
        // Tests that change what a constant refers to disturb each other.
        if calls == 0 && effects.defines_of(self.machine, class) {
            return Some(Skip::SharedConstant);
        }
        // What the last invocation does not influence was tried before it. As a step to further states it still
        // counts, in one of the two orders.
        let (last, method) = last?;
        if last.influences(&effects) || effects.is_step_after(last, invokable.method < *method) {
            return None;
        }
        Some(if effects.is_pure() { Skip::NoInfluence } else { Skip::PartialOrder })
    }

    fn tell(&mut self, plan: &Plan, fate: Fate) {
        if let Some(story) = &mut self.story {
            story.state(plan, fate);
        }
    }

    /// The static fields of the class under test that code can change.
    fn static_roots(&self) -> Vec<Value> {
        if self.machine.init_state(self.subject.class) != InitState::Initialized {
            return Vec::new();
        }
        let class = self.machine.class(self.subject.class);
        let fields = class.fields.iter().filter(|f| f.is_static() && f.access & 0x10 == 0);
        fields
            .filter(|f| f.kind == Kind::Reference)
            .filter_map(|f| self.machine.static_field(class.id, &f.name))
            .map(Value::concrete)
            .collect()
    }
}

/// What the queries so far cost, in microseconds: by layer, from what they cost on average.
fn solver_work(stats: &cupping_solve::Stats) -> u64 {
    let cost = |name: &str| match name {
        "search" => 1_200,
        "sat" => 2_500,
        "z3" => 90_000,
        _ => 20,
    };
    stats.layers.iter().map(|(name, layer)| layer.asked * cost(name)).sum()
}

/// The methods under test that are invoked on objects.
fn own_steps(subject: &Subject) -> Vec<Rc<Invokable>> {
    subject.under_test.iter().filter(|m| m.has_receiver()).cloned().collect()
}

fn is_maker(invokable: &Invokable, subject: &Subject) -> bool {
    subject.makers.iter().any(|m| m.method == invokable.method)
}

fn is_application(machine: &Machine, method: MethodId) -> bool {
    machine.methods.get(method.0 as usize).is_some_and(|m| !machine.class(m.class).from_jdk)
}
