//! A session: a booted machine that generates tests for one class after another.

mod comparison;
mod replay;

use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use crate::clock::Clock;
use crate::contracts::violations;
use crate::criteria::{FinishedSearch, GoalStatuses};
use crate::explain::ShownTrees;
use crate::explain_method::explain;
use crate::influence::Influence;
use crate::invokable::{Subject, is_nameable};
use crate::options::{GenerateOptions, HeapRepresentation};
use crate::outcome::{ClassOutcome, GenerateError, InternalError, Phases, Progress};
use crate::pool::Pool;
use crate::provisions::{matching_texts, string_literals};
use crate::realization::{realize, write_down};
use crate::search::Search;
use crate::selection::choose;
use crate::suite_coverage::SuiteCoverage;
use cupping_case::{Blame, Case, Criterion, Recollection, Suite, WithheldCase};
use cupping_classfile::reads::comparing_lines;
use cupping_classfile::{ClassFile, Program};
use cupping_coverage::{CoverageError, CoverageMap, merge};
use cupping_machine::{ClassId, Machine, MethodId, Snapshot};
use cupping_solve::Solver;
pub use replay::ReplayDifference;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A loaded, initialised and analysed class.
pub(crate) struct PreparedClass {
    pub(crate) file: Arc<ClassFile>,
    pub(crate) map: CoverageMap,
    pub(crate) id: ClassId,
    pub(crate) subject: Subject,
    pub(crate) literals: Vec<Vec<u16>>,
}

/// A booted machine with a solver, for one thread.
pub struct Session {
    machine: Machine,
    influence: Influence,
    booted: Snapshot,
    known_recipes: crate::pool::RecipeCache,
}

/// Limit on the words that a run may allocate after boot (32 MB): nothing is collected while code runs, and a
/// run that creates so many objects is probably an endless loop.
const RUN_WORDS: u32 = 4 << 20;

impl Session {
    /// Boots a machine on the program's JDK. A run that allocates more than 32 MB counts as endless.
    ///
    /// # Errors
    ///
    /// [`GenerateError::Boot`].
    pub fn new(program: Arc<Program>) -> Result<Session, GenerateError> {
        let mut session = Session::sized(program, cupping_machine::RunLimits::default().heap_words)?;
        session.machine.bound_runs(RUN_WORDS);
        Ok(session)
    }

    /// Boots with this many words of memory, beyond which code sees `OutOfMemoryError`. Every stored state
    /// keeps its memory, so this also bounds the memory of the search.
    ///
    /// # Errors
    /// [`GenerateError::Boot`].
    pub fn sized(program: Arc<Program>, heap_words: u32) -> Result<Session, GenerateError> {
        // The search keeps object addresses while code runs.
        let limits = cupping_machine::RunLimits {
            heap_words,
            collect: cupping_machine::CollectionPolicy::Never,
            quantum: 0,
            record_flows: true,
            ..cupping_machine::RunLimits::default()
        };
        let mut machine = Machine::boot(program, limits)?;
        // Code that asks for the context loader would otherwise fail, unlike on a JVM.
        let _ = machine.set_context_loader();
        let booted = machine.snapshot();
        Ok(Session { machine, influence: Influence::default(), booted, known_recipes: Default::default() })
    }

    /// Generates tests for the class with this internal name. `progress` is called regularly and returns
    /// whether to continue.
    ///
    /// # Errors
    /// [`GenerateError::Class`].
    pub fn generate(
        &mut self,
        class: &str,
        options: &GenerateOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ClassOutcome, GenerateError> {
        let clock = Clock::start(options);
        let (pool, pool_work) = self.collaborators(class, options, &clock)?;
        let mut phases = Phases { collaborators: clock.elapsed(), ..Phases::default() };
        let PreparedClass { file, map, id, mut subject, literals } = self.prepare(class, &[], options)?;
        if !options.exhaustive {
            subject.add_foreign_makers(&mut self.machine);
        }
        let mut solver = Solver::new(solver_config(options));
        let influence = std::mem::take(&mut self.influence);
        let mut search =
            Search::new(&mut self.machine, &mut solver, options, &map, &subject, literals, influence);
        search.set_pool(pool, pool_work);
        search.clock = clock;
        if !options.exhaustive {
            search.set_aside_initialisation();
        }
        let run = search.run(progress);
        phases.search = search.clock.elapsed() - phases.collaborators;
        let base = search.base().clone();
        let mut drafts = Vec::new();
        let (machine, _) = search.parts();
        machine.restore(&base);
        let mut initialisation = machine.registers().coverage.as_ref().clone();
        let mut writer = CaseWriter::new(machine, &self.booted, &map, &subject);
        let [mut all, counted] = search.hits_before_tests().map(<[u64]>::to_vec);
        merge(&mut all, &initialisation);
        merge(&mut initialisation, &counted);
        let choice = choose(&search.candidates, &map, &initialisation, options);
        let (limit, mut is_spent) = (search.limit_of_writing(), false);
        let chosen = choice.kept.iter().map(|at| (*at, false));
        let chosen = chosen.chain(choice.failing.iter().map(|at| (*at, true)));
        for (at, is_failing, work) in search.cheap_first(chosen.collect()) {
            let candidate = search.candidates[at].clone();
            // Tests of an earlier run cost nothing to find, and nobody wants to lose them.
            is_spent |= search.work() + work > limit && candidate.remembered.is_none();
            if search.clock.is_over() || is_spent {
                break;
            }
            drafts.extend(search.write(&mut writer, &candidate, is_failing));
        }
        if run.is_ok() {
            search.replace_blind(&mut writer, &mut drafts);
        }
        let written = search.clock.elapsed();
        phases.writing = written - phases.search - phases.collaborators;
        let judged = run.is_ok() && options.criteria.has(Criterion::Mutation);
        let targets = judged.then(|| search.aim_at_mutants(&mut writer, &mut drafts, progress));
        phases.mutants = search.clock.elapsed() - written;
        if run.is_ok() {
            search.drop_unasked_answers(&mut writer, &mut drafts);
        }
        if run.is_ok() && !options.exhaustive && options.methods.is_empty() && !search.clock.is_over() {
            let (machine, influence) = search.parts();
            for violation in violations(machine, writer.base(), &subject, &drafts) {
                let draft = writer.write(machine, influence, &violation.candidate, true);
                drafts.extend(draft.and_then(|mut it| violation.describe(&mut it).then_some(it)));
            }
        }
        let CaseWriter { withheld: unsafe_cases, internal_errors: write_errors, .. } = writer;
        let candidates = std::mem::take(&mut search.candidates);
        let withheld = std::mem::take(&mut search.withheld);
        let mut statistics = std::mem::take(&mut search.statistics);
        let mut internal_errors = std::mem::take(&mut search.internal_errors);
        let unanswered = std::mem::take(&mut search.unanswered);
        let trees = std::mem::take(&mut search.trees);
        let (work, wants_more) = (search.work(), search.wants_more() || is_spent);
        let clock = search.clock.clone();
        let losses = std::mem::take(&mut search.losses);
        let recollection = std::mem::take(&mut search.recollection);
        let mut hits = std::mem::take(&mut search.hits);
        merge(&mut hits, &all);
        let (unfinished, ways) = (search.unfinished(), std::mem::take(&mut search.ways));
        let influence = std::mem::take(&mut search.influence);
        let story = search.story.take();
        let counts = std::mem::take(&mut search.counts);
        drop(search);
        self.influence = influence;
        run.map_err(GenerateError::Class)?;
        let under_test: Vec<MethodId> = subject.under_test.iter().map(|it| it.method).collect();
        let ended = FinishedSearch { counts: &counts, trees: &trees, unfinished: &unfinished, ways: &ways };
        let mut standings = GoalStatuses::new(&self.machine, &map, &under_test, &ended);
        standings.mutants = targets.map(|targets| targets.result(&map, &self.machine));
        internal_errors.extend(write_errors);
        let unreached = losses.unreached(&mut self.machine, &mut self.influence, &subject, &map, &hits);
        let sequences = story
            .and_then(|story| explain(&mut self.machine, &mut self.influence, &subject, options, &story));
        let mut coverage = SuiteCoverage::new(map, all).with_criteria(options.criteria.clone(), standings);
        let mut suite = assemble(class, drafts, &mut coverage, options.writes_preconditions());
        suite.withheld = unsafe_cases;
        let more = self.write_withheld(&base, coverage.map(), &subject.package, &candidates, &withheld);
        suite.withheld.extend(more);
        suite.recollection = Recollection {
            lost: recollection.lost,
            others: recollection.others,
            ..std::mem::take(&mut suite.recollection)
        };
        // Terms are formatted last, when the search has been dropped, to save memory.
        let shown = options.explain.then(|| ShownTrees::of(&self.machine, id, &trees));
        let explanation = shown.map(|shown| coverage.explain(&file, shown));
        statistics.solver = solver.stats();
        statistics.phases = phases;
        for error in solver.take_internal_errors() {
            let message = format!("the solver layer {} {}", error.layer, error.what);
            internal_errors.push(InternalError { message, reproduction: error.query });
        }
        statistics.missing_natives.extend(self.machine.take_missing_natives());
        Ok(ClassOutcome {
            suite,
            coverage,
            explanation,
            sequences,
            unreached,
            internal_errors,
            unanswered,
            statistics,
            work,
            wants_more,
            was_late: clock.rang(),
            elapsed: clock.elapsed(),
        })
    }

    /// The objects that a class collaborates with, and the work of finding them.
    fn collaborators(
        &mut self,
        class: &str,
        options: &GenerateOptions,
        clock: &Clock,
    ) -> Result<(Pool, std::time::Duration), GenerateError> {
        if options.exhaustive {
            return Ok(Default::default());
        }
        let PreparedClass { mut subject, .. } = self.prepare(class, &[], options)?;
        subject.add_foreign_makers(&mut self.machine);
        Ok(self.pool(&subject, options, clock))
    }

    pub(crate) fn known_recipes(&mut self) -> &mut crate::pool::RecipeCache {
        &mut self.known_recipes
    }

    /// Nested classes that no test can name: private, local and anonymous ones. They can only be covered
    /// through the class.
    fn unnameable(&mut self, class: &str) -> Vec<Arc<ClassFile>> {
        let package = class.rfind('/').map_or("", |at| &class[..at]);
        let prefix = format!("{class}$");
        let names = self.machine.program().classes_of_package(package, false).unwrap_or_default();
        let mut found: Vec<Arc<ClassFile>> = Vec::new();
        // Sorted by name, so a nested class follows its outer class.
        for name in names.iter().filter(|name| name.starts_with(&prefix)) {
            let Ok(id) = self.machine.load(name) else { continue };
            // A class nested in one that tests can name belongs to that class.
            let around = name.rfind('$').map_or("", |at| &name[..at]);
            let is_ours = around == class || found.iter().any(|it| &*it.name == around);
            if is_ours && !is_nameable(&self.machine, id, package) {
                found.extend(self.machine.class(id).file.clone());
            }
        }
        found
    }

    /// The machine, for analyses of classes.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// The machine and the influence analysis.
    pub(crate) fn parts(&mut self) -> (&mut Machine, &mut Influence) {
        (&mut self.machine, &mut self.influence)
    }

    /// Returns to the booted state and initialises a class there; measures coverage of it and of the classes
    /// `with`.
    pub(crate) fn prepare(
        &mut self,
        class: &str,
        with: &[Box<str>],
        options: &GenerateOptions,
    ) -> Result<PreparedClass, GenerateError> {
        self.prepare_tracking(class, with, options, &CoverageMap::track)
    }

    /// The same for a class of which only objects are wanted: nobody is told on which lines its code is.
    pub(crate) fn prepare_collaborator(
        &mut self,
        class: &str,
        options: &GenerateOptions,
    ) -> Result<PreparedClass, GenerateError> {
        self.prepare_tracking(class, &[], options, &|map, file| comparing_lines(|| map.track(file)))
    }

    fn prepare_tracking(
        &mut self,
        class: &str,
        with: &[Box<str>],
        options: &GenerateOptions,
        track: &dyn Fn(&mut CoverageMap, &ClassFile) -> Result<usize, CoverageError>,
    ) -> Result<PreparedClass, GenerateError> {
        self.machine.restore(&self.booted);
        // Reset terms and variables, so that the result does not depend on earlier classes.
        self.machine.forget_terms();
        self.machine.set_reasoning_elements(match options.heap {
            HeapRepresentation::Mixed => cupping_machine::RunLimits::default().reasoning_elements,
            HeapRepresentation::Simulation => 0,
            HeapRepresentation::Reasoning => 1 << 12,
        });
        let file = self.machine.program().require(class).map_err(|e| GenerateError::Class(e.to_string()))?;
        let mut map = CoverageMap::asking(&options.criteria.requirements());
        track(&mut map, &file).map_err(|e| GenerateError::Class(e.to_string()))?;
        for other in with {
            let file =
                self.machine.program().require(other).map_err(|e| GenerateError::Class(e.to_string()))?;
            track(&mut map, &file).map_err(|e| GenerateError::Class(e.to_string()))?;
        }
        let id = self.load(class)?;
        for nested in self.unnameable(class) {
            // Ignore classes that cannot be measured.
            let _ = track(&mut map, &nested);
        }
        self.machine.forget_contents();
        self.machine.track(&map);
        self.machine.set_under_test(&map);
        self.initialise(id, class)?;
        let mut subject = Subject::new(&mut self.machine, id, &options.methods, options.filter.access);
        subject.limit(&self.machine, options.filter.access);
        if !options.exhaustive {
            subject.add_anonymous_makers(&mut self.machine);
        }
        options.guidance.apply(&mut self.machine, &mut subject);
        let mut literals = options.guidance.literals(class);
        literals.extend(matching_texts(&self.machine, id, 3));
        literals.extend(string_literals(&self.machine, id, 6));
        if options.exhaustive {
            subject.start_plain();
        }
        Ok(PreparedClass { file, map, id, subject, literals })
    }

    /// Initialises a class on the booted machine.
    pub(crate) fn initialise(&mut self, id: ClassId, class: &str) -> Result<(), GenerateError> {
        self.machine.restore(&self.booted);
        self.machine.forget_entropy_reads();
        if let Err(trap) = self.machine.initialize_class_now(id) {
            let why = self.machine.describe_trap(&trap);
            return Err(GenerateError::Class(format!("{class} cannot be initialised: {why}")));
        }
        // Identity hash codes read so far only affect internal hash tables. Seeds and times are different:
        // values that a static initialiser derived from them are visible to every test.
        self.machine.set_volatile_reads(self.machine.registers().entropy_reads);
        Ok(())
    }

    fn load(&mut self, class: &str) -> Result<ClassId, GenerateError> {
        self.machine.load(class).map_err(|trap| {
            let why = self.machine.describe_trap(&trap);
            let known: Vec<String> =
                self.machine.unloadable().map(|(name, why)| format!("{name}: {why}")).collect();
            GenerateError::Class(format!("{class} cannot be loaded: {why} ({})", known.join("; ")))
        })
    }

    /// Writes down unsafe paths: those that cover something new, and one per method.
    pub(crate) fn write_withheld(
        &mut self,
        base: &Snapshot,
        map: &CoverageMap,
        package: &str,
        candidates: &[Candidate],
        withheld: &[Candidate],
    ) -> Vec<WithheldCase> {
        let mut covered = map.covered(&[]);
        candidates.iter().for_each(|it| covered.union(&map.covered(&it.hits)));
        let mut methods = BTreeSet::new();
        let mut written = Vec::new();
        for candidate in withheld {
            let own = map.covered(&candidate.hits);
            let method = candidate.plan.under_test().map(|it| it.method);
            if map.gain(&own, &covered).total() == 0 && !methods.insert(method) {
                continue;
            }
            methods.insert(method);
            covered.union(&own);
            // The outcome without symbols does not matter, since the case is never run.
            let Ok(realized) = realize(&mut self.machine, base, map, candidate) else { continue };
            let Some((case, _)) = write_down(&mut self.machine, candidate, &realized, package) else {
                continue;
            };
            let why = case.danger().unwrap_or_default();
            written.push(WithheldCase { case, why });
        }
        written
    }
}

/// The suite of these tests, and their coverage.
fn assemble(
    class: &str,
    drafts: Vec<Draft>,
    coverage: &mut SuiteCoverage,
    with_preconditions: bool,
) -> Suite {
    let mut suite = Suite::new(class);
    for draft in drafts {
        let Draft { candidate, mut case, coverage: reached, is_failing, .. } = draft;
        if let Some(was) = candidate.remembered.as_deref().map(|it| &it.test) {
            if was.failing == is_failing && case.is_same_test(&was.case) {
                case.name = Some(was.name.clone());
                suite.recollection.held.push(was.name.clone());
            } else {
                suite.recollection.changed.push(was.name.clone());
            }
        }
        let breaks_precondition = case.cause.as_ref().is_some_and(|it| it.blame == Blame::Precondition);
        if breaks_precondition && is_failing && !with_preconditions && candidate.remembered.is_none() {
            suite.preconditions.push(case);
            continue;
        }
        let all = if is_failing { &mut suite.failing } else { &mut suite.cases };
        // Two paths may give the same test: a class performs its one-time actions only on the first of them.
        let is_alike = |it: &&Case| it.under_test == case.under_test && it.steps.len() == case.steps.len();
        if all.iter().filter(is_alike).any(|it| it.is_same_test(&case)) {
            continue;
        }
        all.push(case);
        coverage.add(is_failing, reached);
    }
    coverage.count(&mut suite, |_, _| true);
    suite
}

/// Wall-clock limit of one query, behind the limit on its work.
const Z3_TIME: Duration = Duration::from_secs(2);

/// The cost limit of one query during exploration. Sides with harder constraints become time-outs: there are
/// many sides, and other initial values may still take them.
pub(crate) fn solver_config(options: &GenerateOptions) -> cupping_solve::SolverLimits {
    cupping_solve::SolverLimits {
        sat_conflicts: 3_000,
        z3_resources: 100_000,
        z3_bit_vectors: false,
        z3_time: if options.counts_work_only() { options.clock() } else { Z3_TIME.min(options.budget / 4) },
        ..cupping_solve::SolverLimits::default()
    }
}
