//! Reports what was found: text, documents, pages.

use super::arguments::Arguments;
use super::findings::findings;
use super::limits::other;
use crate::frame::documents::{self, CommandOutcome};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::{self, interrupted};
use crate::shared::findings::SourceFolders;
use crate::shared::write;
use cupping_classfile::Program;
use cupping_exhaust::model::JavaModel;
use cupping_exhaust::{
    CheckResult, Error, Picture, Specification, gallery, heading, report_page, results, text,
};
use cupping_relation::Instance;
use cupping_report::files::Mark;
use serde::Serialize;
use std::path::Path;

/// Reports the result of a check.
///
/// # Errors
///
/// A file cannot be written.
pub fn conclude(
    args: &Arguments,
    program: &Program,
    specification: &Specification,
    checked: &CheckResult,
) -> Result<Status, Error> {
    interrupt::closing();
    let folders = SourceFolders::of(&args.report.sources, &program.class_path().paths());
    let found = findings(program, specification, checked);
    let (reported, mut status) = args.report.findings.apply("exhaust", found, &folders);
    if !reported.open.is_empty() {
        status.add(Status::WRONG);
    }
    if interrupted() {
        status.add(Status::INTERRUPTED);
    }
    if checked.inputs > 0 {
        notes(specification);
        console::say(&text(specification, checked));
        reported.remark().iter().for_each(|remark| console::say(remark));
    }
    let outcome = CommandOutcome { command: "exhaust", status: status.word(), problems: Vec::new() };
    documents::write_json(&args.report, || outcome.json(&results(specification, checked))).map_err(other)?;
    args.report.findings.write("exhaust", &reported).map_err(other)?;
    if let Some(folder) = &args.report.html {
        write_page(args, folder, specification, &report_page(specification, checked))?;
    }
    Ok(status)
}

/// Prints the notes of a specification.
pub fn notes(specification: &Specification) {
    for note in &specification.notes {
        console::say(&format!("note: {note}\n"));
    }
}

/// The picture of an input.
pub fn picture(modelled: &JavaModel, names: &[String], instance: &Instance) -> Picture {
    Picture::of(modelled, &instance.universe, &instance.structure, names)
}

/// The names of the parameters.
pub fn names(specification: &Specification) -> Vec<String> {
    specification.plan.parameters.iter().map(|it| it.name.clone()).collect()
}

/// Shows pictures of inputs.
///
/// # Errors
///
/// A file cannot be written.
pub fn pictures(
    args: &Arguments,
    specification: &Specification,
    shown: Vec<Picture>,
) -> Result<Status, Error> {
    let mut captioned = Vec::new();
    for (at, picture) in shown.into_iter().enumerate() {
        console::say(&format!("input {}\n", at + 1));
        for line in picture.text() {
            console::say(&format!("  {line}\n"));
        }
        captioned.push((format!("input {}", at + 1), picture));
    }
    if let Some(folder) = &args.report.html {
        write_page(args, folder, specification, &gallery(&heading(specification), &captioned))?;
    }
    Ok(Status::DONE)
}

/// The number of inputs, for programs.
#[derive(Serialize)]
pub struct InputCount {
    /// Inputs.
    pub inputs: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Candidates tried, if a predicate chooses among them.
    pub candidates: Option<u64>,
}

/// Writes the number of inputs as JSON, if the user wants it.
///
/// # Errors
///
/// The file cannot be written.
pub fn write_counted(
    args: &Arguments,
    specification: &Specification,
    status: Status,
    counted: InputCount,
) -> Result<(), Error> {
    #[derive(Serialize)]
    struct Results {
        method: String,
        specification: String,
        #[serde(flatten)]
        counted: InputCount,
    }
    let method = heading(specification);
    let results = Results { method, specification: specification.file.clone(), counted };
    let outcome = CommandOutcome { command: "exhaust", status: status.word(), problems: Vec::new() };
    documents::write_json(&args.report, || outcome.json(&results)).map_err(other)
}

/// Writes the page of a report into a folder.
///
/// # Errors
///
/// The page cannot be written.
pub fn write_page(
    args: &Arguments,
    folder: &Path,
    specification: &Specification,
    page: &str,
) -> Result<(), Error> {
    let path = folder.join("index.html");
    let about = args.specification.as_ref().map_or(specification.file.clone(), |it| it.display().to_string());
    write::generated(&path, Mark::Html, "exhaust", &about, page).map_err(other)
}
