//! The output for classes: JSON, and the index of the pages.

use super::arguments::Arguments;
use super::findings::findings;
use super::row::Row;
use crate::frame::documents::CommandOutcome;
use crate::frame::emitted_tests::{EmittedTests, check_written};
use crate::frame::{LedgerEntry, Report};
use crate::process::exit::Status;
use crate::shared::findings::{FindingSet, ReportedFindings};
use cupping_classfile::Program;
use cupping_view::{Cell, Index, Unit};
use serde::Serialize;
use std::sync::Arc;

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

    fn status(&self, reported: &ReportedFindings) -> Status {
        if reported.open.is_empty() { Status::DONE } else { Status::WRONG }
    }

    fn summary(&self, entries: &[LedgerEntry<Row>]) -> Status {
        if self.args.out.is_none() || self.args.check.is_some() {
            return Status::DONE;
        }
        check_written(entries, |row| row.tests.as_ref())
    }
}
