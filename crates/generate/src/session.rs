//! A booted machine that generates tests for one class after the other.

use crate::choose::choose;
use crate::criteria::{Ended, Standings};
use crate::explain::ShownTrees;
use crate::explain_method::explain;
use crate::influence::Influence;
use crate::invokable::{Subject, is_nameable};
use crate::observe::observe;
use crate::options::{HeapRepresentation, Options};
use crate::provide::string_literals;
use crate::realize::{realize, write_down};
use crate::search::{Candidate, Search};
use crate::statics::Statics;
use crate::suite_coverage::{Reached, SuiteCoverage};
use crate::unreached::Unreached;
use cupping_case::{CoverageCount, Explanation, Recollection, Suite, Withheld};
use cupping_classfile::{ClassFile, Program};
use cupping_coverage::{CoverageMap, merge};
use cupping_machine::{ClassId, Machine, MethodId, Snapshot};
use cupping_solve::Solver;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why nothing was generated for a class.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The class library of the JDK did not start on the machine.
    #[error(transparent)]
    Boot(#[from] cupping_machine::BootError),
    /// The class or one that it needs is missing or damaged; the text names file, place and remedy.
    #[error("{0}")]
    Class(String),
}

/// A self-check that failed (thesis §5.9): a bug of Cupping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalError {
    /// What was expected and what happened.
    pub message: String,
    /// A query for `cupping solve` or a sequence that reproduces it.
    pub reproduction: String,
}

/// How far a class has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Paths run so far.
    pub paths: u64,
    /// Tests that would be kept now.
    pub tests: usize,
    /// Branches covered.
    pub branches: u32,
    /// Branches of the class.
    pub all_branches: u32,
}

/// Counters of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Paths run to their end.
    pub paths: u64,
    /// Paths found infeasible.
    pub infeasible: u64,
    /// Paths on which the solver gave up.
    pub time_outs: u64,
    /// Sequences tried.
    pub sequences: u64,
    /// Distinct states of objects.
    pub states: u64,
    /// States pruned because one that is the same up to the names of variables had been seen.
    pub isomorphic_states: u64,
    /// States pruned because one seen subsumes them.
    pub subsumed_states: u64,
    /// States pruned because an invocation before them had influenced nothing, nor could any more.
    pub redundant_states: u64,
    /// Counters of the solver chain, by layer and outcome, ready to print (`--stats`).
    pub solver: cupping_solve::Stats,
    /// Natives that were called and that the machine lacks.
    pub missing_natives: BTreeSet<String>,
}

/// What was found for a class.
#[derive(Debug)]
pub struct ClassOutcome {
    /// The tests, chosen and named by position, not yet certified.
    pub suite: Suite,
    /// What each of them covers.
    pub coverage: SuiteCoverage,
    /// What the search knows, if it was asked for.
    pub explanation: Option<Explanation>,
    /// With [`Options::explain_sequences`]: influence, candidate sequences and what became of them, as text.
    pub sequences: Option<String>,
    /// The methods that the search did not cover in full, with the causes.
    pub unreached: Vec<Unreached>,
    /// Self-checks that failed.
    pub internal_errors: Vec<InternalError>,
    /// Queries that the solver gave up on, as text for `cupping solve`, the first few.
    pub unanswered: Vec<String>,
    /// Counters.
    pub statistics: Statistics,
    /// Work done, in the time that an ordinary machine takes for it: what counts against the budget.
    pub work: Duration,
    /// Whether the budget ended while something was uncovered and there was more to try.
    pub wants_more: bool,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// A class that has been loaded, initialised and looked at.
pub(crate) struct Prepared {
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
}

impl Session {
    /// Boots a machine on the program's JDK.
    ///
    /// # Errors
    /// [`GenerateError::Boot`].
    pub fn new(program: Arc<Program>) -> Result<Session, GenerateError> {
        Session::sized(program, cupping_machine::Limits::default().heap_words)
    }

    /// The same with so many words of memory, beyond which code sees `OutOfMemoryError`: what a state holds is kept as long
    /// as the state is, so this also bounds what a search of states costs.
    ///
    /// # Errors
    /// [`GenerateError::Boot`].
    pub fn sized(program: Arc<Program>, heap_words: u32) -> Result<Session, GenerateError> {
        // The search keeps addresses of objects while code runs.
        let limits = cupping_machine::Limits {
            heap_words,
            collect: cupping_machine::Collect::Never,
            quantum: 0,
            record_flows: true,
            ..cupping_machine::Limits::default()
        };
        let mut machine = Machine::boot(program, limits)?;
        let booted = machine.snapshot();
        Ok(Session { machine, influence: Influence::default(), booted })
    }

    /// Generates tests for the class of this internal name. `progress` is called every now and then and
    /// returns whether to go on.
    ///
    /// # Errors
    /// [`GenerateError::Class`].
    pub fn generate(
        &mut self,
        class: &str,
        options: &Options,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ClassOutcome, GenerateError> {
        let started = Instant::now();
        let Prepared { file, map, id, subject, literals } = self.prepare(class, &[], options)?;
        let mut solver = Solver::new(solver_config());
        let influence = std::mem::take(&mut self.influence);
        let mut search =
            Search::new(&mut self.machine, &mut solver, options, &map, &subject, literals, influence);
        let run = search.run(progress);
        let base = search.base().clone();
        let candidates = std::mem::take(&mut search.candidates);
        let withheld = std::mem::take(&mut search.withheld);
        let mut statistics = std::mem::take(&mut search.statistics);
        let mut internal_errors = std::mem::take(&mut search.internal_errors);
        let unanswered = std::mem::take(&mut search.unanswered);
        let trees = std::mem::take(&mut search.trees);
        let (work, wants_more) = (search.work(), search.wants_more());
        let losses = std::mem::take(&mut search.losses);
        let recollection = std::mem::take(&mut search.recollection);
        let hits = std::mem::take(&mut search.hits);
        let (unfinished, ways) = (search.unfinished(), std::mem::take(&mut search.ways));
        let influence = std::mem::take(&mut search.influence);
        let story = search.story.take();
        let counts = std::mem::take(&mut search.counts);
        drop(search);
        self.influence = influence;
        run.map_err(GenerateError::Class)?;
        let under_test: Vec<MethodId> = subject.under_test.iter().map(|it| it.method).collect();
        let ended = Ended { counts: &counts, trees: &trees, unfinished: &unfinished, ways: &ways };
        let standings = Standings::new(&self.machine, &map, &under_test, &ended);
        let unreached = losses.unreached(&mut self.machine, &mut self.influence, &subject, &map, &hits);
        let sequences = story
            .and_then(|story| explain(&mut self.machine, &mut self.influence, &subject, options, &story));
        let (mut suite, coverage) = self.write_suite(
            class,
            &subject,
            map,
            &base,
            &candidates,
            options,
            standings,
            &mut internal_errors,
        );
        let more = self.write_withheld(&base, coverage.map(), &subject.package, &candidates, &withheld);
        suite.withheld.extend(more);
        suite.recollection = Recollection {
            lost: recollection.lost,
            others: recollection.others,
            ..std::mem::take(&mut suite.recollection)
        };
        // Terms are shown last: that nothing of the search is left then saves memory.
        let shown = options.explain.then(|| ShownTrees::of(&self.machine, id, &trees));
        let explanation = shown.map(|shown| coverage.explain(&file, shown));
        statistics.solver = solver.stats();
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
            elapsed: started.elapsed(),
        })
    }

    /// The classes nested in a class that no test can name: private, local and anonymous ones. They are covered through the
    /// class or not at all.
    fn unnameable(&mut self, class: &str) -> Vec<Arc<ClassFile>> {
        let package = class.rfind('/').map_or("", |at| &class[..at]);
        let prefix = format!("{class}$");
        let names = self.machine.program.classes_of_package(package, false).unwrap_or_default();
        let mut found: Vec<Arc<ClassFile>> = Vec::new();
        // By name, so that what is nested in one of them follows it.
        for name in names.into_iter().filter(|name| name.starts_with(&prefix)) {
            let Ok(id) = self.machine.load(&name) else { continue };
            // What is nested in a class that a test can name is that class's.
            let around = name.rfind('$').map_or("", |at| &name[..at]);
            let is_ours = around == class || found.iter().any(|it| &*it.name == around);
            if is_ours && !is_nameable(&self.machine, id, package) {
                found.extend(self.machine.class(id).file.clone());
            }
        }
        found
    }

    /// The machine, for whoever analyses classes on it.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// The machine and what is known of influence.
    pub(crate) fn parts(&mut self) -> (&mut Machine, &mut Influence) {
        (&mut self.machine, &mut self.influence)
    }

    /// Goes to the state before everything and initialises a class there; coverage is measured in it and in the classes
    /// `with`.
    pub(crate) fn prepare(
        &mut self,
        class: &str,
        with: &[Box<str>],
        options: &Options,
    ) -> Result<Prepared, GenerateError> {
        self.machine.restore(&self.booted);
        // Terms and their variables start anew: what a class gets does not depend on the classes before it.
        self.machine.forget_terms();
        self.machine.limits.reasoning_elements = match options.heap {
            HeapRepresentation::Mixed => cupping_machine::Limits::default().reasoning_elements,
            HeapRepresentation::Simulation => 0,
            HeapRepresentation::Reasoning => 1 << 12,
        };
        let file = self.machine.program.require(class).map_err(|e| GenerateError::Class(e.to_string()))?;
        let mut map = CoverageMap::asking(&options.criteria.requirements());
        map.track(&file).map_err(|e| GenerateError::Class(e.to_string()))?;
        for other in with {
            let file =
                self.machine.program.require(other).map_err(|e| GenerateError::Class(e.to_string()))?;
            map.track(&file).map_err(|e| GenerateError::Class(e.to_string()))?;
        }
        let id = self.load(class)?;
        for nested in self.unnameable(class) {
            // What cannot be measured is not asked for.
            let _ = map.track(&nested);
        }
        self.machine.track(&map);
        self.machine.registers.entropy_reads = 0;
        if let Err(trap) = self.machine.initialize_class_now(id) {
            let why = self.machine.describe_trap(&trap);
            return Err(GenerateError::Class(format!("{class} cannot be initialised: {why}")));
        }
        // Identity hash codes read so far are in hash tables, which nobody sees. Seeds and times are another
        // matter: what a static initialiser made of them shows in every test.
        self.machine.registers.volatile_reads = self.machine.registers.entropy_reads;
        let mut subject = Subject::new(&mut self.machine, id, &options.methods, options.filter.access);
        subject.limit(&self.machine, options.filter.access);
        options.guidance.apply(&mut self.machine, &mut subject);
        let mut literals = options.guidance.literals(class);
        literals.extend(string_literals(&self.machine, id, 6));
        if options.exhaustive {
            subject.start_plain();
        }
        Ok(Prepared { file, map, id, subject, literals })
    }

    fn load(&mut self, class: &str) -> Result<ClassId, GenerateError> {
        self.machine.load(class).map_err(|trap| {
            let why = self.machine.describe_trap(&trap);
            let known: Vec<String> =
                self.machine.unloadable().map(|(name, why)| format!("{name}: {why}")).collect();
            GenerateError::Class(format!("{class} cannot be loaded: {why} ({})", known.join("; ")))
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one search, each used once")]
    fn write_suite(
        &mut self,
        class: &str,
        subject: &Subject,
        map: CoverageMap,
        base: &Snapshot,
        candidates: &[Candidate],
        options: &Options,
        standings: Standings,
        internal_errors: &mut Vec<InternalError>,
    ) -> (Suite, SuiteCoverage) {
        self.machine.restore(base);
        let initialisation = self.machine.registers.coverage.as_ref().clone();
        let choice = choose(candidates, &map, &initialisation, options);
        let influence = &mut self.influence;
        let statics = Statics::of(&self.machine);
        let mut recollection = Recollection::default();
        let mut unsafe_cases = Vec::new();
        let mut write = |chosen: Vec<usize>, failing: bool| {
            let mut cases = Vec::new();
            for at in chosen {
                let candidate = &candidates[at];
                match realize(&mut self.machine, base, &map, candidate) {
                    Ok(realized) => {
                        let written = write_down(&mut self.machine, candidate, &realized, &subject.package);
                        let Some((mut case, ids)) = written else { continue };
                        let machine = &mut self.machine;
                        let asserted =
                            observe(machine, influence, &mut case, &realized, &ids, &subject.package);
                        case.restores = statics.changed(machine);
                        if let Some(why) = case.danger() {
                            unsafe_cases.push(Withheld { case, why });
                            continue;
                        }
                        if let Some(was) = candidate.remembered.as_deref().map(|it| &it.test) {
                            if was.failing == failing && case.is_same_test(&was.case) {
                                case.name = Some(was.name.clone());
                                recollection.held.push(was.name.clone());
                            } else {
                                recollection.changed.push(was.name.clone());
                            }
                        }
                        let mut hits = realized.hits;
                        merge(&mut hits, &asserted);
                        let (path, leaf) = (Some(candidate.path_taken()), candidate.leaf);
                        let thrown = candidate.thrown.as_ref().map(|it| it.in_map(machine, &map));
                        cases.push((case, Reached { hits, path, leaf, thrown }));
                    }
                    Err(error) => internal_errors.push(error),
                }
            }
            cases
        };
        let (cases, failing) = (write(choice.kept, false), write(choice.failing, true));
        let none = CoverageCount::default();
        let mut suite = Suite {
            class: class.into(),
            cases: Vec::new(),
            failing: Vec::new(),
            lines: none,
            branches: none,
            criteria: Vec::new(),
            recollection,
            withheld: unsafe_cases,
        };
        let mut coverage =
            SuiteCoverage::new(map, initialisation).telling(options.criteria.clone(), standings);
        for (case, reached) in cases {
            suite.cases.push(case);
            coverage.add(false, reached);
        }
        for (case, reached) in failing {
            suite.failing.push(case);
            coverage.add(true, reached);
        }
        coverage.count(&mut suite, |_, _| true);
        (suite, coverage)
    }

    /// Writes down what was found and must not be run: the paths that cover what the candidates do not, and one of each method.
    pub(crate) fn write_withheld(
        &mut self,
        base: &Snapshot,
        map: &CoverageMap,
        package: &str,
        candidates: &[Candidate],
        withheld: &[Candidate],
    ) -> Vec<Withheld> {
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
            // How it ends without symbols does not matter: nobody runs it.
            let Ok(realized) = realize(&mut self.machine, base, map, candidate) else { continue };
            let Some((case, _)) = write_down(&mut self.machine, candidate, &realized, package) else {
                continue;
            };
            let why = case.danger().unwrap_or_default();
            written.push(Withheld { case, why });
        }
        written
    }
}

/// What one query may cost during exploration: sides whose constraints are harder are left as time-outs,
/// since there are many sides and other first values may take them.
pub(crate) fn solver_config() -> cupping_solve::Config {
    cupping_solve::Config {
        sat_conflicts: 3_000,
        z3_resources: 100_000,
        z3_bit_vectors: false,
        z3_time: Duration::from_secs(2),
        ..cupping_solve::Config::default()
    }
}
