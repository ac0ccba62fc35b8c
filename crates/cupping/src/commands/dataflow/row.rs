//! What the report keeps of a class.

use crate::frame::emitted_tests::EmittedTests;
use cupping_dataflow::PairRow;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The row of a class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Its pairs.
    pub pairs: Vec<Pair>,
    /// The pairs that the suites exercise, numbered from 0, if there are suites.
    pub suite: Option<BTreeSet<usize>>,
    /// Its tests, if they were asked for.
    pub tests: Option<EmittedTests>,
    /// Why there is nothing, if so.
    pub error: Option<String>,
}

/// A pair as JSON has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// Its number, from 1.
    pub number: usize,
    /// The variable.
    pub variable: String,
    /// Where it is defined, as `method:line`.
    pub definition: String,
    #[serde(rename = "use")]
    /// Where it is used.
    pub usage: String,
    /// Its verdict, one of [`cupping_dataflow::PairVerdict::KINDS`].
    pub verdict: String,
    why: String,
    /// The calls of the sequence that exercises it.
    pub calls: Vec<String>,
}

impl Pair {
    /// Whether a sequence exercises it.
    pub fn is_covered(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The method and the line of the use; line 1 if it is not known.
    pub fn place_of_use(&self) -> (&str, u64) {
        place(&self.usage)
    }

    /// The methods of both accesses, without their lines.
    pub fn methods(&self) -> String {
        format!("{} {}", place(&self.definition).0, place(&self.usage).0)
    }
}

/// The parts of `method:line`.
fn place(text: &str) -> (&str, u64) {
    let parts = text.rsplit_once(':').and_then(|(method, line)| Some((method, line.parse().ok()?)));
    parts.unwrap_or((text, 1))
}

impl From<PairRow> for Pair {
    fn from(row: PairRow) -> Pair {
        let PairRow { number, variable, definition, usage, kind, verdict, calls } = row;
        Pair { number, variable, definition, usage, verdict: kind.into(), why: verdict, calls }
    }
}
