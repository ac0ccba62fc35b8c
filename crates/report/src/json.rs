//! What `generate` found, for programs; `docs/json-schema.md` describes it.

use crate::certify::Divergence;
use crate::result::{ClassResult, Unreached};
use crate::withheld::{self, WithheldTests};
use cupping_case::{Case, Cause, CoverageCount, CriterionResult, MethodRef, OpenGoal, Outcome, Recollection};
use cupping_view::{Envelope, Problem};
use serde::Serialize;
use std::collections::BTreeMap;

/// What `generate` puts into the envelope.
#[derive(Serialize)]
pub struct Results<'a> {
    classes: Vec<Class<'a>>,
    statistics: &'a BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct Class<'a> {
    class: String,
    files: Vec<String>,
    tests: Vec<Test<'a>>,
    failing: Vec<Test<'a>>,
    preconditions: Vec<Breach<'a>>,
    coverage: Coverage,
    divergences: Vec<Dropped<'a>>,
    withheld: Vec<Withheld<'a>>,
    unreached: Vec<Missed<'a>>,
    criteria: Vec<Criterion<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corpus: Option<Corpus<'a>>,
    time_ms: u64,
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct Test<'a> {
    name: &'a str,
    class: String,
    method: Method<'a>,
    length: usize,
    covers: &'a str,
    thrown: Option<Thrown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a Cause>,
    path: Vec<Note<'a>>,
    effects: Vec<Done>,
}

#[derive(Serialize)]
struct Breach<'a> {
    method: Method<'a>,
    thrown: Option<Thrown>,
    cause: Option<&'a Cause>,
}

#[derive(Serialize)]
struct Method<'a> {
    class: String,
    name: &'a str,
    descriptor: &'a str,
}

#[derive(Serialize)]
struct Thrown {
    class: String,
    message: Option<String>,
}

#[derive(Serialize)]
struct Done {
    kind: &'static str,
    subject: String,
}

#[derive(Serialize)]
struct Note<'a> {
    place: &'a str,
    line: Option<u32>,
    constraint: &'a str,
}

#[derive(Serialize)]
struct Coverage {
    lines: Count,
    branches: Count,
}

#[derive(Serialize)]
struct Count {
    covered: u32,
    total: u32,
}

#[derive(Serialize)]
struct Criterion<'a> {
    criterion: &'static str,
    met: u32,
    unmet: u32,
    infeasible: u32,
    open: Vec<Open<'a>>,
}

#[derive(Serialize)]
struct Corpus<'a> {
    held: &'a [Box<str>],
    changed: &'a [Box<str>],
    lost: Vec<Lost<'a>>,
}

#[derive(Serialize)]
struct Lost<'a> {
    name: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct Open<'a> {
    place: &'a str,
    line: Option<u32>,
    goal: &'a str,
    standing: &'static str,
    why: &'a str,
}

#[derive(Serialize)]
struct Withheld<'a> {
    method: Method<'a>,
    tests: usize,
    why: String,
}

#[derive(Serialize)]
struct Missed<'a> {
    class: &'a str,
    name: &'a str,
    descriptor: &'a str,
    cause: &'static str,
    detail: &'a str,
}

#[derive(Serialize)]
struct Dropped<'a> {
    class: &'a str,
    test: &'a str,
    stage: &'static str,
    detail: &'a str,
}

/// The results of a run. But for times, the same results give the same bytes.
pub fn results<'a>(results: &'a [ClassResult], statistics: &'a BTreeMap<String, u64>) -> Results<'a> {
    Results { classes: results.iter().map(class).collect(), statistics }
}

/// What kept classes from being tested.
pub fn problems(results: &[ClassResult]) -> Vec<Problem> {
    let failed = results.iter().filter_map(|it| Some(Problem::of(it.class_name(), it.error.as_ref()?)));
    failed.collect()
}

/// The report of a run that ended by itself, as JSON.
pub fn report(all: &[ClassResult], statistics: &BTreeMap<String, u64>) -> String {
    let report = Envelope::new("generate", results(all, statistics)).errors(problems(all));
    // Strings, numbers and maps with string keys only: serialisation cannot fail.
    report.json().unwrap_or_default()
}

fn class(result: &ClassResult) -> Class<'_> {
    let tests = |failing| {
        result.emitted(failing).map(|(class, name, case)| test(class.binary_name(), name, case)).collect()
    };
    Class {
        class: result.class_name(),
        files: result.classes.iter().map(|class| class.path()).collect(),
        tests: tests(false),
        failing: tests(true),
        preconditions: result.suite.preconditions.iter().map(breach).collect(),
        coverage: Coverage { lines: count(result.suite.lines), branches: count(result.suite.branches) },
        divergences: result.divergences.iter().map(dropped).collect(),
        withheld: withheld::of_suite(&result.suite).into_iter().map(kept_back).collect(),
        unreached: result.unreached.iter().map(missed).collect(),
        criteria: result.suite.criteria.iter().map(criterion).collect(),
        corpus: corpus(&result.suite.recollection),
        time_ms: u64::try_from(result.elapsed.as_millis()).unwrap_or(u64::MAX),
        error: result.error.as_deref(),
    }
}

/// What became of the tests of an earlier run, where there were any.
fn corpus(recollection: &Recollection) -> Option<Corpus<'_>> {
    let Recollection { held, changed, lost, .. } = recollection;
    let lost: Vec<Lost<'_>> = lost.iter().map(|(name, why)| Lost { name, why }).collect();
    let is_told = held.len() + changed.len() + lost.len() > 0;
    is_told.then_some(Corpus { held, changed, lost })
}

fn criterion(result: &CriterionResult) -> Criterion<'_> {
    Criterion {
        criterion: result.criterion.name(),
        met: result.met,
        unmet: result.unmet,
        infeasible: result.infeasible,
        open: result.open.iter().map(open).collect(),
    }
}

fn open(goal: &OpenGoal) -> Open<'_> {
    let OpenGoal { place, line, text, standing, why } = goal;
    Open { place, line: *line, goal: text, standing: standing.name(), why }
}

fn test<'a>(class: String, name: &'a str, case: &'a Case) -> Test<'a> {
    Test {
        name,
        class,
        method: method(&case.under_test),
        length: case.steps.len(),
        covers: &case.distinction,
        thrown: thrown(case),
        cause: case.cause.as_ref(),
        path: case
            .path
            .iter()
            .map(|note| Note { place: &note.place, line: note.line, constraint: &note.constraint })
            .collect(),
        effects: case
            .effects
            .iter()
            .map(|effect| Done { kind: effect.kind(), subject: effect.subject() })
            .collect(),
    }
}

fn breach(case: &Case) -> Breach<'_> {
    Breach { method: method(&case.under_test), thrown: thrown(case), cause: case.cause.as_ref() }
}

fn method(it: &MethodRef) -> Method<'_> {
    Method { class: it.class.replace('/', "."), name: &it.name, descriptor: &it.descriptor }
}

fn thrown(case: &Case) -> Option<Thrown> {
    match &case.outcome {
        Outcome::Returned => None,
        Outcome::Threw { class, message } => Some(Thrown {
            class: class.replace('/', "."),
            message: message.as_ref().map(|units| String::from_utf16_lossy(units)),
        }),
    }
}

fn count(count: CoverageCount) -> Count {
    Count { covered: count.covered, total: count.total }
}

fn missed(method: &Unreached) -> Missed<'_> {
    let Unreached { class, name, descriptor, cause, detail } = method;
    Missed { class, name, descriptor, cause, detail }
}

fn kept_back(tests: WithheldTests<'_>) -> Withheld<'_> {
    let WithheldTests { method: of, why, count } = tests;
    Withheld { method: method(of), tests: count, why }
}

fn dropped(divergence: &Divergence) -> Dropped<'_> {
    Dropped {
        class: &divergence.class,
        test: &divergence.test,
        stage: divergence.stage.name(),
        detail: &divergence.detail,
    }
}
