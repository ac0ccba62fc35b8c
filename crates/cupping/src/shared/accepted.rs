//! `--accept` and `--reason`: findings that are known or meant, each with its reason, in a file of the user's.
//!
//! The format is that of `cupping diff --accept`: one file may serve several commands, since identities differ.

use crate::shared::write;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of accepted findings.
#[derive(Debug)]
pub struct Accepted {
    path: PathBuf,
    file: File,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    accepted: Vec<Row>,
}

/// An accepted finding. The identity decides; the rest is for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    reason: String,
    method: String,
    old: String,
    new: String,
}

impl Accepted {
    /// Reads a file, which may be missing if one `may_be_new`.
    ///
    /// # Errors
    /// It cannot be read, or is no such file.
    pub fn read(path: &Path, may_be_new: bool) -> Result<Accepted, String> {
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
        Ok(Accepted { path: path.to_owned(), file })
    }

    /// Why a finding is accepted, if it is.
    pub fn reason(&self, id: &str) -> Option<String> {
        self.file.accepted.iter().find(|it| it.id == id).map(|it| it.reason.clone())
    }

    /// Accepts a finding, unless it is accepted already.
    pub fn add(&mut self, id: &str, reason: &str, method: &str, old: &str, new: &str) {
        if self.file.accepted.iter().any(|it| it.id == id) {
            return;
        }
        let [id, reason, method, old, new] = [id, reason, method, old, new].map(str::to_owned);
        self.file.accepted.push(Row { id, reason, method, old, new });
    }

    /// What is accepted and is not among these findings: the methods or tests.
    pub fn unused<'f>(&self, found: impl Iterator<Item = &'f str>) -> Vec<String> {
        let found: BTreeSet<&str> = found.collect();
        let rows = self.file.accepted.iter().filter(|it| !found.contains(it.id.as_str()));
        rows.map(|it| it.method.clone()).collect()
    }

    /// Writes the file, sorted by method.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self) -> Result<(), String> {
        self.file.accepted.sort_by(|a, b| (&a.method, &a.id).cmp(&(&b.method, &b.id)));
        let text = serde_json::to_string_pretty(&self.file).map_err(|error| error.to_string())? + "\n";
        write::file(&self.path, text.as_bytes(), "name another file with --accept")
    }
}
