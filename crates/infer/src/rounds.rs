//! The feedback loop (slides 11–17): infer, generate against the specification, select violations, infer again.

use crate::axioms;
use crate::confidence::MIN_CONFIDENCE;
use crate::explore::{Exploration, Explorer, ExplorerLimits};
use crate::formula::Formula;
use crate::inference::{infer, infer_relevant};
use crate::last_challenge::last_challenge;
use crate::outcome::{Classification, Evidence, InferenceOutcome, Round, SelectedTest};
use crate::program_point::ProgramPoint;
use crate::recorder::Recording;
use crate::refutation::{breaks, is_broken, thrown, upholds, violation_of_throws};
use crate::relevance::{is_explained_by_throws, is_relevant, needed};
use crate::sequence::Arg;
use crate::specification::{Specification, ThrowsClause};
use crate::subject::Subject;
use crate::term::Phase;
use crate::trace::{CallOutcome, Execution, ExecutionOrigin};
use crate::value::Value;
use cupping_case::Literal;
use cupping_machine::Machine;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The user's options.
#[derive(Clone, Copy, Debug)]
pub struct InferOptions {
    /// Whether pre- and postconditions and invariants are inferred.
    pub axiomatic: bool,
    /// Whether axioms are inferred.
    pub algebraic: bool,
    /// The largest number of rounds.
    pub rounds: usize,
    /// The limits of exploration.
    pub limits: ExplorerLimits,
    /// Whether output includes everything that holds, even if it says little.
    pub is_whole: bool,
    /// The least [`Evidence::confidence`] of clauses in the output.
    pub min_confidence: f64,
}

impl Default for InferOptions {
    fn default() -> InferOptions {
        InferOptions {
            axiomatic: true,
            algebraic: true,
            rounds: 12,
            limits: ExplorerLimits::default(),
            is_whole: false,
            min_confidence: MIN_CONFIDENCE,
        }
    }
}

/// Runs both loops.
pub fn infer_class(
    machine: &mut Machine,
    subject: &Subject,
    recorded: &Recording,
    options: &InferOptions,
) -> InferenceOutcome {
    let mut explorer = Explorer::new(machine, subject, recorded, options.limits);
    explorer.explore(recorded);
    let mut outcome = InferenceOutcome {
        recorded: recorded.executions.len(),
        axiomatic: options.axiomatic,
        is_whole: options.is_whole,
        ..InferenceOutcome::default()
    };
    if (options.limits.interrupted)() {
        return outcome;
    }
    if options.axiomatic {
        axiomatic(subject, recorded, explorer.found(), options.rounds, &mut outcome);
        challenge(subject, recorded, &mut explorer, options.limits.challenges, &mut outcome);
        ask(subject, recorded, &mut explorer, options.limits.paths, &mut outcome);
    }
    let known = explorer.found().executions.len();
    if options.algebraic && !(options.limits.interrupted)() {
        let (found, rounds) =
            axioms::infer_challenged(subject, &mut explorer, options.rounds, options.min_confidence);
        outcome.axioms = Some(found);
        outcome.algebraic = rounds;
    }
    if options.axiomatic {
        let limits = (options.limits.challenges, options.min_confidence);
        last_challenge(subject, &mut explorer, known, limits, &mut outcome);
    }
    outcome.explored = explorer.finish();
    let is_called = |method: &usize| {
        let mut all = recorded.executions.iter().chain(&outcome.explored.executions);
        all.any(|it| it.method == *method)
    };
    outcome.uncalled = (0..subject.methods.len()).filter(|it| !is_called(it)).collect();
    // What holds for null says little of the method.
    let executions = || recorded.executions.iter().chain(&outcome.explored.executions);
    let with_null: Vec<usize> = (0..subject.methods.len())
        .filter(|it| is_called(it) && has_null_only(executions().filter(|e| e.method == *it)))
        .collect();
    let keys: FxHashSet<String> = with_null.iter().map(|it| subject.key(*it)).collect();
    outcome.retain(subject, |key| !keys.contains(key));
    outcome.called_with_null = with_null;
    outcome
}

/// Whether an argument was null in all these executions.
fn has_null_only<'a>(mut executions: impl Iterator<Item = &'a Execution>) -> bool {
    let of = |it: &Execution| it.entry.arguments.iter().map(|it| *it == Value::Null).collect::<Vec<_>>();
    let Some(mut are_null) = executions.next().map(of) else { return false };
    executions.for_each(|it| {
        are_null.iter_mut().zip(of(it)).for_each(|(all, one)| *all &= one);
    });
    are_null.contains(&true)
}

/// The largest number of times that random calls try to break the specification before it is inferred again.
const MOST_CHALLENGES: u64 = 4;

/// Random calls try to break likely formulas; violations become evidence, until there are none.
fn challenge(
    subject: &Subject,
    recorded: &Recording,
    explorer: &mut Explorer<'_>,
    calls: usize,
    outcome: &mut InferenceOutcome,
) {
    for seed in 0..MOST_CHALLENGES {
        let specification = outcome.specification.clone();
        let mut shown: FxHashSet<(usize, Rc<str>)> = FxHashSet::default();
        for execution in recorded.executions.iter().chain(&explorer.found().executions) {
            shown.extend(thrown(execution).map(|it| (execution.method, it)));
        }
        let mut breaks = |it: &Execution| {
            let is_new = thrown(it).is_some_and(|class| shown.insert((it.method, class)));
            is_new || breaks(subject, &specification, it)
        };
        if explorer.challenge(calls, seed, &[], &mut breaks) == 0 {
            return;
        }
        conclude(subject, recorded, explorer.found(), outcome);
    }
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
    outcome: &mut InferenceOutcome,
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
    outcome: &mut InferenceOutcome,
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
        let new: Vec<&Execution> = explored.executions[before..].iter().collect();
        let is_wrong = |it: &ThrowsClause| violation_of_throws(subject, it, &new).is_some();
        let is_throws_wrong = outcome.specification.throws.iter().any(is_wrong);
        outcome.fixed_point = round.selected.is_empty();
        if round.selected.is_empty() && !is_throws_wrong {
            let proved = asked.proved.into_iter().zip(asked.tried);
            for (evidence, known) in outcome.evidence.iter_mut().zip(proved) {
                (evidence.proved, evidence.is_tried) = known;
            }
            for (evidence, known) in outcome.throws_evidence.iter_mut().zip(asked.throws) {
                (evidence.proved, evidence.is_tried) = known;
            }
            return;
        }
        outcome.rounds.push(round);
        conclude(subject, recorded, explored, outcome);
    }
}

/// Infers the specification from all executions.
fn conclude(subject: &Subject, recorded: &Recording, explored: &Exploration, outcome: &mut InferenceOutcome) {
    // Generated executions are evidence, too: clauses for which tests were too few are believed now. Executions
    // found by challenges broke likely formulas, so they come first in tables, whose rows are limited.
    let count = explored.executions.len();
    let (first, last) = explored.executions.split_at(explored.first_challenge.unwrap_or(count).min(count));
    let all: Vec<&Execution> = recorded.executions.iter().chain(last).chain(first).collect();
    let is_meant_by_code =
        |point: &ProgramPoint, formula: &Formula| is_relevant(subject, point, formula, &all, explored);
    let mut specification = infer_relevant(subject, &all, &is_meant_by_code);
    // Tables drop rows beyond their bound; clauses must hold of all executions.
    specification.clauses.retain(|it| !all.iter().any(|e| is_broken(subject, it, e)));
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
        .map(|it| {
            let when = it.point.phase();
            let holds =
                |e: &Execution| it.point.samples(subject, e) && it.formula.holds(e, when) == Some(true);
            evidence(&all, explored, &holds, &|e| upholds(subject, it, e))
        })
        .collect();
    let of_throws = |it: &ThrowsClause| {
        let is_upheld = |e: &Execution| it.is_upheld(subject, e);
        evidence(&all, explored, &is_upheld, &is_upheld)
    };
    outcome.throws_evidence = specification.throws.iter().map(of_throws).collect();
    outcome.specification = specification;
}

fn evidence(
    all: &[&Execution],
    explored: &Exploration,
    holds: &dyn Fn(&Execution) -> bool,
    tries: &dyn Fn(&Execution) -> bool,
) -> Evidence {
    let mut found = Evidence { calls: explored.complete, closed: explored.closed, ..Evidence::default() };
    // Among the tests that could have broken it, prefers the most extreme values, then the shortest.
    let mut best = None;
    for execution in all.iter().filter(|it| holds(it)) {
        found.held += 1;
        let is_tried = tries(execution);
        found.tried += usize::from(is_tried);
        let Some(test) = &execution.test else { continue };
        let is_returned = matches!(execution.ending, CallOutcome::Returned(_));
        let calls = test.receiver.as_ref().map_or(0, |it| it.calls());
        let rank = (is_tried, is_returned, test.extremes(), calls.min(2), usize::MAX - calls);
        if best.is_none_or(|it| rank > it) {
            best = Some(rank);
            found.test = Some(test.clone());
        }
    }
    found
}

/// Checks explored executions against a specification; returns the violating tests, and all new executions.
fn against(
    subject: &Subject,
    specification: &Specification,
    known: &[&Execution],
    explored: &Exploration,
) -> (Round, Vec<usize>) {
    let mut round = Round { clauses: specification.clauses.len(), ..Round::default() };
    let legal = legal(subject, specification, explored);
    // Violated formulas by execution.
    let mut violated: Vec<(usize, String)> = Vec::new();
    let mut news: Vec<usize> = Vec::new();
    for clause in &specification.clauses {
        let breaks = |at: &usize| is_broken(subject, clause, &explored.executions[*at]);
        let mut breaking = (0..explored.executions.len()).filter(breaks);
        let Some(first) = breaking.next() else { continue };
        // The basic technique takes the first violating execution, the guarded one the first legal violating
        // execution.
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
        if let CallOutcome::Threw { class, .. } = &execution.ending {
            shown.insert((execution.method, class.to_string()));
        }
    }
    for (at, execution) in explored.executions.iter().enumerate() {
        if let CallOutcome::Threw { class, .. } = &execution.ending
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
        if news
            .iter()
            .any(|it| of(&it) && matches!(explored.executions[*it].ending, CallOutcome::Threw { .. }))
        {
            let more = (0..explored.executions.len()).filter(|it| of(&it)).take(400);
            news.extend(more);
        }
    }
    news.sort_unstable();
    news.dedup();
    (round, news)
}

/// For each execution, whether all calls up to it meet the inferred preconditions.
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
            ExecutionOrigin::Explored { from: Some(from), .. } => {
                states[from as usize].unwrap_or(true) && meets
            }
            _ => meets,
        };
        if let ExecutionOrigin::Explored { to: Some(to), .. } = execution.origin {
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
    let CallOutcome::Threw { class, declared } = &execution.ending else {
        return Classification::NewBehaviour;
    };
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
