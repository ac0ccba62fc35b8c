//! Mutants in the report schema of mutation-testing-elements, version 2, which viewers of several mutation testing
//! tools read. It has one status for each mutant: the best that a suite achieved.

use super::{MutantEnd, MutantRow, Scores};
use serde::Serialize;
use std::collections::BTreeMap;

/// Percentages from which viewers show a score as high, and as medium.
const THRESHOLDS: Thresholds = Thresholds { high: 80, low: 60 };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    schema_version: &'static str,
    thresholds: Thresholds,
    framework: Framework,
    files: BTreeMap<&'a str, File<'a>>,
}

#[derive(Clone, Copy, Serialize)]
struct Thresholds {
    high: u8,
    low: u8,
}

#[derive(Serialize)]
struct Framework {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct File<'a> {
    language: &'static str,
    source: String,
    mutants: Vec<Mutant<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mutant<'a> {
    id: String,
    mutator_name: &'a str,
    description: String,
    location: Location,
    status: &'static str,
}

#[derive(Serialize)]
struct Location {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

/// The report. Bytecode has only line numbers, so a mutant covers its whole line. A missing source is replaced by
/// empty lines.
pub fn json(scores: &Scores) -> String {
    let mut files: BTreeMap<&str, File<'_>> = BTreeMap::new();
    for (number, row) in scores.rows.iter().enumerate() {
        let Some(source) = scores.sources.get(row.source) else { continue };
        let file = files.entry(&source.path).or_insert_with(|| File {
            language: "java",
            source: source.text.clone().unwrap_or_else(|| blank(scores, row.source)),
            mutants: Vec::new(),
        });
        let line = row.line.unwrap_or(1).max(1);
        let length = file.source.lines().nth(line as usize - 1).map_or(0, |text| text.chars().count());
        file.mutants.push(Mutant {
            id: number.to_string(),
            mutator_name: row.pit.unwrap_or(row.operator),
            description: format!("{} {}: {}", row.class, row.method, row.what),
            location: Location {
                start: Position { line, column: 1 },
                // Behind the last character.
                end: Position { line, column: u32::try_from(length).unwrap_or(u32::MAX - 2).max(1) + 1 },
            },
            status: status(row),
        });
    }
    let framework = Framework { name: "Cupping", version: env!("CARGO_PKG_VERSION") };
    let report = Report { schema_version: "2", thresholds: THRESHOLDS, framework, files };
    // Strings, numbers and lists only, so serialisation cannot fail.
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

/// As many lines as the mutants need.
fn blank(scores: &Scores, source: usize) -> String {
    let lines = scores.rows.iter().filter(|row| row.source == source).filter_map(|row| row.line);
    "\n".repeat(lines.max().unwrap_or(1) as usize)
}

fn status(row: &MutantRow) -> &'static str {
    let has = |end| row.ends.contains(&end);
    match () {
        () if has(MutantEnd::Killed) => "Killed",
        () if has(MutantEnd::Survived) => "Survived",
        () if has(MutantEnd::NotReached) => "NoCoverage",
        () => "Pending",
    }
}
