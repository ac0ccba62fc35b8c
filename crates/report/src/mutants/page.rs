//! The page of a source file: its lines, marked by the fate of their mutants, and the mutants that suites miss.

use super::{MutantEnd, MutantRow, Scores};
use cupping_view::code::{Mark, numbered};
use cupping_view::{Figure, Page, Table, highlight};
use maud::html;
use std::collections::BTreeMap;

/// The page of a source; `None` if it was not found or has no mutants.
pub fn page(scores: &Scores, source: usize) -> Option<String> {
    let file = scores.sources.get(source)?;
    let text = file.text.as_ref()?;
    let rows: Vec<&MutantRow> = scores.rows.iter().filter(|row| row.source == source).collect();
    if rows.is_empty() {
        return None;
    }
    let mut lines: BTreeMap<u32, Vec<&MutantRow>> = BTreeMap::new();
    for row in &rows {
        lines.entry(row.line.unwrap_or(1)).or_default().push(row);
    }
    let marks: Vec<(u32, Mark, String)> =
        lines.iter().filter_map(|(line, rows)| Some((*line, mark(rows)?, words(scores, rows)))).collect();
    let suites = scores.suites.iter().map(String::as_str);
    let heads: Vec<&str> = ["Line", "What is changed", "Operator"].into_iter().chain(suites).collect();
    let mut table = Table::new("Missed mutants", &heads);
    for row in rows.iter().filter(|row| is_missed(row)) {
        let line = row.line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        let ends = row.ends.iter().map(|end| shown(*end).to_owned());
        table.texts([line, row.what.clone(), row.operator.to_owned()].into_iter().chain(ends));
    }
    let missed = rows.iter().filter(|row| is_missed(row)).count();
    let figures = [
        Figure::count(rows.len(), "mutant", "mutants"),
        Figure::bad(missed, "missed by a suite", "missed by a suite"),
    ];
    let content = html! {
        section aria-labelledby="source-title" {
            h2 #source-title { "Source" }
            ul .legend aria-label="Legend" {
                li .full { "all mutants killed" } li .part { "not reached" } li .miss { "mutants survive" }
            }
            (numbered(text, |lines| highlight(lines.iter().copied()), &marks))
        }
        @if missed > 0 {
            section aria-labelledby="missed-title" { h2 #missed-title { "Missed" } (table) }
        }
    };
    let page = Page::new("mutants", file.path.as_str());
    Some(page.home("index.html", "All classes").figures(figures).content(content).wide().render())
}

fn is_missed(row: &MutantRow) -> bool {
    row.ends.iter().any(|end| matches!(end, MutantEnd::Survived | MutantEnd::NotReached))
}

/// The mark of a line: the worst fate of its mutants.
fn mark(rows: &[&MutantRow]) -> Option<Mark> {
    let has = |end| rows.iter().any(|row| row.ends.contains(&end));
    match () {
        () if has(MutantEnd::Survived) => Some(Mark::Miss),
        () if has(MutantEnd::NotReached) => Some(Mark::Part),
        () if has(MutantEnd::Killed) => Some(Mark::Full),
        () => None,
    }
}

/// The text of the mark: the missed mutants, with the suites that miss them if there are several suites.
fn words(scores: &Scores, rows: &[&MutantRow]) -> String {
    let of = |row: &MutantRow| {
        let ends = row.ends.iter().zip(&scores.suites).filter(|(end, _)| **end != MutantEnd::Killed);
        let ends: Vec<String> = ends
            .map(|(end, suite)| match scores.suites.len() {
                1 => shown(*end).to_owned(),
                _ => format!("{} by {suite}", shown(*end)),
            })
            .collect();
        format!("{}: {}", row.what, ends.join(", "))
    };
    let missed: Vec<String> = rows.iter().filter(|row| is_missed(row)).map(|row| of(row)).collect();
    match missed.is_empty() {
        true => format!("{} killed", rows.len()),
        false => missed.join("; "),
    }
}

fn shown(end: MutantEnd) -> &'static str {
    match end {
        MutantEnd::Killed => "killed",
        MutantEnd::Survived => "survived",
        MutantEnd::NotReached => "not reached",
        MutantEnd::NotJudged => "not judged",
        MutantEnd::OtherModule => "of another module",
    }
}
