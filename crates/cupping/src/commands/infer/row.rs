//! What the report keeps of a class.

use crate::frame::emitted_tests::EmittedTests;
use cupping_infer::{Subject, output};
use serde::{Deserialize, Serialize};

/// The row of a class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Its likely specification, one line each, as with `--notation text`.
    pub specification: Vec<String>,
    /// The number of its likely conditions and axioms.
    pub conditions: usize,
    /// The number of rounds.
    pub rounds: usize,
    /// Whether the last round found nothing.
    pub fixed_point: bool,
    /// The number of executions examined.
    pub executions: usize,
    /// With `--check`: what no longer holds.
    pub broken: Vec<String>,
    /// Its tests, if they were asked for.
    pub tests: Option<EmittedTests>,
    /// Why there is nothing, if so.
    pub error: Option<String>,
}

impl Row {
    /// The row of an outcome.
    pub fn of(subject: &Subject, outcome: &cupping_infer::InferenceOutcome) -> Row {
        let text = output::text::whole(subject, outcome);
        let likely = outcome.specification.clauses.len() + outcome.specification.throws.len();
        Row {
            specification: text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
            conditions: likely + outcome.axioms.as_ref().map_or(0, Vec::len),
            rounds: outcome.rounds.len() + outcome.algebraic.len(),
            fixed_point: outcome.fixed_point,
            executions: outcome.recorded + outcome.explored.executions.len(),
            ..Row::default()
        }
    }
}
