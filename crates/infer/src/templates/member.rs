//! A value is an element.
//!
//! Chance: a row whose sequence has *k* of the *d* values of the variable holds with probability k/d, at most 0.9.

use super::template::{Parts, Proposal, Template, is_auxiliary, is_part, is_scarce, sequences};
use crate::formula;
use crate::table::Table;
use crate::term::Term;

/// The template.
pub struct Member;

impl Template for Member {
    fn name(&self) -> &'static str {
        "member"
    }

    fn about(&self) -> &'static str {
        "x is an element; the product of k/d over the rows"
    }

    fn parts(&self) -> Parts {
        Parts::All
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for seq in sequences(table) {
            for column in &table.columns {
                let is_fit = !is_auxiliary(&column.term)
                    && !is_scarce(column)
                    && seq.may_contain(column)
                    && column.distinct > 1;
                if !is_fit || is_part(&column.term, &seq.term) || is_own(&column.term, &seq.term) {
                    continue;
                }
                let (mut chance, mut rows) = (1.0, 0);
                for (value, all) in column.values.iter().zip(&seq.values) {
                    let (true, Some(all)) = (value.is_present(), all.elements()) else { continue };
                    rows += 1;
                    chance *= (all.len() as f64 / column.distinct as f64).min(0.9);
                }
                if rows > 1 {
                    out.push(Proposal {
                        formula: formula::Member { element: column.term.clone(), elements: seq.term.clone() }
                            .into(),
                        chance,
                    });
                }
            }
        }
    }
}

/// Whether a term is an element of the same array, now or before; that it still is one is not informative.
fn is_own(term: &Term, seq: &Term) -> bool {
    term.base().is_some_and(|it| seq.base().is_some_and(|of| it.0 == of.0))
}
