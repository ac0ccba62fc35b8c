//! The output for classes: text, JSON, and the index of the pages.

use super::arguments::Arguments;
use super::findings::findings;
use crate::frame::documents::CommandOutcome;
use crate::frame::emitted_tests::{EmittedTests, check_written};
use crate::frame::{LedgerEntry, Report};
use crate::process::exit::Status;
use crate::shared::findings::FindingSet;
use cupping_classfile::Program;
use cupping_dataflow::{Analysis, PairRow, PairVerdict};
use cupping_machine::Machine;
use cupping_view::{Cell, Index, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The row of a class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Its pairs.
    pub pairs: Vec<Pair>,
    /// The pairs that the suites exercise, numbered from 0, if there are suites.
    pub suite: Option<BTreeSet<usize>>,
    /// Its tests, if they were asked for.
    pub tests: Option<EmittedTests>,
    /// Why there is nothing, if so.
    pub error: Option<String>,
}

#[derive(Serialize)]
struct Results {
    classes: Vec<Class>,
}

#[derive(Serialize)]
struct Class {
    class: String,
    pairs: Vec<Pair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<Vec<usize>>,
    #[serde(flatten)]
    tests: Option<EmittedTests>,
    error: Option<String>,
}

/// A pair as JSON has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// Its number, from 1.
    pub number: usize,
    /// The variable.
    pub variable: String,
    /// Where it is defined, as `method:line`.
    pub definition: String,
    #[serde(rename = "use")]
    /// Where it is used.
    pub usage: String,
    verdict: String,
    why: String,
    /// The calls of the sequence that exercises it.
    pub calls: Vec<String>,
}

impl Pair {
    /// Whether a sequence exercises it.
    pub fn is_covered(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The method and the line of the use; line 1 if it is not known.
    pub fn place_of_use(&self) -> (&str, u64) {
        place(&self.usage)
    }

    /// The methods of both accesses, without their lines.
    pub fn methods(&self) -> String {
        format!("{} {}", place(&self.definition).0, place(&self.usage).0)
    }
}

/// The parts of `method:line`.
fn place(text: &str) -> (&str, u64) {
    let parts = text.rsplit_once(':').and_then(|(method, line)| Some((method, line.parse().ok()?)));
    parts.unwrap_or((text, 1))
}

impl From<PairRow> for Pair {
    fn from(row: PairRow) -> Pair {
        let PairRow { number, variable, definition, usage, kind, verdict, calls } = row;
        Pair { number, variable, definition, usage, verdict: kind.into(), why: verdict, calls }
    }
}

/// Shows what was found.
pub struct Summary {
    /// The arguments.
    pub args: &'static Arguments,
    /// The program, for the places of findings.
    pub program: Arc<Program>,
}

impl Report<Row> for Summary {
    fn absent(&self, _: &str, error: &str) -> Row {
        Row { error: Some(error.into()), ..Row::default() }
    }

    fn json(
        &self,
        entries: &[LedgerEntry<Row>],
        outcome: CommandOutcome,
    ) -> Result<String, serde_json::Error> {
        let class = |entry: &LedgerEntry<Row>| {
            let Row { pairs, suite, tests, error } = entry.row.clone();
            Class {
                class: entry.class.clone(),
                pairs,
                suite: suite.map(|pairs| pairs.into_iter().map(|pair| pair + 1).collect()),
                tests,
                error,
            }
        };
        outcome.json(&Results { classes: entries.iter().map(class).collect() })
    }

    fn index(&self, entries: &[LedgerEntry<Row>]) -> String {
        let unit = |entry: &LedgerEntry<Row>| {
            let count = |kind| entry.row.pairs.iter().filter(|it| it.verdict == kind).count();
            let counts = PairVerdict::KINDS.map(count);
            Unit {
                name: entry.class.clone(),
                href: entry.row.error.is_none().then(|| format!("{}.html", entry.class)),
                cells: [entry.row.pairs.len()].into_iter().chain(counts).map(Cell::Count).collect(),
                errors: entry.errors.clone(),
            }
        };
        let columns = ["Pairs", "Covered", "After an exception", "Infeasible", "Inconclusive"];
        Index::of_classes("dataflow", &columns, entries.iter().map(unit).collect()).render()
    }

    fn findings(&self, entries: &[LedgerEntry<Row>]) -> FindingSet {
        findings(&self.program, entries)
    }

    fn summary(&self, entries: &[LedgerEntry<Row>]) -> Status {
        // With --complete, nothing to write is the best result.
        if self.args.out.is_none() || self.args.complete {
            return Status::DONE;
        }
        check_written(entries, |row| row.tests.as_ref())
    }
}

/// The text printed about a class.
pub fn text(
    args: &Arguments,
    class: &str,
    analysis: &Analysis,
    machine: &Machine,
    exercised: Option<&BTreeSet<usize>>,
) -> String {
    let mut out = format!("{}\n\n", class.replace('/', "."));
    if args.conditions {
        out += &analysis.conditions(machine);
        out.push('\n');
    }
    out += &analysis.table(machine);
    for number in &args.trees {
        let pair = number.get() - 1;
        let Some(of) = analysis.pair(machine, pair) else {
            out += &format!("\npair {number}: there is no such pair\n");
            continue;
        };
        let tree = analysis.tree(machine, pair).unwrap_or_else(|| "  no tree was built\n".into());
        out += &format!("\npair {number}\n{of}\n{tree}");
    }
    if let Some(exercised) = exercised {
        out += &of_suite(analysis, exercised);
    }
    out.push('\n');
    out
}

/// The pairs that the user's tests exercise, and those that they miss.
fn of_suite(analysis: &Analysis, exercised: &BTreeSet<usize>) -> String {
    let is_feasible = |pair: &usize| matches!(analysis.verdicts[*pair], PairVerdict::Covered { .. });
    let all: BTreeSet<usize> =
        (0..analysis.pairs.len()).filter(is_feasible).chain(exercised.iter().copied()).collect();
    let numbers = |pairs: Vec<&usize>| -> String {
        let texts: Vec<String> = pairs.into_iter().map(|pair| (pair + 1).to_string()).collect();
        if texts.is_empty() { "none".to_owned() } else { texts.join(" ") }
    };
    format!(
        "the suite exercises {} of {} feasible pairs: {}\nmissing: {}\n",
        exercised.len(),
        all.len(),
        numbers(exercised.iter().collect()),
        numbers(all.difference(exercised).collect())
    )
}
