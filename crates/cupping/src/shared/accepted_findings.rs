//! `--accept` and `--reason`: known or intended findings, each with its reason, in a file of the user's.
//!
//! One file may serve several commands, since identities differ.

use crate::shared::write;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of commands whose findings may be accepted.
#[derive(Clone, Debug, Default, Args)]
pub struct AcceptArgs {
    /// File of findings that are known or intended, as --reason recorded them: they are not reported
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub accept: Option<PathBuf>,

    /// Add the reported findings to the file of --accept, with this reason
    #[arg(long, value_name = "TEXT", requires = "accept", help_heading = "Output")]
    pub reason: Option<String>,
}

impl AcceptArgs {
    /// Reads the file, if there is one; with a reason it may be missing.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is not such a file.
    pub fn read(&self) -> Result<Option<AcceptedFindings>, String> {
        self.accept.as_deref().map(|file| AcceptedFindings::read(file, self.reason.is_some())).transpose()
    }
}

/// A finding that may be accepted.
#[derive(Debug)]
pub struct AcceptableFinding<'f> {
    /// Its stable identifier across runs.
    pub id: &'f str,
    /// The method or test that it is about.
    pub method: &'f str,
    /// The old value.
    pub old: &'f str,
    /// The new value.
    pub new: &'f str,
    /// Why it is not reported, if so.
    pub accepted: &'f mut Option<String>,
}

/// A file of accepted findings.
#[derive(Debug)]
pub struct AcceptedFindings {
    path: PathBuf,
    file: File,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    accepted: Vec<AcceptedRow>,
}

/// An accepted finding. The identity decides; the other fields are for readers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedRow {
    id: String,
    reason: String,
    method: String,
    old: String,
    new: String,
}

impl AcceptedFindings {
    /// Reads a file, which may be missing if `may_be_new`.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is not such a file.
    fn read(path: &Path, may_be_new: bool) -> Result<AcceptedFindings, String> {
        let file = match fs::read_to_string(path) {
            Err(_) if may_be_new && !path.exists() => File::default(),
            Err(error) => {
                let shown = path.display();
                return Err(format!("{shown}: {error}; make it with --accept {shown} --reason TEXT"));
            }
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                format!(
                    "{}: {error}; a file of --accept has rows of id, reason, method, old and new",
                    path.display()
                )
            })?,
        };
        Ok(AcceptedFindings { path: path.to_owned(), file })
    }

    /// Marks the findings that are accepted. With a reason, all are accepted, and the file is written.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn apply<'f>(
        &mut self,
        reason: Option<&str>,
        findings: impl Iterator<Item = AcceptableFinding<'f>>,
    ) -> Result<(), String> {
        for AcceptableFinding { id, method, old, new, accepted } in findings {
            let known = self.file.accepted.iter().find(|it| it.id == id).map(|it| it.reason.clone());
            *accepted = accepted.take().or(known);
            if let (None, Some(reason)) = (&accepted, reason) {
                *accepted = Some(reason.to_owned());
                let [id, reason, method, old, new] = [id, reason, method, old, new].map(str::to_owned);
                self.file.accepted.push(AcceptedRow { id, reason, method, old, new });
            }
        }
        if reason.is_some() { self.write() } else { Ok(()) }
    }

    /// Accepted entries that match none of these findings: their methods or tests.
    pub fn unused<'f>(&self, found: impl Iterator<Item = &'f str>) -> Vec<String> {
        let found: BTreeSet<&str> = found.collect();
        let rows = self.file.accepted.iter().filter(|it| !found.contains(it.id.as_str()));
        rows.map(|it| it.method.clone()).collect()
    }

    /// Writes the file, sorted by method.
    ///
    /// # Errors
    /// It cannot be written.
    fn write(&mut self) -> Result<(), String> {
        self.file.accepted.sort_by(|a, b| (&a.method, &a.id).cmp(&(&b.method, &b.id)));
        let text = serde_json::to_string_pretty(&self.file).map_err(|error| error.to_string())? + "\n";
        write::file(&self.path, text.as_bytes(), "name another file with --accept")
    }
}
