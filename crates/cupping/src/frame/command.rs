//! The traits that a command implements for the frame.

use crate::frame::documents::CommandOutcome;
use crate::frame::ledger::{ClassConclusion, LedgerEntry};
use crate::process::exit::Status;
use crate::shared::findings::{FindingSet, ReportedFindings};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Processes a result on the calling thread: tests are certified and written, pages are written.
pub trait Conclude<F> {
    /// The row of a class in the summary, the JSON report and the index.
    type Row: Clone + Send + Serialize + DeserializeOwned + 'static;

    /// Concludes a class, given by its internal name.
    fn conclude(&mut self, class: &str, found: F) -> ClassConclusion<Self::Row>;
}

/// Presents the results of all classes.
pub trait Report<R>: Send + Sync {
    /// The row of a class for which there is no result.
    fn absent(&self, class: &str, error: &str) -> R;

    /// The JSON report.
    ///
    /// # Errors
    /// The results cannot be written as JSON.
    fn json(&self, entries: &[LedgerEntry<R>], outcome: CommandOutcome) -> Result<String, serde_json::Error>;

    /// The index of the pages, as HTML.
    fn index(&self, entries: &[LedgerEntry<R>]) -> String;

    /// The findings in the user's code; none if a command does not look for any.
    fn findings(&self, _: &[LedgerEntry<R>]) -> FindingSet {
        FindingSet::default()
    }

    /// The status that findings imply.
    fn status(&self, _: &ReportedFindings) -> Status {
        Status::DONE
    }

    /// Prints the messages about all classes together; returns their status.
    fn summary(&self, _: &[LedgerEntry<R>]) -> Status {
        Status::DONE
    }
}
