//! The documents of a report: `--json`, in an envelope that all commands share, and the index of `--html`.

use crate::frame::ledger::LedgerEntry;
use crate::shared::findings::ReportedFindings;
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

/// The content of the documents: what a run found, or several runs for modules of a project.
#[derive(Clone)]
pub struct Content<R> {
    /// The classes.
    pub entries: Vec<LedgerEntry<R>>,
    /// The errors of the selection.
    pub errors: Vec<String>,
    /// The findings.
    pub findings: ReportedFindings,
    /// The status.
    pub status: Status,
}

impl<R> Content<R> {
    /// Adds another module.
    pub fn append(&mut self, other: Content<R>) {
        self.entries.extend(other.entries);
        self.errors.extend(other.errors);
        self.findings.append(other.findings);
        self.status = self.status.max(other.status);
    }

    /// The end of the command, with the errors of the selection, followed by those of each class.
    pub fn outcome(&self, command: &'static str) -> CommandOutcome {
        let of_class = |entry: &LedgerEntry<R>| {
            let class = entry.class.clone();
            entry.errors.clone().into_iter().map(move |error| Problem::of(class.clone(), error))
        };
        let problems =
            self.errors.iter().map(Problem::new).chain(self.entries.iter().flat_map(of_class)).collect();
        let has_nothing = !self.entries.is_empty() && self.entries.iter().all(|it| it.status.bad_input);
        let status = if has_nothing { Status::Failed } else { self.status };
        CommandOutcome { command, status, problems }
    }
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
