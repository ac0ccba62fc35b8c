//! The output for classes: JSON, and the index of the pages.

use super::arguments::Arguments;
use super::findings::findings;
use crate::frame::documents::CommandOutcome;
use crate::frame::emitted_tests::{EmittedTests, check_written};
use crate::frame::{LedgerEntry, Report};
use crate::process::exit::Status;
use crate::shared::findings::{FindingSet, SettledFindings};
use cupping_classfile::Program;
use cupping_infer::{Subject, output};
use cupping_view::{Cell, Index, Unit};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The row of a class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Its likely specification, one line each, as with `--notation text`.
    pub specification: Vec<String>,
    /// The number of its likely conditions and axioms.
    pub conditions: usize,
    /// The number of rounds.
    pub rounds: usize,
    /// Whether the last round found nothing.
    pub fixed_point: bool,
    /// The number of executions examined.
    pub executions: usize,
    /// With `--check`: what no longer holds.
    pub broken: Vec<String>,
    /// Its tests, if they were asked for.
    pub tests: Option<EmittedTests>,
    /// Why there is nothing, if so.
    pub error: Option<String>,
}

impl Row {
    /// The row of an outcome.
    pub fn of(subject: &Subject, outcome: &cupping_infer::InferenceOutcome) -> Row {
        let text = output::text::whole(subject, outcome);
        let likely = outcome.specification.clauses.len() + outcome.specification.throws.len();
        Row {
            specification: text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
            conditions: likely + outcome.axioms.as_ref().map_or(0, Vec::len),
            rounds: outcome.rounds.len() + outcome.algebraic.len(),
            fixed_point: outcome.fixed_point,
            executions: outcome.recorded + outcome.explored.executions.len(),
            ..Row::default()
        }
    }
}

#[derive(Serialize)]
struct Results {
    classes: Vec<Class>,
}

#[derive(Serialize)]
struct Class {
    class: String,
    specification: Vec<String>,
    rounds: usize,
    fixed_point: bool,
    executions: usize,
    broken: Vec<String>,
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
            let row = entry.row.clone();
            Class {
                class: entry.class.clone(),
                specification: row.specification,
                rounds: row.rounds,
                fixed_point: row.fixed_point,
                executions: row.executions,
                broken: row.broken,
                tests: row.tests,
                error: row.error,
            }
        };
        outcome.json(&Results { classes: entries.iter().map(class).collect() })
    }

    fn index(&self, entries: &[LedgerEntry<Row>]) -> String {
        let unit = |entry: &LedgerEntry<Row>| {
            let row = &entry.row;
            let has_page = row.error.is_none() && self.args.check.is_none();
            let cells = [Cell::Count(row.conditions), Cell::Count(row.rounds), Cell::Count(row.executions)];
            Unit {
                name: entry.class.clone(),
                href: has_page.then(|| format!("{}.html", entry.class)),
                cells: cells.into_iter().chain([Cell::Bad(row.broken.len())]).collect(),
                errors: entry.errors.clone(),
            }
        };
        let columns = ["Likely", "Rounds", "Executions", "Violation"];
        Index::of_classes("infer", &columns, entries.iter().map(unit).collect()).render()
    }

    fn findings(&self, entries: &[LedgerEntry<Row>]) -> FindingSet {
        findings(&self.program, entries)
    }

    fn status(&self, settled: &SettledFindings) -> Status {
        if settled.open.is_empty() { Status::DONE } else { Status::WRONG }
    }

    fn summary(&self, entries: &[LedgerEntry<Row>]) -> Status {
        if self.args.out.is_none() || self.args.check.is_some() {
            return Status::DONE;
        }
        check_written(entries, |row| row.tests.as_ref())
    }
}
