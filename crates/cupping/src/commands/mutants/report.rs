//! The scores as a page.

use cupping_report::mutants::{End, Scores};
use cupping_view::{Cell, Index, Unit};
use std::collections::BTreeMap;

/// The classes with what each suite notices; the mutants that all suites miss are named.
pub fn page(scores: &Scores) -> String {
    let mut classes: BTreeMap<&str, Unit> = BTreeMap::new();
    for row in &scores.rows {
        let unit = classes.entry(&row.class).or_insert_with(|| Unit {
            name: row.class.clone(),
            cells: scores.suites.iter().map(|_| Cell::Share(0, 0)).collect(),
            ..Unit::default()
        });
        for (cell, end) in unit.cells.iter_mut().zip(&row.ends) {
            if let (Cell::Share(killed, judged), true) = (cell, *end != End::NotJudged) {
                *killed += u64::from(*end == End::Killed);
                *judged += 1;
            }
        }
        if row.ends.iter().all(|end| matches!(end, End::Survived)) {
            let line = row.line.map_or_else(|| "?".into(), |line| line.to_string());
            unit.errors.push(format!("line {line}: {} ({}) survives", row.what, row.operator));
        }
    }
    // The headings are those of the suites' numbers: the page's columns are fixed texts.
    let columns: Vec<&'static str> =
        (0..scores.suites.len()).map(|at| SUITES.get(at).copied().unwrap_or("Suite")).collect();
    Index::of_classes("mutants", &columns, classes.into_values().collect()).render()
}

/// Headings, as the table in the terminal numbers suites.
const SUITES: [&str; 4] = ["Suite 1", "Suite 2", "Suite 3", "Suite 4"];
