//! The summary, the JSON report and the index.

use super::arguments::Arguments;
use super::conclude::{Row, absent};
use super::statistics::Totals;
use crate::frame::documents::Outcome;
use crate::frame::{Entry, Report};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::shared::emit::nothing_written;
use crate::shared::selection::Selection;
use cupping_report::certify::Stage;
use cupping_report::result::ClassResult;
use cupping_report::{html, json, summary};
use std::sync::{Arc, Mutex, PoisonError};

/// Shows what was generated.
pub struct Summary {
    args: &'static Arguments,
    selection: Arc<Selection>,
    /// Counters of all classes.
    pub totals: Arc<Mutex<Totals>>,
}

impl Summary {
    /// For these arguments.
    pub fn new(args: &'static Arguments, selection: Arc<Selection>) -> Summary {
        Summary { args, selection, totals: Arc::default() }
    }

    fn totals(&self, entries: &[Entry<Row>]) -> Totals {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone();
        totals.internal_errors = entries.iter().map(|it| it.internal_errors as u64).sum();
        totals
    }

    fn print(&self, done: &[ClassResult], totals: &Totals) {
        if !done.is_empty() {
            console::say(&summary::summary(done, console::has_colour()));
            let files: usize = done.iter().map(|it| it.classes.len()).sum();
            let plural = if files == 1 { "file" } else { "files" };
            console::say(&format!("\n{files} {plural} written to {}\n", self.args.out.display()));
            if let Some(folder) = &self.args.report.html {
                console::say(&format!("pages to look at: {}\n", folder.join("index.html").display()));
            }
        }
        let skipped: usize = self.selection.skipped.values().sum();
        if skipped > 0 {
            console::say(&format!("{skipped} classes skipped: {}\n", self.selection.skipped_kinds()));
        }
        if self.args.stats {
            console::say(&totals.text());
        }
    }
}

fn results(entries: &[Entry<Row>]) -> Vec<ClassResult> {
    entries.iter().map(|it| it.row.result.clone()).collect()
}

impl Report<Row> for Summary {
    fn absent(&self, class: &str, error: &str) -> Row {
        Row { result: absent(class, error), notes: Vec::new() }
    }

    fn json(&self, entries: &[Entry<Row>], outcome: Outcome) -> Result<String, serde_json::Error> {
        let results = results(entries);
        outcome.json(&json::results(&results, &self.totals(entries).counters()))
    }

    fn index(&self, entries: &[Entry<Row>]) -> String {
        html::index_page(&results(entries))
    }

    fn summary(&self, entries: &[Entry<Row>]) -> Status {
        let mut done = results(entries);
        done.retain(|it| it.error.is_none());
        self.print(&done, &self.totals(entries));
        for note in entries.iter().flat_map(|it| &it.row.notes) {
            console::say(&format!("note: {note}\n"));
        }
        let dropped = done.iter().flat_map(|it| &it.divergences);
        let dropped = dropped.filter(|it| it.stage != Stage::NotRun).count();
        if dropped > 0 {
            let tests = if dropped == 1 {
                "test did not hold on the JDK and was"
            } else {
                "tests did not hold on the JDK and were"
            };
            console::error(&format!("{dropped} {tests} not written"));
        }
        let all_done = self.selection.errors.is_empty() && entries.iter().all(|it| it.status == Status::DONE);
        let is_empty = entries.iter().all(|it| it.row.result.classes.is_empty());
        if all_done && is_empty && !interrupted() { nothing_written() } else { Status::DONE }
    }
}
