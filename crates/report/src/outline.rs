//! The outline of a class after its files are written: enough for the JSON report, the summary and the index,
//! without the tests themselves. A run over a whole library keeps these, and a store of results contains them.

use crate::details::details;
use crate::json::Class;
use crate::result::ClassResult;
use cupping_case::{CoverageCount, MethodRef, Outcome};
use cupping_view::page_file;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A class that is done with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// Its name, with dots.
    pub class: String,
    /// Its part of the JSON report.
    pub json: Class,
    /// Number of regular tests kept.
    pub tests: usize,
    /// The failing inputs kept.
    pub failing: Vec<FailingInput>,
    /// Lines covered, as numbers of those and of all.
    pub lines: (u32, u32),
    /// The same of branches.
    pub branches: (u32, u32),
    /// Number of files written.
    pub files: usize,
    /// Number of tests that certification dropped.
    pub dropped: usize,
    /// Those of them that were run.
    pub wrong: usize,
    /// The text of the summary below its table.
    pub details: String,
    /// The page of the class.
    pub page: String,
    /// Wall-clock time spent on it.
    pub elapsed: Duration,
    /// Why nothing was generated, if so.
    pub error: Option<String>,
}

/// An input on which the code fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailingInput {
    /// The name of its test.
    pub name: String,
    /// The method under test.
    pub method: MethodRef,
    /// What is thrown, with dots.
    pub thrown: Option<String>,
    /// The cause of the failure, in words.
    pub cause: Option<String>,
}

impl Outline {
    /// The outline of a result.
    pub fn of(result: &ClassResult) -> Outline {
        let pair = |count: CoverageCount| (count.covered, count.total);
        let failing = result.emitted(true).map(|(_, name, case)| FailingInput {
            name: name.to_owned(),
            method: case.under_test.clone(),
            thrown: match &case.outcome {
                Outcome::Threw { class, .. } => Some(class.replace('/', ".")),
                Outcome::Returned => None,
            },
            cause: case.cause.as_ref().map(|it| it.what.to_string()),
        });
        Outline {
            class: result.class_name(),
            json: Class::of(result),
            tests: result.tests(),
            failing: failing.collect(),
            lines: pair(result.suite.lines),
            branches: pair(result.suite.branches),
            files: result.classes.len(),
            dropped: result.divergences.len(),
            wrong: result.divergences.iter().filter(|it| it.stage.is_defect()).count(),
            details: details(result),
            page: page_file(&result.suite.class),
            elapsed: result.elapsed,
            error: result.error.clone(),
        }
    }

    /// The outline of several results.
    pub fn all(results: &[ClassResult]) -> Vec<Outline> {
        results.iter().map(Outline::of).collect()
    }

    /// Enters how long it took, once that is known.
    pub fn took(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
        self.json.took(elapsed);
    }
}
