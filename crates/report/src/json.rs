//! The results of `generate` as JSON; `docs/json-schema.md` describes it.

use crate::certify::Divergence;
use crate::result::{ClassResult, UncoveredMethod};
use crate::withheld_tests::{self, WithheldTests};
use cupping_case::{
    Case, CaseNote, Cause, CoverageCount, CriterionResult, MethodRef, NoticedMutant, OpenGoal, Outcome,
    Recollection, Suite,
};
use cupping_view::{Envelope, Problem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The content of the envelope for `generate`.
#[derive(Serialize)]
pub struct Results<'a> {
    classes: Vec<&'a Class>,
    statistics: &'a BTreeMap<String, u64>,
}

/// The report on one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    class: String,
    files: Vec<String>,
    tests: Vec<TestRow>,
    failing: Vec<TestRow>,
    preconditions: Vec<Breach>,
    coverage: Coverage,
    divergences: Vec<DroppedTest>,
    withheld: Vec<WithheldTest>,
    unreached: Vec<MissedMethod>,
    criteria: Vec<Criterion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    corpus: Option<Corpus>,
    #[serde(default)]
    ended_by_clock: bool,
    time_ms: u64,
    error: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TestRow {
    name: String,
    class: String,
    method: Method,
    length: usize,
    covers: String,
    thrown: Option<ThrownException>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    path: Vec<Note>,
    effects: Vec<EmittedStatement>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Mutant>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Mutant {
    place: String,
    line: Option<u32>,
    what: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Breach {
    method: Method,
    thrown: Option<ThrownException>,
    cause: Option<Cause>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Method {
    class: String,
    name: String,
    descriptor: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ThrownException {
    class: String,
    message: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct EmittedStatement {
    kind: String,
    subject: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    place: String,
    line: Option<u32>,
    constraint: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Coverage {
    lines: Count,
    branches: Count,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Count {
    covered: u32,
    total: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Criterion {
    criterion: String,
    met: u32,
    unmet: u32,
    infeasible: u32,
    open: Vec<JsonOpenGoal>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Corpus {
    held: Vec<Box<str>>,
    changed: Vec<Box<str>>,
    lost: Vec<LostTest>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LostTest {
    name: String,
    why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JsonOpenGoal {
    place: String,
    line: Option<u32>,
    goal: String,
    standing: String,
    why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct WithheldTest {
    method: Method,
    tests: usize,
    why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct MissedMethod {
    class: String,
    name: String,
    descriptor: String,
    cause: String,
    detail: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DroppedTest {
    class: String,
    test: String,
    stage: String,
    detail: String,
    #[serde(default)]
    source: Vec<String>,
}

/// The results of a run. Except for times, the same results give the same bytes.
pub fn results<'a>(
    classes: impl IntoIterator<Item = &'a Class>,
    statistics: &'a BTreeMap<String, u64>,
) -> Results<'a> {
    Results { classes: classes.into_iter().collect(), statistics }
}

/// The errors that prevented tests of classes.
pub fn problems(results: &[ClassResult]) -> Vec<Problem> {
    let failed = results.iter().filter_map(|it| Some(Problem::of(it.class_name(), it.error.as_ref()?)));
    failed.collect()
}

/// The report of a completed run, as JSON.
pub fn report(all: &[ClassResult], statistics: &BTreeMap<String, u64>) -> String {
    let classes: Vec<Class> = all.iter().map(Class::of).collect();
    let report = Envelope::new("generate", results(&classes, statistics)).errors(problems(all));
    // Strings, numbers and maps with string keys only: serialisation cannot fail.
    report.json().unwrap_or_default()
}

impl Class {
    /// The report on a result.
    pub fn of(result: &ClassResult) -> Class {
        class(result)
    }

    /// Enters how long it took, once that is known.
    pub fn took(&mut self, elapsed: Duration) {
        self.time_ms = milliseconds(elapsed);
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn class(result: &ClassResult) -> Class {
    let tests = |failing| {
        let note = |case: &Case| note(&result.suite, failing, case);
        let all = result.emitted(failing);
        all.map(|(class, name, case)| test(class.binary_name(), name, case, note(case))).collect()
    };
    Class {
        class: result.class_name(),
        files: result.classes.iter().map(|class| class.path()).collect(),
        tests: tests(false),
        failing: tests(true),
        preconditions: result.suite.preconditions.iter().map(breach).collect(),
        coverage: Coverage { lines: count(result.suite.lines), branches: count(result.suite.branches) },
        divergences: result.divergences.iter().map(dropped).collect(),
        withheld: withheld_tests::of_suite(&result.suite).into_iter().map(withheld_test).collect(),
        unreached: result.unreached.iter().map(missed).collect(),
        criteria: result.suite.criteria.iter().map(criterion).collect(),
        corpus: corpus(&result.suite.recollection),
        ended_by_clock: result.ended_by_clock,
        time_ms: milliseconds(result.elapsed),
        error: result.error.clone(),
    }
}

/// The fate of the tests of an earlier run, if there were any.
fn corpus(recollection: &Recollection) -> Option<Corpus> {
    let Recollection { held, changed, lost, .. } = recollection;
    let lost: Vec<LostTest> =
        lost.iter().map(|(name, why)| LostTest { name: name.to_string(), why: why.clone() }).collect();
    let is_told = held.len() + changed.len() + lost.len() > 0;
    is_told.then(|| Corpus { held: held.clone(), changed: changed.clone(), lost })
}

fn criterion(result: &CriterionResult) -> Criterion {
    Criterion {
        criterion: result.criterion.name().into(),
        met: result.met,
        unmet: result.unmet,
        infeasible: result.infeasible,
        open: result.open.iter().map(open).collect(),
    }
}

fn open(goal: &OpenGoal) -> JsonOpenGoal {
    let OpenGoal { place, line, text, standing, why } = goal;
    JsonOpenGoal {
        place: place.clone(),
        line: *line,
        goal: text.clone(),
        standing: standing.name().into(),
        why: why.clone(),
    }
}

/// What a case of a suite runs and detects.
fn note(suite: &Suite, failing: bool, case: &Case) -> CaseNote {
    let cases = if failing { &suite.failing } else { &suite.cases };
    let at = cases.iter().position(|it| std::ptr::eq(it, case));
    at.and_then(|at| suite.notes.get(&(failing, at))).cloned().unwrap_or_default()
}

fn test(class: String, name: &str, case: &Case, note: CaseNote) -> TestRow {
    let mutant = |it: NoticedMutant| Mutant { place: it.place, line: it.line, what: it.what };
    TestRow {
        name: name.into(),
        class,
        method: method(&case.under_test),
        length: case.steps.len(),
        covers: case.distinction.to_string(),
        thrown: thrown(case),
        cause: case.cause.clone(),
        path: case
            .path
            .iter()
            .map(|note| Note {
                place: note.place.to_string(),
                line: note.line,
                constraint: note.constraint.to_string(),
            })
            .collect(),
        effects: case
            .effects
            .iter()
            .map(|effect| EmittedStatement { kind: effect.kind().into(), subject: effect.subject() })
            .collect(),
        lines: note.lines,
        notices: note.noticed.into_iter().map(mutant).collect(),
    }
}

fn breach(case: &Case) -> Breach {
    Breach { method: method(&case.under_test), thrown: thrown(case), cause: case.cause.clone() }
}

fn method(it: &MethodRef) -> Method {
    Method {
        class: it.class.replace('/', "."),
        name: it.name.to_string(),
        descriptor: it.descriptor.to_string(),
    }
}

fn thrown(case: &Case) -> Option<ThrownException> {
    match &case.outcome {
        Outcome::Returned => None,
        Outcome::Threw { class, message } => Some(ThrownException {
            class: class.replace('/', "."),
            message: message.as_ref().map(|units| String::from_utf16_lossy(units)),
        }),
    }
}

fn count(count: CoverageCount) -> Count {
    Count { covered: count.covered, total: count.total }
}

fn missed(method: &UncoveredMethod) -> MissedMethod {
    let UncoveredMethod { class, name, descriptor, cause, detail } = method;
    MissedMethod {
        class: class.clone(),
        name: name.clone(),
        descriptor: descriptor.clone(),
        cause: (*cause).into(),
        detail: detail.clone(),
    }
}

fn withheld_test(tests: WithheldTests<'_>) -> WithheldTest {
    let WithheldTests { method: of, why, count } = tests;
    WithheldTest { method: method(of), tests: count, why }
}

fn dropped(divergence: &Divergence) -> DroppedTest {
    DroppedTest {
        class: divergence.class.clone(),
        test: divergence.test.clone(),
        stage: divergence.stage.name().into(),
        detail: divergence.detail.clone(),
        source: divergence.source.clone(),
    }
}
