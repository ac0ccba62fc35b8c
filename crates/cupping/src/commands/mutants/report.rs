//! The scores as pages, and for other tools.

use super::arguments::Arguments;
use crate::frame::documents;
use crate::shared::write;
use cupping_report::files::Mark;
use cupping_report::mutants::page::page as source_page;
use cupping_report::mutants::{MutantEnd, Scores};
use cupping_view::{Cell, Index, Unit, page_file};
use std::collections::BTreeMap;

/// Writes the requested documents besides the table: pages, and the schema of other tools.
///
/// # Errors
///
/// A file cannot be written.
pub fn write(args: &Arguments, scores: &Scores) -> Result<(), String> {
    if let Some(file) = &args.mutation_json {
        let text = cupping_report::mutants::elements::json(scores);
        write::file(file, text.as_bytes(), "name another file with --mutation-json")?;
    }
    let Some(folder) = &args.report.html else { return Ok(()) };
    let pages = (0..scores.sources.len()).filter_map(|at| Some((at, source_page(scores, at)?)));
    for (at, page) in pages {
        let source = &scores.sources[at].path;
        write::generated(&folder.join(page_file(source)), Mark::Html, "mutants", source, &page)?;
    }
    documents::write_index(&args.report, "mutants", || page(scores))
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
            if let (Cell::Share(killed, judged), true) = (cell, *end != MutantEnd::NotJudged) {
                *killed += u64::from(*end == MutantEnd::Killed);
                *judged += 1;
            }
        }
        if row.ends.iter().all(|end| matches!(end, MutantEnd::Survived)) {
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
