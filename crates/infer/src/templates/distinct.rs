//! No element occurs twice.
//!
//! Of strings, numbers and enum constants only: two objects may be equal and not the same.
//!
//! Chance: two elements are equal with probability 1/d for *d* distinct elements; (1 − 1/d)ᵖ for *p* pairs within
//! sequences.

use super::template::{Parts, Proposal, Template, all_by_chance, sequences};
use crate::formula;
use crate::table::Table;
use crate::value::Value;
use rustc_hash::FxHashSet;

/// The template.
pub struct Distinct;

impl Template for Distinct {
    fn name(&self) -> &'static str {
        "distinct"
    }

    fn about(&self) -> &'static str {
        "no element twice; (1 - 1/d)^p for p pairs of d different elements"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in sequences(table).filter(|it| !it.is_old()) {
            let is_object = |it: &Value| matches!(it, Value::Object(_) | Value::Seq(_));
            if column.values.iter().filter_map(|it| it.elements()).flatten().any(is_object) {
                continue;
            }
            let (mut values, mut seen, mut pairs) = (FxHashSet::default(), FxHashSet::default(), 0);
            for all in column.values.iter().filter_map(|it| it.elements()) {
                if seen.insert(format!("{all:?}")) {
                    pairs += all.len() * all.len().saturating_sub(1) / 2;
                    values.extend(all.iter().map(|it| format!("{it:?}")));
                }
            }
            if pairs > 0 {
                let chance = all_by_chance(1.0 - 1.0 / values.len().max(2) as f64, pairs);
                out.push(Proposal {
                    formula: formula::Distinct { elements: column.term.clone() }.into(),
                    chance,
                });
            }
        }
    }
}
