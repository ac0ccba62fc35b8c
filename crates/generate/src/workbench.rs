//! A class opened for sequences that somebody else thinks of: run, explored, and written down as cases.
//!
//! The search of [`Session::generate`] chooses sequences itself; who deduces them, as the data-flow room does, tries
//! each here, and can let the search go on where deduction ended.

use crate::driver::{Inputs, PlanDriver};
use crate::influence::Influence;
use crate::input::Input;
use crate::invokable::{Invokable, Subject};
use crate::observe::observe;
use crate::options::Options;
use crate::plan::{Plan, Var};
use crate::provide::{Provider, Provision};
use crate::realize::{realize, write_down};
use crate::search::{Candidate, Search};
use crate::sequences::steps;
use crate::session::{GenerateError, InternalError, Progress, Session};
use crate::suite_coverage::{Reached, SuiteCoverage};
use crate::thrown::{Thrown, says_more_of_the_jvm};
use cupping_case::{CoverageCount, Recollection, Suite, TEST_FOLDER, Withheld};
use cupping_coverage::{CoverageMap, merge};
use cupping_explore::{
    Completed, Counters, Ended, Exploration, Path, SideCounts, Tools, Trees, UncoveredFirst,
};
use cupping_machine::{DefUse, Machine, MethodId, Snapshot};
use cupping_solve::Solver;
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What is known of an argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Nothing.
    Any,
    /// It is `null`.
    Null,
    /// It is a reference, not `null`.
    NotNull,
    /// It is an array of this length.
    Length(u32),
    /// It is the primitive with these bits.
    Bits(u64),
}

/// A call of a sequence.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub invokable: Rc<Invokable>,
    /// What is known of its arguments, the receiver not among them.
    pub arguments: Vec<Hint>,
    /// Which of the references that fit are passed: the likeliest for 0.
    pub alternative: usize,
}

/// Paths of a call before the last that are tried until one returns.
const PATHS_BETWEEN: u32 = 24;
/// Paths of the last call that are tried.
const LAST_PATHS: u32 = 40;
/// Instructions of one path.
const FUEL: u64 = 2_000_000;

/// A class, ready for sequences.
pub struct Workbench<'s> {
    session: &'s mut Session,
    class: Box<str>,
    solver: Solver,
    map: CoverageMap,
    subject: Subject,
    options: Options,
    literals: Vec<Vec<u16>>,
    base: Snapshot,
    /// Paths that must not be run by anybody: one of each method, and what the search found.
    withheld: Vec<Candidate>,
    /// Work of the machine in microseconds, counted as the search counts it; the solver's is in its counters.
    work: u64,
}

/// What becomes of a path of a sequence that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It is not wanted.
    No,
    /// It is kept, and the next ones are tried.
    Also,
    /// It is what was looked for.
    This,
}

impl Session {
    /// Opens a class. The accesses to fields of the classes `with` are recorded as its own are.
    ///
    /// # Errors
    /// [`GenerateError::Class`].
    pub fn open(
        &mut self,
        class: &str,
        with: &[Box<str>],
        options: &Options,
    ) -> Result<Workbench<'_>, GenerateError> {
        let prepared = self.prepare(class, with, options)?;
        let base = self.machine().snapshot();
        Ok(Workbench {
            session: self,
            class: class.into(),
            solver: Solver::new(crate::session::solver_config()),
            map: prepared.map,
            subject: prepared.subject,
            options: options.clone(),
            literals: prepared.literals,
            base,
            withheld: Vec::new(),
            work: 0,
        })
    }
}

impl Workbench<'_> {
    /// The machine, in whatever state it was left.
    pub fn machine(&mut self) -> &mut Machine {
        self.session.machine()
    }

    /// The machine and what is known of influence.
    pub fn analysis(&mut self) -> (&mut Machine, &mut Influence) {
        self.session.parts()
    }

    /// The class as a set of invokables.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// All that a sequence may call: what makes objects, static methods, and methods of the objects, inherited ones
    /// too.
    pub fn invokables(&mut self) -> Vec<Rc<Invokable>> {
        let mut all = self.subject.makers.clone();
        all.extend(self.subject.under_test.iter().filter(|m| !m.has_receiver()).cloned());
        all.extend(steps(self.session.machine(), &self.subject));
        let mut seen = BTreeSet::new();
        all.retain(|m| seen.insert(m.method));
        all
    }

    /// Goes to the state before every sequence; what was changed in the machine since (marks in code) stays.
    pub fn reset(&mut self) {
        self.session.machine().restore(&self.base);
    }

    /// What was done so far, in microseconds of a usual machine: counted, not measured.
    pub fn work(&self) -> u64 {
        self.work + self.solver.stats().work()
    }

    /// Runs a sequence. The arguments have the values hinted at first, others afterwards; of the last call's paths those
    /// are given that `wanted` wants for the definition-use pairs that they exercise, up to the one that was looked for.
    /// Calls before the last must return.
    pub fn attempt(
        &mut self,
        calls: &[Call],
        wanted: &mut dyn FnMut(&Machine, &BTreeSet<DefUse>) -> Wanted,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut done = Counters::default();
        self.try_out(calls, wanted, &mut found, &mut done);
        self.work += done.fuel / 4 + done.paths * 30 + 200;
        found
    }

    /// Counts work: instructions that were run, and runs.
    pub(crate) fn charge(&mut self, instructions: u64, runs: u64) {
        self.work += instructions / 4 + runs * 30;
    }

    fn try_out(
        &mut self,
        calls: &[Call],
        wanted: &mut dyn FnMut(&Machine, &BTreeSet<DefUse>) -> Wanted,
        found: &mut Vec<Candidate>,
        spent: &mut Counters,
    ) -> Option<()> {
        self.reset();
        let mut provider = Provider::new(&self.subject.package, &self.options, self.literals.clone());
        let (plan, hints) = self.plan(&mut provider, calls)?;
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
            let limits = cupping_explore::Limits { fuel: FUEL, ..cupping_explore::Limits::default() };
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
                                let recorded = machine.registers.pairs.clone();
                                let wanted = wanted(machine, &recorded);
                                is_last = wanted == Wanted::This;
                                wanted != Wanted::No
                            }
                        })
                {
                    found.push(candidate(tried.machine, &invokable, done));
                }
                charge(spent, exploration.counters);
                return Some(());
            }
            left = PATHS_BETWEEN;
            let done = tried.until(&mut exploration, next, &mut left, &mut |_, done| {
                matches!(done.driver.ended, Some(Ended::Returned(_)))
            });
            charge(spent, exploration.counters);
            let done = done?;
            (driver, path, model) = (done.driver, done.path, done.model);
        }
    }

    /// The plan of a sequence, and what is known of its variables.
    fn plan(&mut self, provider: &mut Provider, calls: &[Call]) -> Option<(Plan, Vec<(Var, Hint)>)> {
        let (machine, influence) = self.session.parts();
        let (mut plan, mut hints, mut receiver) = (Plan::default(), Vec::new(), None);
        for call in calls {
            let invokable = &call.invokable;
            let class = receiver.map(|_| self.subject.class);
            let assignments = provider.assignments(machine, influence, invokable, class);
            let mut arguments: Vec<Var> = Vec::new();
            if invokable.has_receiver() {
                arguments.push(receiver?);
            }
            let mut is_new = call.alternative == 0;
            for (at, parameter) in invokable.parameters.iter().enumerate() {
                let hint = call.arguments.get(at).copied().unwrap_or(Hint::Any);
                let fits = |p: &&Provision| match hint {
                    Hint::Null => is_null(p),
                    Hint::NotNull | Hint::Length(_) => !is_null(p),
                    Hint::Any | Hint::Bits(_) => true,
                };
                let (mut choices, mut seen): (Vec<&Provision>, BTreeSet<String>) = Default::default();
                for choice in assignments.iter().map(|a| &a[at]).filter(fits) {
                    if seen.insert(format!("{choice:?}")) {
                        choices.push(choice);
                    }
                }
                is_new |= call.alternative < choices.len();
                let first = choices.first().copied().or_else(|| assignments.first().map(|a| &a[at]));
                let provision = choices.get(call.alternative).copied().or(first)?.clone();
                let var = provider.provide(machine, &mut plan, &provision, parameter, receiver, 0);
                hints.push((var, hint));
                arguments.push(var);
            }
            if !is_new {
                return None;
            }
            let result = plan.call(invokable, arguments, "result");
            if self.subject.makers.iter().any(|m| m.method == invokable.method) && receiver.is_none() {
                receiver = result;
            }
        }
        Some((plan, hints))
    }

    /// Lets the search of `cupping generate` go on by itself: what it would choose tests from.
    pub fn search(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Vec<Candidate> {
        self.reset();
        let (machine, influence) = self.session.parts();
        let taken = std::mem::take(influence);
        let literals = self.literals.clone();
        let mut search =
            Search::new(machine, &mut self.solver, &self.options, &self.map, &self.subject, literals, taken);
        // It is given no set-ups, which alone can fail.
        let _ = search.run(progress);
        let candidates = std::mem::take(&mut search.candidates);
        let withheld = std::mem::take(&mut search.withheld);
        let taken = std::mem::take(&mut search.influence);
        drop(search);
        self.withheld.extend(withheld);
        *self.session.parts().1 = taken;
        candidates
    }

    /// Runs candidates again with concrete inputs, shortened as long as they cover and exercise the same, and writes
    /// them down with assertions about the state at their end. Each has a text that tells it from the others.
    pub fn write(mut self, candidates: &[(Candidate, String)]) -> Written {
        self.reset();
        let Workbench { session, class, map, subject, base, withheld, .. } = self;
        let initialisation = session.machine().registers.coverage.as_ref().clone();
        let none = CoverageCount::default();
        let mut suite = Suite {
            class,
            cases: Vec::new(),
            failing: Vec::new(),
            lines: none,
            branches: none,
            criteria: Vec::new(),
            recollection: Recollection::default(),
            withheld: Vec::new(),
        };
        let mut coverage = SuiteCoverage::new(map, initialisation);
        let mut errors = Vec::new();
        for (candidate, distinction) in candidates {
            let (machine, influence) = session.parts();
            let realized = match realize(machine, &base, coverage.map(), candidate) {
                Ok(realized) => realized,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let Some((mut case, ids)) = write_down(machine, candidate, &realized, &subject.package) else {
                continue;
            };
            if let Some(why) = case.danger() {
                suite.withheld.push(Withheld { case, why });
                continue;
            }
            let asserted = observe(machine, influence, &mut case, &realized, &ids, &subject.package);
            let mut hits = realized.hits;
            merge(&mut hits, &asserted);
            case.distinction.clone_from(distinction);
            let is_failing = candidate.thrown.as_ref().is_some_and(|t| t.is_failure);
            if is_failing {
                suite.failing.push(case)
            } else {
                suite.cases.push(case)
            }
            coverage.add(is_failing, Reached { hits, path: None, leaf: candidate.leaf, thrown: None });
        }
        let known: Vec<Candidate> = candidates.iter().map(|(it, _)| it.clone()).collect();
        let more = session.write_withheld(&base, coverage.map(), &subject.package, &known, &withheld);
        suite.withheld.extend(more);
        coverage.count(&mut suite, |_, _| true);
        Written { suite, coverage, errors }
    }
}

/// Cases that were written down.
pub struct Written {
    /// The cases, not yet certified.
    pub suite: Suite,
    /// What each of them covers.
    pub coverage: SuiteCoverage,
    /// Self-checks that failed.
    pub errors: Vec<InternalError>,
}

/// What a trial of a sequence works with.
struct Trial<'a> {
    machine: &'a mut Machine,
    solver: &'a mut Solver,
    trees: Trees,
    counts: SideCounts,
}

impl Trial<'_> {
    fn tools(&mut self) -> Tools<'_> {
        Tools {
            machine: self.machine,
            solver: self.solver,
            trees: &mut self.trees,
            counts: &mut self.counts,
            searcher: &UncoveredFirst,
            under_test: &is_application,
        }
    }

    fn start(
        &mut self,
        exploration: &mut Exploration<PlanDriver>,
        driver: PlanDriver,
        path: &Path,
        model: &Model,
    ) -> Completed<PlanDriver> {
        exploration.start(&mut self.tools(), driver, path.clone(), model.clone())
    }

    /// The first path that is accepted, of so many: this one or the next ones.
    fn until(
        &mut self,
        exploration: &mut Exploration<PlanDriver>,
        first: Option<Completed<PlanDriver>>,
        left: &mut u32,
        accept: &mut dyn FnMut(&mut Machine, &Completed<PlanDriver>) -> bool,
    ) -> Option<Completed<PlanDriver>> {
        let mut done = first;
        while *left > 0 {
            *left -= 1;
            if let Some(done) = done
                && accept(self.machine, &done)
            {
                return Some(done);
            }
            done = exploration.step(&mut self.tools())?;
        }
        None
    }
}

/// The candidate of a path; the machine is at its end.
fn candidate(machine: &mut Machine, invokable: &Invokable, done: Completed<PlanDriver>) -> Candidate {
    let ended = done.driver.ended.clone().unwrap_or(Ended::TooManyDecisions);
    let thrown = match &ended {
        Ended::Threw(exception) => Some(Thrown::of(machine, *exception, invokable)),
        _ => None,
    };
    Candidate {
        plan: done.driver.plan.clone(),
        path: done.path,
        model: done.model,
        hits: machine.registers.coverage.clone(),
        pairs: machine.registers.pairs.clone(),
        ended,
        thrown,
        is_pure: false,
        leaf: done.leaf,
        control: 0,
        remembered: None,
        driver: done.driver,
    }
}

fn charge(spent: &mut Counters, more: Counters) {
    spent.fuel += more.fuel;
    spent.paths += more.paths;
}

/// Keeps a path that nobody must run, the first of each method.
fn keep_back(
    kept: &mut Vec<Candidate>,
    machine: &mut Machine,
    invokable: &Invokable,
    done: &Completed<PlanDriver>,
) {
    let is_known = |it: &Candidate| it.plan.under_test().is_some_and(|it| it.method == invokable.method);
    if !kept.iter().any(is_known) && !machine.effects().escapes(TEST_FOLDER).is_empty() {
        let done = Completed {
            driver: done.driver.clone(),
            path: done.path.clone(),
            model: done.model.clone(),
            leaf: done.leaf,
            begun_after: done.begun_after,
        };
        kept.push(candidate(machine, invokable, done));
    }
}

/// Whether a path can be a test.
fn is_presentable(machine: &mut Machine, done: &Completed<PlanDriver>) -> bool {
    if !machine.effects().escapes(TEST_FOLDER).is_empty() {
        return false;
    }
    match &done.driver.ended {
        Some(Ended::Returned(_)) => true,
        Some(Ended::Threw(exception)) => !says_more_of_the_jvm(machine, *exception),
        _ => false,
    }
}

fn is_null(provision: &Provision) -> bool {
    matches!(provision, Provision::Input(Input::Null))
}

/// Gives the inputs that have just been made the values hinted at; how many of the hints those were.
fn give_hints(machine: &Machine, driver: &PlanDriver, hints: &[(Var, Hint)], model: &mut Model) -> usize {
    let made = |var: Var| driver.slots[var].value.is_some();
    let count = hints.iter().take_while(|(var, _)| made(*var)).count();
    for (var, hint) in &hints[..count] {
        let symbols = &driver.slots[*var].symbols;
        match hint {
            Hint::Bits(bits) => {
                if let (None, Some(symbol)) = (symbols.length, symbols.values.first()) {
                    model.set(*symbol, bits & machine.terms.variable(*symbol).sort.mask());
                }
            }
            Hint::Length(length) => {
                if let Some(symbol) = symbols.length {
                    model.set(symbol, u64::from(*length).min(symbols.values.len() as u64));
                }
            }
            Hint::Any | Hint::Null | Hint::NotNull => {}
        }
    }
    count
}

fn is_application(machine: &Machine, method: MethodId) -> bool {
    machine.methods().get(method.0 as usize).is_some_and(|m| !machine.class(m.class).from_jdk)
}
