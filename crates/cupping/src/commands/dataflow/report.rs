//! The output for classes: text, JSON, and the index of the pages.

use super::arguments::Arguments;
use super::findings::findings;
use super::row::{Pair, Row};
use crate::frame::documents::CommandOutcome;
use crate::frame::emitted_tests::{EmittedTests, check_written};
use crate::frame::{LedgerEntry, Report};
use crate::process::exit::Status;
use crate::shared::findings::FindingSet;
use cupping_classfile::Program;
use cupping_dataflow::{Analysis, PairVerdict};
use cupping_machine::Machine;
use cupping_view::{Cell, Index, Unit};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

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
