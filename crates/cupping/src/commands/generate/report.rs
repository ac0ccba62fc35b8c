//! The summary, the JSON report and the index.

use super::arguments::Arguments;
use super::conclude::{Row, absent};
use super::findings::findings;
use super::statistics::Totals;
use crate::frame::documents::CommandOutcome;
use crate::frame::{LedgerEntry, Report};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::shared::emit::nothing_written;
use crate::shared::findings::FindingSet;
use crate::shared::selection::Selection;
use crate::shared::workspace_edit::WorkspaceEdit;
use cupping_classfile::Program;
use cupping_report::files::ProposedFiles;
use cupping_report::outline::Outline;
use cupping_report::{html, json, summary};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Shows what was generated.
pub struct Summary {
    args: &'static Arguments,
    /// The program, for the places of findings.
    program: Arc<Program>,
    selection: Arc<Selection>,
    /// The proposed files, if nothing is written.
    edits: Option<ProposedFiles>,
    /// Counters of all classes.
    pub totals: Arc<Mutex<Totals>>,
}

impl Summary {
    /// For these arguments.
    pub fn new(
        args: &'static Arguments,
        program: &Arc<Program>,
        selection: &Arc<Selection>,
        edits: Option<ProposedFiles>,
    ) -> Summary {
        let (program, selection) = (Arc::clone(program), Arc::clone(selection));
        Summary { args, program, selection, edits, totals: Arc::default() }
    }

    fn print(&self, done: &[&Outline]) {
        if !done.is_empty() {
            console::say(&summary::summary(done, console::has_colour()));
            let files: usize = done.iter().map(|it| it.files).sum();
            let plural = if files == 1 { "file" } else { "files" };
            console::say(&format!("\n{files} {plural} written to {}\n", self.args.out.display()));
            if let Some(folder) = &self.args.report.html {
                console::say(&format!("pages: {}\n", folder.join("index.html").display()));
            }
        }
        let skipped: usize = self.selection.skipped.values().sum();
        if skipped > 0 {
            console::say(&format!("{skipped} classes skipped: {}\n", self.selection.skipped_kinds()));
        }
        if self.args.stats {
            console::say(&self.totals.lock().unwrap_or_else(PoisonError::into_inner).text());
        }
    }
}

/// The results with the edit that would add the tests.
#[derive(Serialize)]
struct WithEdit<'a> {
    #[serde(flatten)]
    results: json::Results<'a>,
    edit: WorkspaceEdit,
}

fn outlines(entries: &[LedgerEntry<Row>]) -> Vec<&Outline> {
    entries.iter().map(|it| &it.row.outline).collect()
}

/// The counters of all classes, and the number of internal errors.
fn counters(entries: &[LedgerEntry<Row>]) -> BTreeMap<String, u64> {
    let errors = entries.iter().map(|it| it.internal_errors as u64).sum();
    let mut sum = Totals::default().counters();
    sum.insert("internal_errors".into(), errors);
    for (name, count) in entries.iter().flat_map(|it| &it.row.counters) {
        *sum.entry(name.clone()).or_default() += count;
    }
    sum
}

impl Report<Row> for Summary {
    fn absent(&self, class: &str, error: &str) -> Row {
        absent(class, error)
    }

    fn json(
        &self,
        entries: &[LedgerEntry<Row>],
        outcome: CommandOutcome,
    ) -> Result<String, serde_json::Error> {
        let counters = counters(entries);
        let results = json::results(entries.iter().map(|it| &it.row.outline.json), &counters);
        match &self.edits {
            None => outcome.json(&results),
            Some(files) => {
                let files = files.lock().unwrap_or_else(PoisonError::into_inner);
                outcome.json(&WithEdit { results, edit: WorkspaceEdit::creating(&files) })
            }
        }
    }

    fn index(&self, entries: &[LedgerEntry<Row>]) -> String {
        html::index_page(&outlines(entries))
    }

    fn findings(&self, entries: &[LedgerEntry<Row>]) -> FindingSet {
        findings(&self.program, entries)
    }

    fn summary(&self, entries: &[LedgerEntry<Row>]) -> Status {
        let mut done = outlines(entries);
        done.retain(|it| it.error.is_none());
        self.print(&done);
        for note in entries.iter().flat_map(|it| &it.row.notes) {
            console::say(&format!("note: {note}\n"));
        }
        let dropped: usize = done.iter().map(|it| it.wrong).sum();
        if dropped > 0 {
            let tests = if dropped == 1 {
                "test did not hold on the JDK and was"
            } else {
                "tests did not hold on the JDK and were"
            };
            console::error(&format!("{dropped} {tests} not written"));
        }
        let all_done = self.selection.errors.is_empty()
            && entries.iter().all(|it| [Status::DONE, Status::LATE].contains(&it.status));
        let is_empty = entries.iter().all(|it| it.row.outline.files == 0);
        if all_done && is_empty && !interrupted() { nothing_written() } else { Status::DONE }
    }
}
