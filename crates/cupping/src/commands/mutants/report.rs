//! The scores as pages, and for other tools.

use super::arguments::Arguments;
use crate::frame::documents::{self, CommandOutcome};
use crate::shared::findings::ReportedFindings;
use crate::shared::write;
use cupping_report::files::Mark;
use cupping_report::mutants::page::page as source_page;
use cupping_report::mutants::{MutantEnd, Scores};
use cupping_view::{Cell, Index, Problem, Status, Unit, page_file};
use std::collections::BTreeMap;

/// The content of the documents: what the suites detect, of one module or of several.
#[derive(Clone)]
pub struct Documents {
    /// The mutants.
    pub scores: Scores,
    /// The status.
    pub status: Status,
    /// The errors.
    pub problems: Vec<Problem>,
    /// The mutants that all suites miss.
    pub reported: ReportedFindings,
}

impl Documents {
    /// Adds another module.
    pub fn append(&mut self, other: Documents) {
        self.scores.append(other.scores);
        self.status = self.status.max(other.status);
        self.problems.extend(other.problems);
        self.reported.append(other.reported);
    }

    /// Writes the requested documents besides the table.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write(self, args: &Arguments) -> Result<(), String> {
        let Documents { scores, status, problems, reported } = self;
        if let Some(file) = &args.mutation_json {
            let text = cupping_report::mutants::elements::json(&scores);
            write::file(file, text.as_bytes(), "name another file with --mutation-json")?;
        }
        if let Some(folder) = &args.report.html {
            let pages = (0..scores.sources.len()).filter_map(|at| Some((at, source_page(&scores, at)?)));
            for (at, page) in pages {
                let source = &scores.sources[at].path;
                write::generated(&folder.join(page_file(source)), Mark::Html, "mutants", source, &page)?;
            }
        }
        documents::write_index(&args.report, "mutants", || page(&scores))?;
        let outcome = CommandOutcome { command: "mutants", status, problems };
        documents::write_json(&args.report, || outcome.json(&scores))?;
        args.report.findings.write("mutants", &reported)
    }
}

/// The classes with the mutants that each suite detects; mutants that all suites miss are named.
fn page(scores: &Scores) -> String {
    let mut classes: BTreeMap<&str, Unit> = BTreeMap::new();
    for row in &scores.rows {
        let unit = classes.entry(&row.class).or_insert_with(|| Unit {
            name: row.class.clone(),
            href: href(scores, row.source),
            cells: scores.suites.iter().map(|_| Cell::Share(0, 0)).collect(),
            ..Unit::default()
        });
        for (cell, end) in unit.cells.iter_mut().zip(&row.ends) {
            let is_judged = !matches!(end, MutantEnd::NotJudged | MutantEnd::OtherModule);
            if let (Cell::Share(killed, judged), true) = (cell, is_judged) {
                *killed += u64::from(*end == MutantEnd::Killed);
                *judged += 1;
            }
        }
        if row.survives() {
            let line = row.line.map_or_else(|| "?".into(), |line| line.to_string());
            unit.errors.push(format!("line {line}: {} ({}) survives", row.what, row.operator));
        }
    }
    // The headings number the suites, since the page's columns are fixed texts.
    let columns: Vec<&'static str> =
        (0..scores.suites.len()).map(|at| SUITES.get(at).copied().unwrap_or("Suite")).collect();
    Index::of_classes("mutants", &columns, classes.into_values().collect()).render()
}

/// The page of a source, if it has one.
fn href(scores: &Scores, source: usize) -> Option<String> {
    let source = scores.sources.get(source)?;
    source.text.as_ref().map(|_| page_file(&source.path))
}

/// Headings, with suites numbered as in the terminal's table.
const SUITES: [&str; 4] = ["Suite 1", "Suite 2", "Suite 3", "Suite 4"];
