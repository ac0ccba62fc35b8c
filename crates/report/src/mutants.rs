//! The number of mutants that each of several suites detects: as a table and as JSON.

pub mod elements;
pub mod page;

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The fate of a mutant under a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MutantEnd {
    /// A test failed, or did not end.
    Killed,
    /// Tests reach it, and all pass.
    Survived,
    /// No test reaches it.
    NotReached,
    /// It could not be created, or the run was interrupted before.
    NotJudged,
    /// The suite belongs to another module of the project.
    OtherModule,
}

/// A mutant.
#[derive(Clone, Debug, Serialize)]
pub struct MutantRow {
    /// Its class, with dots.
    pub class: String,
    /// Its method: name and descriptor.
    pub method: String,
    /// Its line in the source.
    pub line: Option<u32>,
    /// The operator that made it.
    pub operator: &'static str,
    /// The name that PIT has for what was changed.
    pub pit: Option<&'static str>,
    /// The change.
    pub what: String,
    /// Its end under each suite.
    pub ends: Vec<MutantEnd>,
    /// Its source, by its place in [`Scores::sources`].
    #[serde(skip)]
    pub source: usize,
}

/// A source file.
#[derive(Clone, Debug, Default)]
pub struct SourceFile {
    /// Its path below a source folder: `org/x/Y.java`.
    pub path: String,
    /// Its text, if it was found.
    pub text: Option<String>,
}

/// All mutants under all suites.
#[derive(Clone, Debug, Serialize)]
pub struct Scores {
    /// The suites.
    pub suites: Vec<String>,
    /// For each suite the number of tests that pass without a mutant, and of those left out.
    pub tests: Vec<(usize, usize)>,
    /// The operators in the order of the table.
    #[serde(skip)]
    pub operators: Vec<&'static str>,
    /// The sources of the mutants.
    #[serde(skip)]
    pub sources: Vec<SourceFile>,
    /// The mutants, by class and place.
    #[serde(rename = "mutants")]
    pub rows: Vec<MutantRow>,
}

impl MutantRow {
    /// Whether a suite reaches it, and none detects it.
    pub fn survives(&self) -> bool {
        let is_open = |end: &MutantEnd| !matches!(end, MutantEnd::Killed | MutantEnd::NotJudged);
        self.ends.contains(&MutantEnd::Survived) && self.ends.iter().all(is_open)
    }
}

impl Scores {
    /// Adds the mutants and suites of another module of a project.
    pub fn append(&mut self, other: Scores) {
        let (suites, sources) = (self.suites.len(), self.sources.len());
        let foreign = |count: usize| vec![MutantEnd::OtherModule; count];
        self.rows.iter_mut().for_each(|row| row.ends.extend(foreign(other.suites.len())));
        self.rows.extend(other.rows.into_iter().map(|mut row| {
            row.ends.splice(0..0, foreign(suites));
            row.source += sources;
            row
        }));
        self.suites.extend(other.suites);
        self.tests.extend(other.tests);
        self.sources.extend(other.sources);
        self.operators.extend(
            other.operators.into_iter().filter(|it| !self.operators.contains(it)).collect::<Vec<_>>(),
        );
    }

    /// A table by operator, the suites side by side.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (number, (suite, (passed, left_out))) in self.suites.iter().zip(&self.tests).enumerate() {
            let _ = writeln!(text, "suite {}: {suite}, {passed} tests, {left_out} left out", number + 1);
        }
        let _ = write!(text, "\n{:<20} {:>7}", "operator", "mutants");
        for number in 1..=self.suites.len() {
            let _ = write!(
                text,
                " | {:>8} {:>8} {:>8} {:>6}",
                format!("{number} killed"),
                "survived",
                "not reached",
                "score"
            );
        }
        text.push('\n');
        for operator in &self.operators {
            self.line(&mut text, operator, &|row| row.operator == *operator);
        }
        self.line(&mut text, "all", &|_| true);
        text
    }

    /// The mutants that a suite kills, and all that it judged.
    fn score(&self, suite: usize, is_meant: &dyn Fn(&MutantRow) -> bool) -> (usize, usize) {
        let ends = self.rows.iter().filter(|row| is_meant(row)).filter_map(|row| row.ends.get(suite));
        let judged: Vec<&MutantEnd> =
            ends.filter(|end| !matches!(end, MutantEnd::NotJudged | MutantEnd::OtherModule)).collect();
        (judged.iter().filter(|end| ***end == MutantEnd::Killed).count(), judged.len())
    }

    /// The suites whose score is below a percentage, with their scores. A suite without judged mutants is not
    /// listed.
    pub fn below(&self, percent: f64) -> Vec<(&str, f64)> {
        let scores = self.suites.iter().enumerate().filter_map(|(at, suite)| {
            let (killed, judged) = self.score(at, &|_| true);
            (judged > 0).then(|| (suite.as_str(), 100.0 * killed as f64 / judged as f64))
        });
        scores.filter(|(_, score)| *score < percent).collect()
    }

    fn line(&self, text: &mut String, name: &str, is_meant: &dyn Fn(&MutantRow) -> bool) {
        let rows: Vec<&MutantRow> = self.rows.iter().filter(|row| is_meant(row)).collect();
        let _ = write!(text, "{name:<20} {:>7}", rows.len());
        for suite in 0..self.suites.len() {
            let count = |end| rows.iter().filter(|row| row.ends.get(suite) == Some(&end)).count();
            let (killed, survived, missed) =
                (count(MutantEnd::Killed), count(MutantEnd::Survived), count(MutantEnd::NotReached));
            let judged = killed + survived + missed;
            let score = if judged == 0 { 0.0 } else { 100.0 * killed as f64 / judged as f64 };
            let _ = write!(text, " | {killed:>8} {survived:>8} {missed:>11} {score:>5.1}%");
        }
        text.push('\n');
    }

    /// The mutants that a suite reaches and does not detect, one line each.
    pub fn survivors(&self) -> String {
        let mut text = String::new();
        for (number, suite) in self.suites.iter().enumerate() {
            let _ = writeln!(text, "\nsurvivors of {suite}");
            for row in self.rows.iter().filter(|row| row.ends.get(number) == Some(&MutantEnd::Survived)) {
                let line = row.line.map_or_else(|| "?".into(), |line| line.to_string());
                let _ =
                    writeln!(text, "{}:{line} {}: {} ({})", row.class, row.method, row.what, row.operator);
            }
        }
        text
    }

    /// All of it for programs.
    pub fn json(&self) -> String {
        // Strings, numbers and lists only, so serialisation cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
