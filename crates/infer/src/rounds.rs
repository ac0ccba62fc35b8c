//! The feedback loop (slides 11–17): infer, generate against the specification, select what violates it, infer again.

use crate::axioms::{self, Axiom};
use crate::explore::{Bounds, Exploration, Explorer, SolverReport};
use crate::formula::Formula;
use crate::inference::{infer, infer_relevant};
use crate::program_point::ProgramPoint;
use crate::recorder::Recording;
use crate::relevance::{is_explained_by_throws, is_relevant, needed};
use crate::sequence::{Arg, Test};
use crate::specification::Specification;
use crate::specification::ThrowsClause;
use crate::subject::Subject;
use crate::term::Phase;
use crate::trace::{Ending, Execution, Origin};
use cupping_case::Literal;
use cupping_machine::Machine;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What the user chooses.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether pre- and postconditions and invariants are inferred.
    pub axiomatic: bool,
    /// Whether axioms are inferred.
    pub algebraic: bool,
    /// The largest number of rounds.
    pub rounds: usize,
    /// How far exploration goes.
    pub bounds: Bounds,
}

impl Default for Options {
    fn default() -> Options {
        Options { axiomatic: true, algebraic: true, rounds: 12, bounds: Bounds::default() }
    }
}

/// The classification of a violating test (slide 15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Classification {
    /// The input is illegal: a precondition is missing.
    IllegalInput,
    /// The code fails on a legal input.
    Fault,
    /// The code does what no test has shown so far.
    NewBehaviour,
}

impl Classification {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Classification::IllegalInput => "illegal input",
            Classification::Fault => "fault",
            Classification::NewBehaviour => "new behaviour",
        }
    }
}

/// A test that violates the specification.
#[derive(Clone, Debug)]
pub struct SelectedTest {
    /// The test.
    pub test: Rc<Test>,
    /// Its index among the explored executions.
    pub execution: usize,
    /// What it violates, in words.
    pub violates: Vec<String>,
    /// Its classification.
    pub kind: Classification,
    /// Whether it meets all inferred preconditions, so that the basic technique finds it, too.
    pub is_guarded: bool,
}

/// A round of the loop.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The number of clauses before it.
    pub clauses: usize,
    /// The selected tests.
    pub selected: Vec<SelectedTest>,
    /// The number of preconditions that calls which return showed to be too strict.
    pub relaxed: usize,
}

/// The evidence for a clause.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The number of executions of which it held.
    pub held: usize,
    /// The test that came closest to violating it: with the most extreme arguments, then the shortest.
    pub test: Option<Rc<Test>>,
    /// All sequences of up to this many calls were tried.
    pub calls: usize,
    /// Whether the values that were tried lead to no further states.
    pub closed: bool,
    /// The solver found no violating arguments in sequences of up to this many calls; 0 if that is not known.
    pub proved: usize,
    /// Whether that leaves out calls with too many paths, which were made with tried values only.
    pub is_tried: bool,
}

impl Evidence {
    /// In words.
    pub fn text(&self) -> String {
        let test = self.test.as_ref().map_or(String::new(), |it| format!(", not broken by {it}"));
        let proved = match self.proved {
            0 => String::new(),
            calls if self.is_tried => format!(", proved up to {calls} calls with the sizes tried"),
            calls => format!(", proved up to {calls} calls"),
        };
        format!("{} executions{test}{proved}", self.held)
    }
}

/// The result of inference for a class.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Whether the axiomatic loop ran.
    pub axiomatic: bool,
    /// The specification inferred from tests alone, before anything was generated.
    pub first: Specification,
    /// The final specification.
    pub specification: Specification,
    /// The evidence for each of its clauses.
    pub evidence: Vec<Evidence>,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// Whether the last round selected nothing.
    pub fixed_point: bool,
    /// Axioms, if they were asked for.
    pub axioms: Option<Vec<Axiom>>,
    /// Rounds of the algebraic loop.
    pub algebraic: Vec<axioms::Round>,
    /// The number of recorded executions.
    pub recorded: usize,
    /// What was explored.
    pub explored: Exploration,
    /// What the solver was asked.
    pub asked: SolverReport,
}

/// Runs both loops.
pub fn infer_class(
    machine: &mut Machine,
    subject: &Subject,
    recorded: &Recording,
    options: &Options,
) -> Outcome {
    let mut explorer = Explorer::new(machine, subject, recorded, options.bounds);
    explorer.explore(recorded);
    let mut outcome =
        Outcome { recorded: recorded.executions.len(), axiomatic: options.axiomatic, ..Outcome::default() };
    if (options.bounds.interrupted)() {
        return outcome;
    }
    if options.axiomatic {
        axiomatic(subject, recorded, explorer.found(), options.rounds, &mut outcome);
        ask(subject, recorded, &mut explorer, options.bounds.paths, &mut outcome);
    }
    let explored = explorer.finish();
    if options.algebraic && !(options.bounds.interrupted)() {
        let (found, rounds) = axioms::infer(subject, &explored, options.rounds);
        outcome.axioms = Some(found);
        outcome.algebraic = rounds;
    }
    outcome.explored = explored;
    outcome
}

/// The first executions: those of tests, or else those of the shortest sequences.
fn beginning<'e>(recorded: &'e Recording, explored: &'e Exploration) -> Vec<&'e Execution> {
    if !recorded.executions.is_empty() {
        return recorded.executions.iter().collect();
    }
    let is_short = |it: &&Execution| {
        it.test.as_ref().is_some_and(|it| it.receiver.as_ref().is_none_or(|it| it.calls() <= 2))
    };
    explored.executions.iter().filter(is_short).take(60).collect()
}

fn axiomatic(
    subject: &Subject,
    recorded: &Recording,
    explored: &Exploration,
    rounds: usize,
    outcome: &mut Outcome,
) {
    let mut known = beginning(recorded, explored);
    let mut specification = infer(subject, &known);
    outcome.first = specification.clone();
    let mut added: FxHashSet<usize> = FxHashSet::default();
    for _ in 0..rounds {
        let (round, violating) = against(subject, &specification, &known, explored);
        let news: Vec<usize> = violating.into_iter().filter(|it| added.insert(*it)).collect();
        outcome.fixed_point = news.is_empty();
        outcome.rounds.push(round);
        if news.is_empty() {
            break;
        }
        known.extend(news.iter().map(|at| &explored.executions[*at]));
        specification = infer(subject, &known);
    }
    conclude(subject, recorded, explored, outcome);
}

/// The largest number of times that the solver is asked about the whole specification.
const MOST_INQUIRIES: usize = 5;

/// Asks the solver for violations until it finds none.
fn ask(
    subject: &Subject,
    recorded: &Recording,
    explorer: &mut Explorer<'_>,
    paths: usize,
    outcome: &mut Outcome,
) {
    let inquiries = if paths > 0 { MOST_INQUIRIES } else { 0 };
    for _ in 0..inquiries {
        let before = explorer.found().executions.len();
        let asked = explorer.ask(&outcome.specification);
        let explored = explorer.found();
        let known: Vec<&Execution> =
            recorded.executions.iter().chain(&explored.executions[..before]).collect();
        let (round, _) = against(subject, &outcome.specification, &known, explored);
        outcome.asked.paths += asked.paths;
        outcome.asked.questions += asked.questions;
        outcome.fixed_point = round.selected.is_empty();
        if round.selected.is_empty() {
            for (evidence, calls) in outcome.evidence.iter_mut().zip(asked.proved) {
                evidence.proved = calls;
                evidence.is_tried = asked.is_tried;
            }
            return;
        }
        outcome.rounds.push(round);
        conclude(subject, recorded, explored, outcome);
    }
}

/// Infers the specification from all executions.
fn conclude(subject: &Subject, recorded: &Recording, explored: &Exploration, outcome: &mut Outcome) {
    // Generated executions are evidence, too: clauses for which tests were too few are believed now.
    let all: Vec<&Execution> = recorded.executions.iter().chain(&explored.executions).collect();
    let is_meant_by_code =
        |point: &ProgramPoint, formula: &Formula| is_relevant(subject, point, formula, &all, explored);
    let mut specification = infer_relevant(subject, &all, &is_meant_by_code);
    // Tables drop rows beyond their bound; clauses must hold of all executions.
    specification.clauses.retain(|it| {
        let when = it.point.phase();
        all.iter().filter(|e| it.point.samples(subject, e)).all(|e| it.formula.holds(e, when) != Some(false))
    });
    specification.throws.retain(|it| violation_of_throws(subject, it, &all).is_none());
    let exact = specification.throws.clone();
    specification.clauses.retain(|it| match &it.point {
        ProgramPoint::Entry(key) => !is_explained_by_throws(subject, key, &exact, &all),
        _ => true,
    });
    let needed = needed(subject, &specification, &all);
    let mut needed = needed.into_iter();
    specification.clauses.retain(|_| needed.next().unwrap_or(true));
    outcome.evidence = specification
        .clauses
        .iter()
        .map(|it| evidence(subject, &it.point, &it.formula, &all, explored))
        .collect();
    outcome.specification = specification;
}

fn evidence(
    subject: &Subject,
    point: &ProgramPoint,
    formula: &Formula,
    all: &[&Execution],
    explored: &Exploration,
) -> Evidence {
    let when = point.phase();
    let mut found = Evidence { calls: explored.complete, closed: explored.closed, ..Evidence::default() };
    // The test with the most extreme values, and of those the shortest, tried hardest.
    let mut best = None;
    for execution in all.iter().filter(|it| point.samples(subject, it)) {
        if formula.holds(execution, when) != Some(true) {
            continue;
        }
        found.held += 1;
        let Some(test) = &execution.test else { continue };
        let calls = test.receiver.as_ref().map_or(0, |it| it.calls());
        let rank = (test.extremes(), calls.min(2), usize::MAX - calls);
        if best.is_none_or(|it| rank > it) {
            best = Some(rank);
            found.test = Some(test.clone());
        }
    }
    found
}

/// The first execution that violates a throws clause.
pub fn violation_of_throws(subject: &Subject, throws: &ThrowsClause, all: &[&Execution]) -> Option<usize> {
    all.iter().position(|it| {
        if subject.key(it.method) != throws.method {
            return false;
        }
        let thrown = matches!(&it.ending, Ending::Threw { class, .. } if **class == *throws.class);
        match throws.condition.holds(it, Phase::Before) {
            Some(true) => !thrown,
            Some(false) => thrown && throws.exact,
            None => false,
        }
    })
}

/// Holds explored executions against a specification: the violating tests, and all executions that are new.
fn against(
    subject: &Subject,
    specification: &Specification,
    known: &[&Execution],
    explored: &Exploration,
) -> (Round, Vec<usize>) {
    let mut round = Round { clauses: specification.clauses.len(), ..Round::default() };
    let legal = legal(subject, specification, explored);
    // By execution: what it violates.
    let mut violated: Vec<(usize, String)> = Vec::new();
    let mut news: Vec<usize> = Vec::new();
    for clause in &specification.clauses {
        let when = clause.point.phase();
        let breaks = |at: &usize| {
            let execution = &explored.executions[*at];
            clause.point.samples(subject, execution) && clause.formula.holds(execution, when) == Some(false)
        };
        let mut breaking = (0..explored.executions.len()).filter(breaks);
        let Some(first) = breaking.next() else { continue };
        // The first violating execution for the basic technique; the first legal one for the guarded one.
        let guarded = if legal[first] { None } else { breaking.find(|at| legal[*at]) };
        if let ProgramPoint::Entry(_) = clause.point {
            round.relaxed += 1;
            news.push(first);
            continue;
        }
        for at in [Some(first), guarded].into_iter().flatten() {
            violated.push((at, clause.formula.to_string()));
        }
    }
    for throws in &specification.throws {
        let all: Vec<&Execution> = explored.executions.iter().collect();
        if let Some(at) = violation_of_throws(subject, throws, &all) {
            news.push(at);
        }
    }
    // Exceptions that no test has shown.
    let mut shown: FxHashSet<(usize, String)> = FxHashSet::default();
    for execution in known {
        if let Ending::Threw { class, .. } = &execution.ending {
            shown.insert((execution.method, class.to_string()));
        }
    }
    for (at, execution) in explored.executions.iter().enumerate() {
        if let Ending::Threw { class, .. } = &execution.ending
            && shown.insert((execution.method, class.to_string()))
        {
            violated.push((at, format!("throws {}", class.replace('/', "."))));
        }
    }
    violated.sort_by_key(|it| it.0);
    for (at, text) in violated {
        match round.selected.last_mut().filter(|it| it.execution == at) {
            Some(selected) => selected.violates.push(text),
            None => {
                let execution = &explored.executions[at];
                let Some(test) = execution.test.clone() else { continue };
                let kind = classify(execution, legal[at]);
                let is_guarded = legal[at];
                news.push(at);
                round.selected.push(SelectedTest {
                    test,
                    execution: at,
                    violates: vec![text],
                    kind,
                    is_guarded,
                });
            }
        }
    }
    // Conditions of exceptions need calls on both sides: some that throw, some that nearly do.
    for method in 0..subject.methods.len() {
        let of = |it: &&usize| explored.executions[**it].method == method;
        if news.iter().any(|it| of(&it) && matches!(explored.executions[*it].ending, Ending::Threw { .. })) {
            let more = (0..explored.executions.len()).filter(|it| of(&it)).take(400);
            news.extend(more);
        }
    }
    news.sort_unstable();
    news.dedup();
    (round, news)
}

/// For each execution whether all calls up to it meet the inferred preconditions.
fn legal(subject: &Subject, specification: &Specification, explored: &Exploration) -> Vec<bool> {
    let mut entries: Vec<Vec<&Formula>> = vec![Vec::new(); subject.methods.len()];
    for clause in &specification.clauses {
        if let ProgramPoint::Entry(key) = &clause.point
            && let Some(method) = subject.find(key)
        {
            entries[method].push(&clause.formula);
        }
    }
    let mut states: Vec<Option<bool>> = vec![None; explored.states.len()];
    let mut all = Vec::with_capacity(explored.executions.len());
    for execution in &explored.executions {
        let meets =
            entries[execution.method].iter().all(|it| it.holds(execution, Phase::Before) != Some(false));
        let is_legal = match execution.origin {
            Origin::Explored { from: Some(from), .. } => states[from as usize].unwrap_or(true) && meets,
            _ => meets,
        };
        if let Origin::Explored { to: Some(to), .. } = execution.origin {
            let known = states[to as usize].get_or_insert(is_legal);
            *known |= is_legal;
        }
        all.push(is_legal);
    }
    all
}

/// Exceptions by which code rejects an input.
const REFUSALS: [&str; 9] = [
    "java/lang/IllegalArgumentException",
    "java/lang/IllegalStateException",
    "java/lang/UnsupportedOperationException",
    "java/util/NoSuchElementException",
    "java/util/EmptyStackException",
    "java/lang/IndexOutOfBoundsException",
    "java/lang/NumberFormatException",
    "java/util/InputMismatchException",
    "java/lang/StringIndexOutOfBoundsException",
];

/// Classifies a violating test.
fn classify(execution: &Execution, is_legal: bool) -> Classification {
    let Ending::Threw { class, declared } = &execution.ending else { return Classification::NewBehaviour };
    if *declared {
        return Classification::NewBehaviour;
    }
    let passes_null = execution
        .test
        .as_ref()
        .is_some_and(|it| it.call.arguments.iter().any(|it| matches!(it, Arg::Literal(Literal::Null))));
    let refused = REFUSALS.contains(&&**class) || passes_null && **class == *"java/lang/NullPointerException";
    if refused || !is_legal { Classification::IllegalInput } else { Classification::Fault }
}
