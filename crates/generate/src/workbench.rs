//! A workbench for sequences from outside: runs, explores and writes down sequences for a class. An analysis that
//! deduces sequences, such as the crate `dataflow`, tries them here, and can start the search where deduction ends.

use crate::builder::Builder;
use crate::candidate::Candidate;
use crate::case_coverage::CaseCoverage;
use crate::companions::Companions;
use crate::driver::{Inputs, PlanDriver};
use crate::exceptions::ThrownException;
use crate::influence::Influence;
use crate::input::Input;
use crate::invokable::{Invokable, Subject};
use crate::known_inputs::KnownInputs;
use crate::long_calls::LongCalls;
use crate::observe::{Volatility, observe};
use crate::options::GenerateOptions;
use crate::outcome::{GenerateError, Progress};
use crate::plan::{Plan, Var};
use crate::provisions::{Provider, Provision};
use crate::realization::{realize, write_down};
use crate::search::Search;
use crate::sequences::steps;
use crate::session::Session;
use crate::statics::Statics;
use crate::suite_coverage::SuiteCoverage;
use crate::trial::{Trial, is_presentable};
use crate::view::View;
use crate::work::{add_run, work_of_paths};
use crate::written_suite::{Purpose, WrittenSuite};
use cupping_case::{Suite, TEST_FOLDER, WithheldCase};
use cupping_coverage::{CoverageMap, merge};
use cupping_explore::{
    CompletedPath, Counters, Exploration, ExplorationLimits, InvocationEnd, Path, SideCounts, Trees,
};
use cupping_machine::{ClassId, DefUse, Machine, Snapshot};
use cupping_solve::Solver;
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// What is known about an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Nothing.
    Any,
    /// It is `null`.
    Null,
    /// It is a non-null reference.
    NotNull,
    /// It is an array of this length.
    Length(u32),
    /// It is a primitive with these bits.
    Bits(u64),
    /// It is this variable of the sequence.
    Variable(Var),
}

/// A call of a sequence.
#[derive(Clone, Debug)]
pub struct PlannedCall {
    /// The invokable.
    pub invokable: Rc<Invokable>,
    /// What is known about its arguments, excluding the receiver.
    pub arguments: Vec<Hint>,
    /// Which of the fitting references to pass; 0 is the most promising one.
    pub alternative: usize,
}

/// Limit on the paths tried for a call before the last, until one returns.
const PATHS_BETWEEN: u32 = 24;
/// Limit on the paths tried for the last call.
const LAST_PATHS: u32 = 40;
/// Fuel of one path.
const FUEL: u64 = 2_000_000;

/// A class prepared for sequences.
pub struct Workbench<'s> {
    pub(crate) session: &'s mut Session,
    class: Box<str>,
    solver: Solver,
    pub(crate) map: CoverageMap,
    pub(crate) subject: Subject,
    options: GenerateOptions,
    literals: Vec<Vec<u16>>,
    pub(crate) base: Snapshot,
    /// Unsafe paths: one per method, and those that the search found.
    withheld: Vec<Candidate>,
    provider: Option<Provider>,
    pub(crate) builders: Option<Rc<Vec<Builder>>>,
    pub(crate) views: Option<Rc<Vec<View>>>,
    pub(crate) companions: Companions,
    /// Constructors of an abstract class, called by anonymous subclasses.
    pub(crate) anonymous: Vec<Rc<Invokable>>,
    pub(crate) long_calls: LongCalls,
    pub(crate) known_inputs: KnownInputs,
    /// Work of the machine in microseconds, counted as in the search; the solver counts its own.
    pub(crate) work: u64,
}

/// The caller's interest in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Not wanted.
    No,
    /// Keep it and continue.
    Also,
    /// Keep it and stop.
    This,
}

impl Session {
    /// Opens a class. Field accesses of the classes `with` are recorded too.
    ///
    /// # Errors
    /// [`GenerateError::Class`].
    pub fn open(
        &mut self,
        class: &str,
        with: &[Box<str>],
        options: &GenerateOptions,
    ) -> Result<Workbench<'_>, GenerateError> {
        let mut prepared = self.prepare(class, with, options)?;
        let all = std::mem::take(&mut prepared.subject.makers);
        let (anonymous, makers) = all.into_iter().partition(|maker| maker.stub.is_some());
        prepared.subject.makers = makers;
        let base = self.machine().snapshot();
        Ok(Workbench {
            session: self,
            class: class.into(),
            solver: Solver::new(crate::session::solver_config(options)),
            map: prepared.map,
            subject: prepared.subject,
            options: options.clone(),
            literals: prepared.literals,
            base,
            withheld: Vec::new(),
            provider: None,
            builders: None,
            views: None,
            companions: Companions::default(),
            anonymous,
            long_calls: LongCalls::default(),
            known_inputs: KnownInputs::default(),
            work: 0,
        })
    }
}

impl Workbench<'_> {
    /// The machine, in its current state.
    pub fn machine(&mut self) -> &mut Machine {
        self.session.machine()
    }

    /// The machine and the influence analysis.
    pub fn analysis(&mut self) -> (&mut Machine, &mut Influence) {
        self.session.parts()
    }

    /// The class as a set of invokables.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Everything that a sequence may call: makers, static methods, and methods of the objects including
    /// inherited ones.
    pub fn invokables(&mut self) -> Vec<Rc<Invokable>> {
        let mut all = self.subject.makers.clone();
        all.extend(self.subject.under_test.iter().filter(|m| !m.has_receiver()).cloned());
        all.extend(steps(self.session.machine(), &self.subject));
        let mut seen = BTreeSet::new();
        all.retain(|m| seen.insert(m.method));
        all
    }

    /// Returns to the initial state of all sequences; changes to the machine itself, such as marks in code,
    /// remain.
    pub fn reset(&mut self) {
        self.session.machine().restore(&self.base);
    }

    /// Work done in microseconds of a reference machine; counted, not measured.
    pub fn work(&self) -> u64 {
        self.work + self.solver.work()
    }

    /// Runs a sequence. Arguments first have the hinted values, later others. Paths of the last call are
    /// returned if `wanted` accepts the definition-use pairs that they exercise, until it stops. All earlier
    /// calls must return.
    pub fn attempt(
        &mut self,
        calls: &[PlannedCall],
        wanted: &mut dyn FnMut(&Machine, &BTreeSet<DefUse>) -> Interest,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut done = Counters::default();
        self.try_out(calls, wanted, &mut found, &mut done);
        self.work += work_of_paths(done) + done.paths * 30 + 200;
        found
    }

    fn try_out(
        &mut self,
        calls: &[PlannedCall],
        wanted: &mut dyn FnMut(&Machine, &BTreeSet<DefUse>) -> Interest,
        found: &mut Vec<Candidate>,
        spent: &mut Counters,
    ) -> Option<()> {
        self.reset();
        let mut provider = self.take_provider();
        let planned = self.plan(&mut provider, calls);
        self.return_provider(provider);
        let (plan, hints) = planned?;
        let mut driver = PlanDriver::new(Rc::new(plan));
        let kept_back = &mut self.withheld;
        let mut tried = Trial {
            machine: self.session.machine(),
            solver: &mut self.solver,
            trees: Trees::default(),
            counts: SideCounts::default(),
        };
        let (mut path, mut model) = (Path::default(), Model::new());
        let mut given = 0;
        loop {
            let mut bounds = Vec::new();
            if !driver.enter_next(tried.machine, &Inputs::Symbolic, &mut bounds).ok()? {
                return None;
            }
            for bound in bounds {
                path = path.assume(bound);
            }
            given += give_hints(tried.machine, &driver, &hints[given..], &mut model);
            tried.machine.adopt_model(&model);
            cupping_explore::Driver::adopt(&mut driver, tried.machine, &model);
            let limits = ExplorationLimits { fuel: FUEL, ..ExplorationLimits::default() };
            let mut exploration = Exploration::new(limits);
            let first = tried.start(&mut exploration, driver.clone(), &path, &model);
            let (mut next, mut left) = (Some(first), LAST_PATHS);
            if driver.next + 1 == driver.plan.steps.len() {
                let invokable = driver.plan.under_test()?.clone();
                let mut is_last = false;
                while !is_last
                    && let Some(done) =
                        tried.until(&mut exploration, next.take(), &mut left, &mut |machine, done| {
                            keep_back(kept_back, machine, &invokable, done);
                            is_presentable(machine, done) && {
                                let recorded = machine.registers().pairs.clone();
                                let wanted = wanted(machine, &recorded);
                                is_last = wanted == Interest::This;
                                wanted != Interest::No
                            }
                        })
                {
                    found.push(candidate(tried.machine, done));
                }
                add_run(spent, exploration.counters);
                return Some(());
            }
            left = PATHS_BETWEEN;
            let done = tried.until(&mut exploration, next, &mut left, &mut |_, done| {
                matches!(done.driver.ended, Some(InvocationEnd::Returned(_)))
            });
            add_run(spent, exploration.counters);
            let done = done?;
            (driver, path, model) = (done.driver, done.path, done.model);
        }
    }

    /// The plan of a sequence, with hints for its variables.
    fn plan(&mut self, provider: &mut Provider, calls: &[PlannedCall]) -> Option<(Plan, Vec<(Var, Hint)>)> {
        let (mut plan, mut hints, mut receiver) = (Plan::default(), Vec::new(), None);
        for call in calls {
            let object = receiver.map(|receiver| (receiver, self.subject.class));
            let (of_call, result) = self.append(provider, &mut plan, call, object)?;
            hints.extend(of_call);
            if self.subject.makers.iter().any(|m| m.method == call.invokable.method) && receiver.is_none() {
                receiver = result;
            }
        }
        Some((plan, hints))
    }

    /// Appends a call to a plan; returns the hints for its variables, and the variable of its result.
    #[expect(clippy::type_complexity, reason = "a list and a variable")]
    pub(crate) fn append(
        &mut self,
        provider: &mut Provider,
        plan: &mut Plan,
        call: &PlannedCall,
        receiver: Option<(Var, ClassId)>,
    ) -> Option<(Vec<(Var, Hint)>, Option<Var>)> {
        let (machine, influence) = self.session.parts();
        let (mut hints, mut arguments): (Vec<(Var, Hint)>, Vec<Var>) = (Vec::new(), Vec::new());
        let invokable = &call.invokable;
        let (receiver, class) = receiver.unzip();
        let assignments = provider.assignments(machine, influence, invokable, class);
        if invokable.has_receiver() {
            arguments.push(receiver?);
        }
        let mut is_new = call.alternative == 0;
        for (at, parameter) in invokable.parameters.iter().enumerate() {
            let hint = call.arguments.get(at).copied().unwrap_or(Hint::Any);
            let fits = |p: &&Provision| match hint {
                Hint::Null => is_null(p),
                Hint::NotNull | Hint::Length(_) => !is_null(p),
                Hint::Any | Hint::Bits(_) | Hint::Variable(_) => true,
            };
            let mut seen = BTreeSet::new();
            let choices = assignments.iter().map(|a| &a[at]).filter(fits);
            let choices: Vec<&Provision> = choices.filter(|it| seen.insert(format!("{it:?}"))).collect();
            is_new |= call.alternative < choices.len();
            let first = choices.first().copied().or_else(|| assignments.first().map(|a| &a[at]));
            let provision = match hint {
                Hint::Variable(var) => Provision::Var(var),
                _ => choices.get(call.alternative).copied().or(first)?.clone(),
            };
            let var = provider.provide(machine, plan, &provision, parameter, receiver, 0);
            hints.push((var, hint));
            arguments.push(var);
        }
        is_new.then(|| (hints, plan.call(invokable, arguments, "result")))
    }

    /// The provider for calls, which keeps what it found.
    pub(crate) fn take_provider(&mut self) -> Provider {
        let new = || Provider::new(&self.subject.package, &self.options, self.literals.clone());
        self.provider.take().unwrap_or_else(new)
    }

    /// Takes it back.
    pub(crate) fn return_provider(&mut self, provider: Provider) {
        self.provider = Some(provider);
    }

    /// The machine, the solver, and the account of work.
    pub(crate) fn parts_for_paths(&mut self) -> (&mut Machine, &mut Solver, &mut u64) {
        (self.session.machine(), &mut self.solver, &mut self.work)
    }

    /// Runs the search of `cupping generate` and returns its candidates.
    pub fn search(
        &mut self,
        budget: Duration,
        clock: Duration,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Vec<Candidate> {
        self.reset();
        let solving = self.solver.work();
        let options = GenerateOptions { budget, clock: Some(clock), ..self.options.clone() };
        let (machine, influence) = self.session.parts();
        let taken = std::mem::take(influence);
        let literals = self.literals.clone();
        let mut search =
            Search::new(machine, &mut self.solver, &options, &self.map, &self.subject, literals, taken);
        // Only set-ups can fail, and it has none.
        let _ = search.run(progress);
        let work = u64::try_from(search.work().as_micros()).unwrap_or(u64::MAX);
        let candidates = std::mem::take(&mut search.candidates);
        let withheld = std::mem::take(&mut search.withheld);
        let taken = std::mem::take(&mut search.influence);
        drop(search);
        self.withheld.extend(withheld);
        *self.session.parts().1 = taken;
        // The solver counts its own work.
        self.work += work.saturating_sub(self.solver.work() - solving);
        candidates
    }

    /// Runs candidates with concrete inputs, shortens them as long as coverage and pairs stay the same, and
    /// writes them down with assertions on the final state.
    pub fn write(mut self, candidates: &[(Candidate, Purpose)]) -> WrittenSuite {
        self.reset();
        let Workbench { session, class, map, subject, base, withheld, .. } = self;
        let initialisation = session.machine().registers().coverage.as_ref().clone();
        let mut suite = Suite::new(class);
        let mut coverage = SuiteCoverage::new(map, initialisation);
        let statics = Statics::of(session.machine(), subject.class);
        let (mut errors, mut lost) = (Vec::new(), Vec::new());
        for (at, (candidate, purpose)) in candidates.iter().enumerate() {
            let (machine, influence) = session.parts();
            let realized = match realize(machine, &base, coverage.map(), candidate) {
                Ok(realized) => realized,
                Err(error) => {
                    lost.push((at, "a self-check failed".to_owned()));
                    errors.push(error);
                    continue;
                }
            };
            let Some((mut case, ids)) = write_down(machine, candidate, &realized, &subject.package) else {
                lost.push((at, "its inputs cannot be written in Java, or depend on the computer".to_owned()));
                continue;
            };
            if let Some(why) = case.danger() {
                lost.push((at, why.clone()));
                suite.withheld.push(WithheldCase { case, why });
                continue;
            }
            statics.note(machine, &mut case);
            let dropped = Volatility::Dropped;
            let observed = observe(machine, influence, &mut case, &realized, &ids, &subject.package, dropped);
            // No mutants choose among these.
            let more = MAX_ASSERTIONS.saturating_sub(case.assertions.len());
            case.assertions.extend(observed.unchanged.into_iter().take(more));
            let mut hits = realized.hits;
            merge(&mut hits, &observed.hits);
            case.distinction.clone_from(&purpose.distinction);
            case.purpose.clone_from(&purpose.text);
            let is_failing = candidate.thrown.as_ref().is_some_and(|t| t.is_failure());
            if is_failing {
                suite.failing.push(case)
            } else {
                suite.cases.push(case)
            }
            let leaf = candidate.leaf;
            coverage.add(is_failing, CaseCoverage { hits, path: None, leaf, thrown: None, noticed: vec![] });
        }
        let known: Vec<Candidate> = candidates.iter().map(|(it, _)| it.clone()).collect();
        let more = session.write_withheld(&base, coverage.map(), &subject.package, &known, &withheld);
        suite.withheld.extend(more);
        coverage.count(&mut suite, |_, _| true);
        WrittenSuite { suite, coverage, errors, lost }
    }
}

/// Limit on the assertions of a case whose last invocation changes nothing.
const MAX_ASSERTIONS: usize = 4;

/// The candidate of a path; the machine is at its end.
fn candidate(machine: &mut Machine, done: CompletedPath<PlanDriver>) -> Candidate {
    let ended = done.driver.ended.clone().unwrap_or(InvocationEnd::TooManyDecisions);
    let thrown = match &ended {
        InvocationEnd::Threw(exception) => {
            Some(ThrownException::of(machine, *exception, &done.driver, &done.path))
        }
        _ => None,
    };
    Candidate {
        plan: done.driver.plan.clone(),
        path: done.path,
        model: done.model,
        hits: machine.registers().coverage.clone(),
        pairs: machine.registers().pairs.clone(),
        ended,
        thrown,
        is_pure: false,
        leaf: done.leaf,
        control: 0,
        remembered: None,
        keeps_inputs: false,
        driver: done.driver,
    }
}

/// Keeps an unsafe path, the first one per method.
fn keep_back(
    kept: &mut Vec<Candidate>,
    machine: &mut Machine,
    invokable: &Invokable,
    done: &CompletedPath<PlanDriver>,
) {
    let is_known = |it: &Candidate| it.plan.under_test().is_some_and(|it| it.method == invokable.method);
    if !kept.iter().any(is_known) && !machine.effects().escapes_so_far(TEST_FOLDER).is_empty() {
        let done = CompletedPath {
            driver: done.driver.clone(),
            path: done.path.clone(),
            model: done.model.clone(),
            leaf: done.leaf,
            begun_after: done.begun_after,
        };
        kept.push(candidate(machine, done));
    }
}

fn is_null(provision: &Provision) -> bool {
    matches!(provision, Provision::Input(Input::Null))
}

/// Sets newly created inputs to hinted values; returns the number of hints used.
fn give_hints(machine: &Machine, driver: &PlanDriver, hints: &[(Var, Hint)], model: &mut Model) -> usize {
    let made = |var: Var| driver.slots[var].value.is_some();
    let count = hints.iter().take_while(|(var, _)| made(*var)).count();
    for (var, hint) in &hints[..count] {
        let symbols = &driver.slots[*var].symbols;
        match hint {
            Hint::Bits(bits) => {
                if let (None, Some(symbol)) = (symbols.length, symbols.values.first()) {
                    model.set(*symbol, bits & machine.terms().variable(*symbol).sort.mask());
                }
            }
            Hint::Length(length) => {
                if let Some(symbol) = symbols.length {
                    model.set(symbol, u64::from(*length).min(symbols.values.len() as u64));
                }
            }
            Hint::Any | Hint::Null | Hint::NotNull | Hint::Variable(_) => {}
        }
    }
    count
}
