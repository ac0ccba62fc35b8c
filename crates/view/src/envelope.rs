//! The JSON object around every command's results; `docs/json-schema.md` describes it.
//!
//! A program that reads reports checks [`SCHEMA`] and the version once, whatever the command, and finds status and
//! errors in the same place. The command's findings are in `results`, which each command defines.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The name of the schema.
pub const SCHEMA: &str = "cupping-report";

/// Increased when a field of the envelope or of any command's results changes its meaning or is removed. New fields
/// do not count.
pub const SCHEMA_VERSION: u32 = 2;

/// A command's report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope<T> {
    /// [`SCHEMA`].
    pub schema: Cow<'static, str>,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The command: `generate`, `infer`, …
    pub command: Cow<'static, str>,
    /// The version of Cupping.
    pub version: Cow<'static, str>,
    /// Whether the command did what it was asked for.
    pub status: Status,
    /// The errors, in the order of the classes.
    pub errors: Vec<Problem>,
    /// The command's results.
    pub results: T,
}

/// The status of a command. Ordered: the worst of several is their maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Everything requested was done, whatever was found.
    #[default]
    Complete,
    /// Something was left out; `errors` says what and why.
    Partial,
    /// The user stopped it; the results are those so far.
    Interrupted,
    /// Nothing was done.
    Failed,
}

/// An error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The class, method or specification that it concerns, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The message.
    pub message: String,
    /// The remedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Problem {
    /// A problem that has only a message.
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), ..Problem::default() }
    }

    /// A problem of a class, method or specification.
    pub fn of(subject: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { subject: Some(subject.into()), ..Problem::new(message) }
    }
}

impl<T> Envelope<T> {
    /// The report of a command that did everything requested.
    pub fn new(command: impl Into<Cow<'static, str>>, results: T) -> Envelope<T> {
        Envelope {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            command: command.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            status: Status::Complete,
            errors: Vec::new(),
            results,
        }
    }

    /// The report with this status, unless its present one is worse.
    #[must_use]
    pub fn status(mut self, status: Status) -> Envelope<T> {
        self.status = self.status.max(status);
        self
    }

    /// The report with these errors, which make it at least [`Status::Partial`].
    #[must_use]
    pub fn errors(mut self, errors: impl IntoIterator<Item = Problem>) -> Envelope<T> {
        self.errors.extend(errors);
        let status = if self.errors.is_empty() { Status::Complete } else { Status::Partial };
        self.status(status)
    }
}

impl<T: Serialize> Envelope<T> {
    /// The report as pretty JSON with a final newline. The same report gives the same bytes.
    ///
    /// # Errors
    /// The results cannot be written as JSON: they have a map whose keys are not strings.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_envelopes_are_read_back() {
        let problem =
            Problem { line: Some(3), help: Some("name another".into()), ..Problem::of("a.B", "not found") };
        let report = Envelope::new("infer", vec![1, 2]).errors([problem]);
        let json = report.json().unwrap();
        let fields = [
            "\"schema\": \"cupping-report\"",
            "\"command\": \"infer\"",
            "\"status\": \"partial\"",
            "\"line\": 3",
        ];
        assert!(fields.iter().all(|it| json.contains(it)) && !json.contains("column"), "{json}");
        assert_eq!(serde_json::from_str::<Envelope<Vec<u32>>>(&json).unwrap(), report);
    }

    #[test]
    fn the_worst_status_stays() {
        let report = Envelope::new("generate", ()).status(Status::Interrupted).errors([Problem::new("x")]);
        assert_eq!(report.status, Status::Interrupted);
        assert_eq!(Envelope::new("generate", ()).errors([]).status, Status::Complete);
    }
}
