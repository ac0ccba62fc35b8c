//! Concludes a class: emits its tests, and writes its page, queries and corpus.

use super::pages::Pages;
use super::statistics::Totals;
use crate::frame::{ClassConclusion, Conclude};
use crate::process::exit::Status;
use crate::process::internal_errors;
use crate::shared::emit::{EmissionResult, Emitter};
use crate::shared::missing_libraries::needed_library;
use crate::shared::source_range::{MethodsAtPlace, SourceRange};
use crate::shared::write;
use cupping_case::Suite;
use cupping_classfile::Program;
use cupping_generate::{ClassOutcome, UncoveredMethod};
use cupping_report::corpus;
use cupping_report::files::Mark;
use cupping_report::outline::Outline;
use cupping_report::result::ClassResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Concludes one class after the other.
pub struct Conclusion<'a> {
    /// The program.
    pub program: &'a Program,
    /// Certifies and writes the tests.
    pub emitter: Emitter<'a>,
    /// Folder for unanswered queries, if requested.
    pub queries: Option<PathBuf>,
    /// Folder that keeps tests for the next run, if requested.
    pub corpus: Option<PathBuf>,
    /// Folder for pages, if requested.
    pub pages: Option<&'a Pages>,
    /// The lines that tests must run, if requested, with the methods there.
    pub at: Option<(&'a SourceRange, &'a MethodsAtPlace)>,
    /// Counters so far.
    pub totals: Arc<Mutex<Totals>>,
}

/// The row of a class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// For summary, JSON and index.
    pub outline: Outline,
    /// Counters of the search.
    pub counters: BTreeMap<String, u64>,
    /// Notes for the user about edited and removed files.
    pub notes: Vec<String>,
}

impl Conclude<Box<ClassOutcome>> for Conclusion<'_> {
    type Row = Row;

    fn conclude(&mut self, _: &str, found: Box<ClassOutcome>) -> ClassConclusion<Row> {
        let started = Instant::now();
        let elapsed = found.elapsed;
        let mut concluded = self.class(*found);
        let certification = started.elapsed();
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).certification += certification;
        concluded.row.outline.took(elapsed + certification);
        concluded
    }
}

impl Conclusion<'_> {
    fn class(&mut self, found: ClassOutcome) -> ClassConclusion<Row> {
        let counters = Totals::of(&found.statistics).counters();
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).add(&found.statistics);
        let (mut suite, mut coverage) = (found.suite, found.coverage);
        if let (Some((place, _)), Ok(Some(class))) = (self.at, self.program.find(&suite.class)) {
            coverage.retain(&mut suite, |line| place.has(&class, line));
        }
        coverage.note(&mut suite);
        let mut status = if found.internal_errors.is_empty() { Status::DONE } else { Status::WRONG };
        let internal_errors =
            internal_errors::record(Some(self.emitter.folder()), &suite.class, &found.internal_errors);
        let saved = self
            .queries
            .as_deref()
            .map_or(Ok(()), |folder| save_queries(folder, &suite.class, &found.unanswered));
        // The summary says why tests that were found are not written.
        let is_none_found = suite.cases.is_empty() && suite.failing.is_empty() && suite.withheld.is_empty();
        let partial = std::mem::replace(&mut self.emitter.is_partial, false);
        self.emitter.is_partial = partial || saved.is_err();
        let emitted = self.emitter.suite(&mut suite, coverage);
        self.emitter.is_partial = partial;
        let EmissionResult { classes, divergences, mut notes, status: of_tests, error, .. } = emitted;
        notes.extend(needed_library(&suite.class, &found.statistics.missing_classes));
        status.add(of_tests);
        let mut error = error.or(saved.err());
        let is_meant = |it: &UncoveredMethod| {
            self.at.is_none_or(|(_, found)| found.has(&it.class, &it.name, &it.descriptor))
        };
        let unreached: Vec<_> = found.unreached.into_iter().filter(is_meant).map(reported).collect();
        if is_none_found {
            notes.extend(why_none(&suite.class, &unreached));
        }
        let mut result = ClassResult {
            suite,
            classes,
            divergences,
            unreached,
            ended_by_clock: found.was_late,
            elapsed: Duration::ZERO,
            error: None,
        };
        if let (Some(folder), None) = (&self.corpus, &error) {
            error = corpus::write(folder, &result).err().map(|error| error.to_string());
        }
        if let (Some(pages), Some(explanation)) = (self.pages, &found.explanation)
            && let Err(problem) = pages.write(&result, explanation, self.program)
        {
            error = Some(problem.to_string());
        }
        if error.is_some() && of_tests == Status::DONE {
            status.add(Status::BAD_INPUT);
        }
        result.error.clone_from(&error);
        let count = internal_errors.len();
        let errors = internal_errors.into_iter().chain(error).collect();
        let row = Row { outline: Outline::of(&result), counters, notes };
        ClassConclusion { errors, internal_errors: count, status, ..ClassConclusion::new(row) }
    }
}

/// Writes a class's queries into files of their own.
fn save_queries(folder: &Path, class: &str, queries: &[String]) -> Result<(), String> {
    let class = class.replace('/', ".");
    for (at, query) in queries.iter().enumerate() {
        let file = folder.join(format!("{class}-{}.query", at + 1));
        write::generated(&file, Mark::Semicolon, "generate", &class, query)
            .map_err(|error| format!("{error}; --save-queries takes a folder"))?;
    }
    Ok(())
}

/// Why a class has no test: what kept the search from most of its methods.
fn why_none(class: &str, unreached: &[cupping_report::result::UncoveredMethod]) -> Option<String> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for it in unreached {
        *counts.entry((it.cause, &it.detail)).or_default() += 1;
    }
    let ((cause, detail), _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    Some(format!("{} has no test: {cause}{detail}", class.replace('/', ".")))
}

/// In the form of reports.
fn reported(method: UncoveredMethod) -> cupping_report::result::UncoveredMethod {
    let UncoveredMethod { class, name, descriptor, cause, detail } = method;
    let class = class.replace('/', ".");
    cupping_report::result::UncoveredMethod { class, name, descriptor, cause: cause.text(), detail }
}

/// A class for which there is no result.
pub fn absent(class: &str, error: &str) -> Row {
    let suite = Suite::new(class);
    let result = ClassResult {
        suite,
        classes: Vec::new(),
        divergences: Vec::new(),
        unreached: Vec::new(),
        ended_by_clock: false,
        elapsed: Duration::ZERO,
        error: Some(error.into()),
    };
    Row { outline: Outline::of(&result), counters: BTreeMap::new(), notes: Vec::new() }
}
