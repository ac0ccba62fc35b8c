//! `x == y` of two variables of one sort.
//!
//! Chance: two unrelated variables with *d* values each agree in a row with probability 1/d; in *n* different pairs, (1/d)ⁿ,
//! of which at least two are asked for.

use super::{Proposal, Template, all_by_chance, pairs};
use crate::formula::{Comparison, Formula};
use crate::table::Table;

/// The template.
pub struct Equality;

impl Template for Equality {
    fn name(&self) -> &'static str {
        "equality"
    }

    fn about(&self) -> &'static str {
        "x == y; d^-n for n different pairs of d values"
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for (at, a) in table.columns.iter().enumerate() {
            for b in &table.columns[at + 1..] {
                let constant = a.constant().is_some() || b.constant().is_some();
                if a.sort != b.sort || constant {
                    continue;
                }
                let mut rows = a.values.iter().zip(&b.values);
                if !rows.all(|(a, b)| a.same(b) != Some(false)) {
                    continue;
                }
                let n = pairs(a, b);
                let d = a.distinct.max(2) as f64;
                let chance = if n < 2 { 1.0 } else { all_by_chance(1.0 / d, table.samples.min(n * 3)) };
                let formula = Formula::Compare(a.term.clone(), Comparison::Equal, b.term.clone());
                out.push(Proposal { formula, chance });
            }
        }
    }
}
