//! `--accept`: differences that are meant, with the reason.

use crate::shared::write;
use cupping_report::differences::Differences;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    accepted: Vec<Row>,
}

/// A difference that is meant. The identity decides; the rest is for people.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    reason: String,
    method: String,
    old: String,
    new: String,
}

/// Marks what the file accepts; with a reason, adds all the rest to the file first.
///
/// # Errors
/// The file cannot be read or written.
pub fn apply(file: &Path, reason: Option<&str>, all: &mut Differences) -> Result<(), String> {
    let mut known = read(file, reason.is_some())?;
    let reasons: BTreeMap<String, String> =
        known.accepted.iter().map(|it| (it.id.clone(), it.reason.clone())).collect();
    for example in all.causes.iter_mut().flat_map(|it| &mut it.examples) {
        example.accepted = reasons.get(&example.id).cloned();
        if let (None, Some(reason)) = (&example.accepted, reason) {
            example.accepted = Some(reason.to_owned());
            known.accepted.push(Row {
                id: example.id.clone(),
                reason: reason.to_owned(),
                method: example.method.clone(),
                old: example.old.clone(),
                new: example.new.clone(),
            });
        }
    }
    if reason.is_none() {
        return Ok(());
    }
    known.accepted.sort_by(|a, b| (&a.method, &a.id).cmp(&(&b.method, &b.id)));
    let text = serde_json::to_string_pretty(&known).map_err(|error| error.to_string())? + "\n";
    write::file(file, text.as_bytes(), "name another file with --accept")
}

fn read(file: &Path, may_be_new: bool) -> Result<Accepted, String> {
    if may_be_new && !file.exists() {
        return Ok(Accepted::default());
    }
    let text = fs::read_to_string(file).map_err(|error| {
        format!("{}: {error}; make it with --accept {} --reason TEXT", file.display(), file.display())
    })?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}; see docs/diff.md", file.display()))
}
