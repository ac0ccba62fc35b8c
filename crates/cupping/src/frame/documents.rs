//! The documents of a report: `--json`, in an envelope that all commands share, and the index of `--html`.

use crate::frame::ledger::LedgerEntry;
use crate::shared::output::ReportArgs;
use crate::shared::write;
use cupping_report::files::Mark;
use cupping_view::{Envelope, Problem, Status};
use serde::Serialize;

/// The end of a run.
#[derive(Clone, Debug)]
pub struct CommandOutcome {
    /// The command.
    pub command: &'static str,
    /// The status; problems make it at least partial.
    pub status: Status,
    /// The errors.
    pub problems: Vec<Problem>,
}

impl CommandOutcome {
    /// The JSON report with these results.
    ///
    /// # Errors
    /// The results have a map whose keys are not strings.
    pub fn json(self, results: &impl Serialize) -> Result<String, serde_json::Error> {
        Envelope::new(self.command, results).errors(self.problems).status(self.status).json()
    }
}

/// The errors of the selection, followed by those of each class.
pub fn problems<R>(selection: &[String], entries: &[LedgerEntry<R>]) -> Vec<Problem> {
    let of_class = |entry: &LedgerEntry<R>| {
        let class = entry.class.clone();
        entry.errors.clone().into_iter().map(move |error| Problem::of(class.clone(), error))
    };
    selection.iter().map(Problem::new).chain(entries.iter().flat_map(of_class)).collect()
}

/// Writes the JSON report, if the user wants one.
///
/// # Errors
/// It cannot be written.
pub fn write_json(
    args: &ReportArgs,
    json: impl FnOnce() -> Result<String, serde_json::Error>,
) -> Result<(), String> {
    let Some(file) = &args.json else { return Ok(()) };
    let text = json().map_err(|error| error.to_string())?;
    write::file(file, text.as_bytes(), "name another file with --json")
}

/// Writes `index.html`, if the user wants pages.
///
/// # Errors
/// It cannot be written.
pub fn write_index(
    args: &ReportArgs,
    command: &'static str,
    index: impl FnOnce() -> String,
) -> Result<(), String> {
    let Some(folder) = &args.html else { return Ok(()) };
    write::generated(&folder.join("index.html"), Mark::Html, command, "index", &index())
}
