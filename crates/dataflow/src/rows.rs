//! The pairs as rows of words, for reports.

use crate::analysis::{Analysis, Verdict};
use crate::text::verdict_text;
use cupping_machine::Machine;

/// A pair in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRow {
    /// Its number, from 1.
    pub number: usize,
    /// The variable.
    pub variable: String,
    /// Where it is defined, as `method:line`.
    pub definition: String,
    /// Where it is used.
    pub usage: String,
    /// `covered`, `infeasible` or `inconclusive`.
    pub kind: &'static str,
    /// The verdict for people.
    pub verdict: String,
    /// The calls of the sequence that exercises it.
    pub calls: Vec<String>,
}

impl Analysis {
    /// All pairs, by number.
    pub fn rows(&self, machine: &Machine) -> Vec<PairRow> {
        let rows = self.pairs.iter().zip(&self.verdicts).zip(1..);
        rows.map(|((pair, verdict), number)| {
            let (kind, calls) = match verdict {
                Verdict::Covered { calls, .. } => ("covered", calls.clone()),
                Verdict::Infeasible(_) => ("infeasible", Vec::new()),
                Verdict::Inconclusive(_) => ("inconclusive", Vec::new()),
            };
            PairRow {
                number,
                variable: self.flat.variables[pair.variable].name.to_string(),
                definition: self.place(machine, pair.definition),
                usage: self.place(machine, pair.usage),
                kind,
                verdict: verdict_text(verdict),
                calls,
            }
        })
        .collect()
    }
}
