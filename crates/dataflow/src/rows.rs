//! The pairs as rows of words, for reports.

use crate::analysis::{Analysis, PairVerdict};
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
    /// One of [`PairVerdict::KINDS`].
    pub kind: &'static str,
    /// The verdict for people.
    pub verdict: String,
    /// The calls of the sequence that exercises it.
    pub calls: Vec<String>,
}

/// The variable of a pair, and the places of its accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The variable.
    pub variable: String,
    /// Where it is defined, as `method:line`.
    pub definition: String,
    /// Where it is used.
    pub usage: String,
}

impl Analysis {
    /// The variable of a pair, and the places of its accesses.
    pub fn pairing(&self, machine: &Machine, pair: usize) -> Pairing {
        let of = &self.pairs[pair];
        Pairing {
            variable: self.flat.variables[of.variable].name.to_string(),
            definition: self.place(machine, of.definition),
            usage: self.place(machine, of.usage),
        }
    }

    /// All pairs, by number.
    pub fn rows(&self, machine: &Machine) -> Vec<PairRow> {
        let rows = self.pairs.iter().zip(&self.verdicts).zip(1..);
        rows.map(|((pair, verdict), number)| {
            let calls = match verdict {
                PairVerdict::Covered { calls, .. } => calls.clone(),
                PairVerdict::Infeasible(_) | PairVerdict::Inconclusive(_) => Vec::new(),
            };
            PairRow {
                number,
                variable: self.flat.variables[pair.variable].name.to_string(),
                definition: self.place(machine, pair.definition),
                usage: self.place(machine, pair.usage),
                kind: PairVerdict::KINDS[verdict.kind()],
                verdict: verdict_text(verdict),
                calls,
            }
        })
        .collect()
    }
}
