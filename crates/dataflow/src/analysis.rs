//! The analysis of a class: pairs, path summaries, deduction, confirmation by execution, and forward search.

use crate::accesses::Accesses;
use crate::account::Account;
use crate::claims::Claims;
use crate::deduce::{CallableKind, DeductionLimits, Tree};
use crate::exercised_pairs::ExercisedPairs;
use crate::flattened_class::FlatClass;
use crate::graph::ClassGraph;
use crate::pairs::{Pair, pairs};
use crate::solving::rough_config;
use crate::symbolic::{Evaluator, MethodSummary, StateVariables};
use cupping_generate::{Candidate, GenerateError, GenerateOptions, Invokable, Session, Workbench};
use cupping_machine::{ContentsAccess, ContentsOwner, FieldKeys, Machine, MethodId};
use cupping_solve::Solver;
use cupping_term::Terms;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Options of the analysis.
#[derive(Clone, Debug)]
pub struct DataflowOptions {
    /// Options of the search, which executes sequences and handles pairs that deduction leaves inconclusive. Its
    /// budget is a limit within that of the class.
    pub search: GenerateOptions,
    /// Budget for all work on a class.
    pub budget: Duration,
    /// Limits of the deduction for one pair.
    pub limits: DeductionLimits,
    /// The user's claims about loops and methods. The classes compiled from them are on the class path.
    pub claims: Arc<Claims>,
    /// Whether a pair gets its own sequence even if another pair's sequence exercises it.
    pub each: bool,
    /// Whether to use the forward search.
    pub forward: bool,
    /// Whether the forward search includes the chase of open pairs.
    pub chase: bool,
    /// Whether the analysis should end early; polled where work is counted.
    pub interrupted: fn() -> bool,
}

impl Default for DataflowOptions {
    fn default() -> DataflowOptions {
        DataflowOptions {
            search: GenerateOptions::default(),
            budget: Duration::from_secs(10),
            limits: DeductionLimits::default(),
            claims: Arc::default(),
            each: false,
            forward: true,
            chase: true,
            interrupted: || false,
        }
    }
}

/// The verdict on a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairVerdict {
    /// A sequence exercises it.
    Covered {
        /// The calls of the sequence.
        calls: Vec<String>,
        /// How it was found.
        by: SequenceSource,
    },
    /// No sequence can exercise it.
    Infeasible(Reason),
    /// Unknown; the text says what was missing.
    Inconclusive(String),
}

impl PairVerdict {
    /// The kinds of verdicts.
    pub const KINDS: [&str; 4] = ["covered", "covered after an exception", "infeasible", "inconclusive"];

    /// Its kind, as an index.
    pub fn kind(&self) -> usize {
        match self {
            PairVerdict::Covered { by: SequenceSource::AfterException, .. } => 1,
            PairVerdict::Covered { .. } => 0,
            PairVerdict::Infeasible(_) => 2,
            PairVerdict::Inconclusive(_) => 3,
        }
    }
}

/// How a sequence was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceSource {
    /// Deduction for this pair.
    Deduction,
    /// As a side effect of another pair's sequence.
    Sequence,
    /// The forward search.
    Search,
    /// A combination of the state after one run with a call of another.
    Combined,
    /// A sequence that continues after a call that throws; no other sequence is known.
    AfterException,
    /// The user's tests.
    Suite,
}

/// Why a pair is infeasible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no definition-clear path from the definition to the use.
    NoClearPath,
    /// On every definition-clear path, a call before the use throws.
    OnlyAfterException,
    /// Every sequence built backwards from the use leads to a contradiction.
    Contradiction,
}

/// The result for a class.
pub struct Analysis {
    /// The flattened class.
    pub flat: FlatClass,
    /// Its control-flow graph.
    pub graph: ClassGraph,
    /// Its definitions and uses.
    pub accesses: Accesses,
    /// Identifies pairs in the machine's records.
    pub pairs: Vec<Pair>,
    /// Verdicts by pair.
    pub exercised: ExercisedPairs,
    /// Deduction trees by pair, where deduction was tried.
    pub verdicts: Vec<PairVerdict>,
    /// Deduction trees by pair.
    pub trees: BTreeMap<usize, Tree>,
    /// Path summaries of the methods that a sequence may call, and perhaps one of what may run between calls.
    pub summaries: Vec<MethodSummary>,
    /// The kinds of these methods.
    pub kinds: Vec<CallableKind>,
    /// Their invokables.
    pub invokables: Vec<Rc<Invokable>>,
    /// Symbols of the variables.
    pub variables: StateVariables,
    /// The arena of summaries and trees.
    pub terms: Terms,
    /// Names of the constant texts and classes, whose references are numbers ([`crate::symbolic::FIRST_CONSTANT`]).
    pub constants: Vec<String>,
    /// The rest of the budget.
    pub account: Account,
    /// Contents accesses for the machine to record.
    pub watched: Vec<WatchedMethod>,
    /// Whether objects may exist that no constructor of a sequence created.
    pub has_other_objects: bool,
    /// Confirmed sequences, each with the pairs that it is kept for.
    pub tests: Vec<(Candidate, Vec<usize>)>,
    /// Pairs found infeasible that were exercised nevertheless, with the calls: errors of this analysis.
    pub refuted: Vec<(usize, Vec<String>)>,
}

impl Analysis {
    /// Whether a pair is inconclusive.
    pub fn is_open(&self, pair: usize) -> bool {
        matches!(self.verdicts[pair], PairVerdict::Inconclusive(_))
    }

    /// Whether objects change static variables of the class, which other objects use.
    pub fn shares_state(&self) -> bool {
        self.pairs.iter().any(|pair| {
            let method = self.accesses.all[pair.definition].method;
            pair.is_static && &*self.flat.methods[method].name != "<clinit>"
        })
    }

    /// Adds the pairs that the user's tests exercise. Tests may do more than deduction considers, such as
    /// using an object after an exception.
    pub fn exercised_by_suite(&mut self, exercised: &BTreeSet<usize>) {
        for pair in exercised {
            let calls = vec!["the suite".to_owned()];
            match self.verdicts[*pair] {
                PairVerdict::Covered { .. } => continue,
                PairVerdict::Infeasible(Reason::NoClearPath) => self.refuted.push((*pair, calls.clone())),
                _ => {}
            }
            self.verdicts[*pair] = PairVerdict::Covered { calls, by: SequenceSource::Suite };
        }
    }
}

/// Contents accesses of a method.
#[derive(Clone, Debug)]
pub struct WatchedMethod {
    /// Internal name of its class.
    pub class: Arc<str>,
    /// Its index there.
    pub method: usize,
    /// The accesses by bytecode offset.
    pub accesses: BTreeMap<u32, ContentsAccess>,
}

/// Opens a class and records data flow in it, its flattened superclasses, and nested classes that store to its fields.
///
/// # Errors
/// [`GenerateError::Class`].
pub fn open<'s>(
    session: &'s mut Session,
    class: &str,
    options: &DataflowOptions,
) -> Result<Workbench<'s>, GenerateError> {
    // The superclasses and nested classes are known once the class is loaded.
    let above: Vec<Box<str>> = {
        let mut bench = session.open(class, &[], &options.search)?;
        let own = bench.subject().class;
        let machine = bench.machine();
        let flat = FlatClass::of(machine, own, &BTreeSet::new());
        let nested = flat.methods.iter().filter(|body| flat.is_nested(body)).map(|body| body.class);
        let mut others: Vec<_> = flat.hierarchy.iter().skip(1).copied().chain(nested).collect();
        others.dedup();
        others.iter().map(|c| (&*machine.class(*c).name).into()).collect()
    };
    let mut bench = session.open(class, &above, &options.search)?;
    bench.use_anonymous_makers();
    Ok(bench)
}

/// The part of the budget that the paths of the methods may take, in percent.
const OF_PATHS: u64 = 20;

/// The static part: graph, pairs, path summaries.
pub fn statically(bench: &mut Workbench<'_>, options: &DataflowOptions) -> Analysis {
    let mut account = Account::open(options.budget, options.search.clock, options.interrupted);
    let class = bench.subject().class;
    let invokables = bench.invokables();
    let makers = bench.subject().makers.clone();
    let has_constants = !bench.subject().constants.is_empty();
    let entries: BTreeSet<MethodId> = invokables.iter().map(|i| i.method).collect();
    let (machine, influence) = bench.analysis();
    let flat = FlatClass::of(machine, class, &entries);
    let graph = ClassGraph::of(machine, &flat);
    let accesses = Accesses::of(machine, influence, &flat);
    // Static initialisers that ran when the machine booted were not recorded.
    let is_watched = |method: usize| {
        let body = &flat.methods[method];
        &*body.name != "<clinit>" || !machine.class(body.class).from_jdk
    };
    let pairs = pairs(&flat, &graph, &accesses, &is_watched);
    // Builders make objects by constructors that no sequence can call.
    let are_built = flat.back.makers.iter().any(|method| !flat.is_entry[*method]);
    let has_other_objects = has_constants
        || are_built
        || flat.makes_others(machine)
        || graph.changes_made(machine, &flat, &accesses);
    let watched = watched(machine, &flat, &accesses);
    for WatchedMethod { class, method, accesses } in &watched {
        machine.watch_contents(class, *method, accesses.clone());
    }
    if !watched.is_empty() {
        bench.initialise_again();
    }
    let (machine, _) = bench.analysis();
    let exercised = ExercisedPairs::new(machine, &flat, &accesses, &pairs);
    let mut terms = Terms::new();
    let variables = StateVariables::new(&mut terms, &flat);
    let mut solver = Solver::new(rough_config(options.budget));
    let mut summaries = Vec::new();
    let mut kinds = Vec::new();
    let mut called = Vec::new();
    let constants = {
        let mut evaluator =
            Evaluator::new(machine, &flat, &accesses, &mut terms, &mut solver, &variables, &options.claims);
        evaluator.limit(account.part(OF_PATHS), account.stop);
        // In class-file order.
        let mut order: Vec<&Rc<Invokable>> = invokables.iter().collect();
        order.sort_by_key(|i| flat.method(i.method));
        for invokable in order {
            if flat.method(invokable.method).is_none() {
                continue;
            }
            let is_factory =
                !invokable.is_constructor() && makers.iter().any(|m| m.method == invokable.method);
            summaries.push(if is_factory {
                evaluator.summarize_factory(invokable.method, &invokable.parameters)
            } else {
                // What an anonymous subclass returns is no parameter of the constructor.
                evaluator.summarize(invokable.method, invokable.own_parameters())
            });
            kinds.push(if invokable.is_constructor() || is_factory {
                CallableKind::Constructor
            } else if invokable.has_receiver() {
                CallableKind::OnObject
            } else {
                CallableKind::Static
            });
            called.push(invokable.clone());
        }
        // It is the last, and has no invokable.
        if let Some(summary) = evaluator.summarize_deferred(&graph.on_others) {
            summaries.push(summary);
            kinds.push(CallableKind::OnObject);
        }
        account.charge(evaluator.work());
        evaluator.into_constants()
    };
    let nothing = PairVerdict::Inconclusive("it was not searched for".to_owned());
    let verdicts = pairs
        .iter()
        .map(|pair| match pair {
            Pair { has_clear_path: false, .. } => PairVerdict::Infeasible(Reason::NoClearPath),
            Pair { has_path_of_returns: false, .. } => PairVerdict::Infeasible(Reason::OnlyAfterException),
            _ => nothing.clone(),
        })
        .collect();
    Analysis {
        flat,
        graph,
        accesses,
        pairs,
        exercised,
        verdicts,
        trees: BTreeMap::new(),
        summaries,
        kinds,
        invokables: called,
        variables,
        terms,
        constants,
        account,
        watched,
        has_other_objects,
        tests: Vec::new(),
        refuted: Vec::new(),
    }
}

/// Contents accesses by method.
fn watched(machine: &Machine, flat: &FlatClass, accesses: &Accesses) -> Vec<WatchedMethod> {
    let mut found: BTreeMap<usize, WatchedMethod> = BTreeMap::new();
    let mut watch = |method: usize, at: usize, variable: usize, owner: ContentsOwner, is_definition: bool| {
        let variable = &flat.variables[variable];
        let keys = FieldKeys::new(&machine.class(variable.class).name, &variable.name);
        let body = &flat.methods[method];
        let field = if variable.is_static { keys.of_static } else { keys.of_object };
        let of_method = found.entry(method).or_insert_with(|| WatchedMethod {
            class: machine.class(body.class).name.clone(),
            method: machine.method(body.method).index,
            accesses: BTreeMap::new(),
        });
        let pc = body.instructions[at].pc;
        of_method.accesses.insert(pc, ContentsAccess { field, owner, is_definition });
    };
    for access in accesses.all.iter().filter(|a| a.is_contents) {
        let owner = match (flat.variables[access.variable].is_static, access.on_this) {
            (true, _) => ContentsOwner::Static,
            (_, true) => ContentsOwner::This,
            _ => ContentsOwner::Another { depth: access.depth },
        };
        for at in access.places() {
            watch(access.method, at, access.variable, owner, access.is_definition);
        }
    }
    for (method, at, variable) in &accesses.fetches {
        watch(*method, *at, *variable, ContentsOwner::Fetched, false);
    }
    found.into_values().collect()
}
