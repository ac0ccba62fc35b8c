//! The search for tests of one class: extends states of objects by invocations.
//!
//! A common prefix of several sequences is executed once and forked (sequence grouping, thesis §4.4.3). A
//! state seen before is not extended. An invocation without definitions is only tried where its predecessor
//! may influence it (§4.3.1, §4.4.1), and of two commuting invocations only one order is tried (§4.3.4).
//! Arguments stay symbolic along the sequence, so a later branch can still choose an earlier argument.

/// Borrows the parts of the search that an exploration needs.
macro_rules! tools {
    ($search:ident) => {
        cupping_explore::Tools {
            machine: $search.machine,
            solver: $search.solver,
            trees: &mut $search.trees,
            counts: &mut $search.counts,
            searcher: &cupping_explore::UncoveredFirst,
            under_test: &crate::search::is_application,
        }
    };
}

mod account;
mod aim;
mod aimed_search;
mod arguments;
mod candidate;
mod combinations;
mod completion;
mod corpus;
mod differences;
mod explore;
mod growth;
mod initialised;
mod jobs;
mod libraries;
mod memory;
mod mutants;
mod products;
mod recipes;
mod replacements;
mod results;
mod samples;
mod setups;
mod shared_constants;
mod states;
mod texts;
mod unasked_answers;
mod unsafe_paths;
mod variants;
mod warm_up;
mod worlds;

use crate::arguments::Arguments;
use crate::candidate::Candidate;
use crate::clock::Clock;
use crate::exceptions::{Fault, Grade};
use crate::foreign_methods::ObjectModifier;
use crate::influence::Influence;
use crate::invokable::{Entrance, Invokable, Subject};
use crate::options::GenerateOptions;
use crate::outcome::{InternalError, Progress, Statistics};
use crate::pool::Pool;
use crate::provisions::{CalledMethods, Provider};
use crate::sequences::{Reach, Relevance, SequenceHistory, Universe, steps};
use crate::statics::{fillable_fields, restorable_fields};
use crate::subsumption::SeenStates;
use crate::uncovered_method::Losses;
use aim::Aim;
use cupping_case::{Criterion, Recollection};
use cupping_coverage::{CoverageMap, GoalId, GoalSet};
use cupping_explore::{SideCounts, Signature, Trees};
use cupping_machine::{DefUse, Machine, MethodId, Snapshot};
use cupping_solve::Solver;
pub(crate) use differences::Opponent;
use jobs::{Caller, Job};
use libraries::Libraries;
pub(crate) use recipes::MAX_RECIPES;
use results::Results;
use rustc_hash::FxHashMap;
use shared_constants::SharedConstants;
use states::EndState;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;
use std::time::Duration;
use texts::{Source, Texts};
use variants::Variants;
use worlds::Worlds;

/// The search for one class.
pub struct Search<'a> {
    machine: &'a mut Machine,
    solver: &'a mut Solver,
    options: &'a GenerateOptions,
    map: &'a CoverageMap,
    subject: &'a Subject,
    provider: Provider,
    /// Cached across classes.
    pub influence: Influence,
    /// The history of the sequences, if requested.
    pub story: Option<SequenceHistory>,
    /// The invokables of objects of the class, including methods that are not under test.
    steps: Vec<Rc<Invokable>>,
    universe: Universe,
    /// Which invocations lead to methods with uncovered goals, computed when this many goals were covered.
    relevance: (usize, Relevance),
    base: Snapshot,
    /// The virtual clock in the base state.
    begins_at: u64,
    /// Constraint trees of all methods explored.
    pub trees: Trees,
    /// How often each side was taken.
    pub counts: SideCounts,
    states: Vec<EndState>,
    /// How many states these calls led to.
    states_after: FxHashMap<Vec<MethodId>, u32>,
    seen: SeenStates,
    constants: SharedConstants,
    jobs: FxHashMap<u64, Job>,
    queue: BinaryHeap<Reverse<(u32, u64)>>,
    next_job: u64,
    /// Paths that may become tests, in the order found.
    pub candidates: Vec<Candidate>,
    /// Probes hit by any candidate.
    pub hits: Vec<u64>,
    /// Probes hit by initialisers before all tests, and those of them that count as covered.
    initialised: Vec<u64>,
    covered_before: Vec<u64>,
    /// Paths that would be candidates but are not safe to run.
    pub withheld: Vec<Candidate>,
    goals: GoalSet,
    /// The uncovered goals, and the numbers of covered branches and of all branches.
    uncovered: Vec<GoalId>,
    branches: (u32, u32),
    pairs: BTreeSet<DefUse>,
    /// Paths of methods under test that have candidates, if the path criterion is requested.
    pub ways: BTreeSet<(MethodId, Signature)>,
    /// Methods of other classes that change an object under test that is passed to them.
    modifiers: Rc<Vec<ObjectModifier>>,
    /// Arguments by [`Invokable::entrance`], of invocations that returned or that covered something.
    arguments: FxHashMap<(Entrance, bool), Arguments>,
    worlds: Worlds,
    texts: Texts,
    variants: Variants,
    results: Results,
    /// Methods whose inputs have been given more room; see [`growth`].
    grown: BTreeSet<MethodId>,
    libraries: Libraries,
    /// Number of chains that have begun, and of those that continue.
    chains_begun: usize,
    chains: usize,
    /// Jobs whose sides were skipped because other jobs had offered them often enough.
    skipped: Vec<Job>,
    /// Whether the skipped jobs run again, since everything else has been tried.
    is_thorough: bool,
    /// Methods whose exploration was cut off.
    cut: BTreeSet<MethodId>,
    /// The exceptions of methods under test, with the grade of the best input that leads to each.
    thrown: BTreeMap<(Fault, MethodId), Grade>,
    /// What went wrong, by invocation.
    pub losses: Losses,
    /// The fate of tests of an earlier run that are not among the candidates.
    pub recollection: Recollection,
    /// Counters.
    pub statistics: Statistics,
    /// Failed self-checks.
    pub internal_errors: Vec<InternalError>,
    /// The first few queries on which the solver gave up, as text.
    pub unanswered: Vec<String>,
    /// Work done, in microseconds of a reference machine. The budget limits it, so that the same input gives
    /// the same tests.
    work: u64,
    /// The solver's part of it.
    solver_work: u64,
    /// The work at the time of the last find.
    last_find: u64,
    /// The work that waiting sequences took.
    work_of_sequences: u64,
    /// The methods that it is for, if not for all.
    aim: Option<Aim>,
    /// Work after which the search pauses, instead of at the end of the budget.
    allowance: Option<u64>,
    /// Whether all sequences of usual length have been tried.
    is_long: bool,
    /// Whether slow class initialisers have been handled.
    is_warm: bool,
    /// Whether people specified how objects are created.
    is_set_up: bool,
    /// Whether it only looks for arguments with which the method under test returns.
    is_for_consumer: bool,
    /// The static fields of the class that tests restore, by index.
    shared: Vec<usize>,
    /// Its static fields that hold empty collections or maps before any test.
    registries: Vec<usize>,
    /// The time of the class; it may have been started before.
    pub clock: Clock,
}
/// Cost of an invocation that lies on no candidate sequence to an uncovered goal.
const DEFERRED: u32 = 50;
/// Length beyond which a sequence waits until all shorter ones have been tried.
const USUAL_LENGTH: usize = 6;
/// Factor on the work for a first object, up to which completing an object by a chain is worthwhile.
const CHAIN_WORK: u64 = 8;
/// Cost of an invocation that exceeds the usual length.
const LONG: u32 = 100_000;

impl<'a> Search<'a> {
    /// A search that starts from the current state of the machine.
    pub fn new(
        machine: &'a mut Machine,
        solver: &'a mut Solver,
        options: &'a GenerateOptions,
        map: &'a CoverageMap,
        subject: &'a Subject,
        literals: Vec<Vec<u16>>,
        mut influence: Influence,
    ) -> Search<'a> {
        let steps = if options.exhaustive { own_steps(subject) } else { steps(machine, subject) };
        let universe = Universe::new(machine, &mut influence, subject, &options.filter, Reach::Object);
        let called = CalledMethods::of(machine, &mut influence, subject);
        let (base, begins_at) = (machine.snapshot(), machine.now());
        let shared = restorable_fields(machine, subject.class);
        let registries = fillable_fields(machine, subject.class);
        let hits = machine.registers().coverage.as_ref().clone();
        let goals = map.covered(&hits);
        // The solver may have been used before.
        let solver_work = solver.work();
        let mut search = Search {
            provider: Provider::new(&subject.package, options, literals).with_called_methods(called),
            influence,
            story: options.explain_sequences.then(SequenceHistory::default),
            steps,
            universe,
            relevance: (usize::MAX, Relevance::default()),
            machine,
            solver,
            options,
            map,
            subject,
            base,
            begins_at,
            trees: Trees::default(),
            counts: SideCounts::default(),
            states: Vec::new(),
            states_after: FxHashMap::default(),
            seen: SeenStates::default(),
            constants: SharedConstants::default(),
            jobs: FxHashMap::default(),
            queue: BinaryHeap::new(),
            next_job: 0,
            candidates: Vec::new(),
            initialised: hits.clone(),
            covered_before: hits.clone(),
            hits,
            withheld: Vec::new(),
            goals,
            uncovered: Vec::new(),
            branches: (0, 0),
            pairs: BTreeSet::new(),
            ways: BTreeSet::new(),
            modifiers: Rc::default(),
            arguments: FxHashMap::default(),
            worlds: Worlds::default(),
            texts: Texts::default(),
            variants: Variants::default(),
            results: Results::default(),
            grown: BTreeSet::new(),
            libraries: Libraries::default(),
            chains_begun: 0,
            chains: 0,
            skipped: Vec::new(),
            // Tries to create an object are unlimited.
            is_thorough: options.enough.is_some(),
            cut: BTreeSet::new(),
            thrown: BTreeMap::new(),
            losses: Losses::default(),
            recollection: Recollection::default(),
            statistics: Statistics::default(),
            internal_errors: Vec::new(),
            unanswered: Vec::new(),
            work: 0,
            solver_work,
            last_find: 0,
            work_of_sequences: 0,
            aim: None,
            allowance: None,
            is_long: false,
            is_warm: false,
            is_set_up: false,
            is_for_consumer: false,
            shared,
            registries,
            clock: Clock::start(options),
        };
        search.count_covered();
        search
    }

    /// Runs until the budget is spent or nothing is left to try.
    ///
    /// # Errors
    /// A given set-up cannot be run; the text says why.
    pub fn run(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), String> {
        self.recall();
        self.is_set_up = self.set_up()? || self.subject.is_set_up;
        self.first_jobs();
        self.find_worlds();
        self.run_jobs(progress);
        Ok(())
    }

    /// Goes on until the budget is spent or nothing is left to try.
    fn run_jobs(&mut self, progress: &mut dyn FnMut(Progress) -> bool) {
        loop {
            self.save_memory();
            self.adopt_libraries();
            if self.has_turn_for_construction() {
                self.construct_objects();
            }
            if self.has_turn_for_repairs() {
                self.repair_operations();
            }
            if self.has_turn_for_variants() {
                self.vary_objects();
            }
            let is_for_texts = self.has_turn_for_texts();
            if is_for_texts || self.has_turn_for_worlds() {
                if is_for_texts {
                    self.vary_texts()
                } else {
                    self.grow_worlds()
                }
                if !progress(self.progress()) || self.is_over() {
                    break;
                }
                continue;
            }
            if self.is_tried() && !self.is_thorough && !self.options.exhaustive {
                self.start_again();
            }
            let Some(Reverse((cost, number))) = self.queue.pop() else { break };
            let Some(mut job) = self.jobs.remove(&number) else { continue };
            if cost >= LONG && !self.is_long {
                if self.is_complete() && !self.options.exhaustive {
                    break;
                }
                self.is_long = true;
                self.last_find = self.work;
            }
            if !job.is_deferred && !self.leads_on(&job) {
                job.is_deferred = true;
                self.push(cost + DEFERRED, job);
                continue;
            }
            self.push_next(&mut job);
            let changed = job.change.take().map(|change| (change, job.again()));
            let found = self.last_find;
            let before = self.work;
            self.run_job(job);
            self.work_of_sequences += self.work - before;
            if let Some((change, job)) = changed.filter(|_| self.last_find > found) {
                self.push_combinations(&job, &change);
            }
            self.enter_gains(Source::Others);
            if !progress(self.progress()) || self.is_over() {
                break;
            }
        }
        self.jobs.values().for_each(|job| self.losses.waiting(job.invokable.method));
        self.machine.restore(&self.base);
    }

    /// Whether all sequences of usual length have been tried.
    fn is_tried(&self) -> bool {
        self.queue.peek().is_none_or(|Reverse((cost, _))| *cost >= LONG)
    }

    /// Runs those jobs again that may lead to something uncovered and were cut short because of other jobs.
    fn start_again(&mut self) {
        self.is_thorough = true;
        let skipped = std::mem::take(&mut self.skipped);
        if self.is_complete() {
            return;
        }
        for job in skipped {
            if self.is_relevant(job.invokable.method, 0) {
                self.push(self.cost_of(job.state), job);
            }
        }
    }

    /// Gives the sequences a pool of objects of other classes, and charges the work of finding them.
    pub fn set_pool(&mut self, pool: Pool, work: Duration) {
        self.provider.set_pool(pool);
        self.work += work.as_micros() as u64;
        self.last_find = self.work;
    }

    /// Whether more budget could help: something is uncovered, and not everything has been tried.
    pub fn wants_more(&self) -> bool {
        let may_construct = self.worlds.are_useful() && !self.has_own_state();
        (!self.jobs.is_empty() || may_construct) && !self.is_complete()
    }

    /// The methods run by invocations that were not tried, or not explored completely.
    pub fn unfinished(&mut self) -> BTreeSet<MethodId> {
        let mut left = std::mem::take(&mut self.cut);
        left.extend(self.jobs.values().map(|job| job.invokable.method));
        let mut unfinished = BTreeSet::new();
        for method in left {
            unfinished.insert(method);
            let effects = self.influence.effects(self.machine, self.subject.class, method);
            unfinished.extend(effects.runs.iter().copied());
        }
        unfinished
    }

    /// The machine and the influence analysis.
    pub(crate) fn parts(&mut self) -> (&mut Machine, &mut Influence) {
        (self.machine, &mut self.influence)
    }

    /// The state from which every sequence starts.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    fn progress(&self) -> Progress {
        Progress {
            paths: self.statistics.paths,
            tests: self.candidates.len(),
            branches: self.branches.0,
            all_branches: self.branches.1,
            mutants: None,
            left: self.options.budget.saturating_sub(Duration::from_micros(self.work)),
        }
    }

    fn is_over(&self) -> bool {
        if self.options.exhaustive {
            return self.clock.elapsed() > self.options.budget;
        }
        if self.has_accepted_arguments() {
            return true;
        }
        if let Some(enough) = self.options.enough {
            let enough = enough.as_micros() as u64 * if self.chains == 0 { 1 } else { CHAIN_WORK };
            if self.work > enough && self.states.iter().any(|it| it.receiver.is_some()) {
                return true;
            }
        }
        // The rest of the time is for writing the tests.
        let mut tenths = 9;
        let mut budget = self.allowance.unwrap_or(self.options.budget.as_micros() as u64);
        if self.options.criteria.has(Criterion::Mutation) {
            // The rest of the budget is for tests that detect mutants; less is kept while the search still
            // finds something.
            let is_finding = self.work - self.last_find < budget / 10 && !self.uncovered.is_empty();
            let share = if is_finding { 7 } else { 6 };
            budget = budget / 10 * share;
            // On a slow machine, writing tests down needs its share of the time.
            tenths = share as u32;
        }
        // When everything is covered, only data flow is left, which is found early or hardly ever.
        let complete = self.is_complete() && !self.options.pairs_are_goals;
        // The same holds for sequences beyond the usual length.
        let patience = if complete || self.is_long { budget / 20 } else { budget };
        self.work > budget || self.work - self.last_find > patience || self.clock.is_past(tenths)
    }
}

/// The methods under test that are invoked on objects.
fn own_steps(subject: &Subject) -> Vec<Rc<Invokable>> {
    subject.under_test.iter().filter(|m| m.has_receiver()).cloned().collect()
}

fn is_application(machine: &Machine, method: MethodId) -> bool {
    machine.methods().get(method.0 as usize).is_some_and(|m| !machine.class(m.class).from_jdk)
}
