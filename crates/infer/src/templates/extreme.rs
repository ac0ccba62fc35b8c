//! A number is the sum, the least or the greatest of elements.
//!
//! Chance: 1/d in each row, for a number with *d* values.

use super::template::{Parts, Proposal, Template, all_by_chance, is_part, is_scarce, numbers, sequences};
use crate::formula::Formula;
use crate::sort::Sort;
use crate::table::Table;
use crate::term::{Phase, Term};

/// The template.
pub struct Extreme;

impl Template for Extreme {
    fn name(&self) -> &'static str {
        "sum and extremes"
    }

    fn about(&self) -> &'static str {
        "x is the sum, minimum or maximum of elements; d^-n for n rows"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let when: Phase = table.point.phase();
        for seq in sequences(table) {
            if !matches!(&seq.sort, Sort::Elements(it) if **it == Sort::Number) {
                continue;
            }
            let boxed = || Box::new(seq.term.clone());
            for term in [Term::Sum(boxed()), Term::Min(boxed()), Term::Max(boxed())] {
                let values: Vec<_> = table.rows.iter().map(|it| term.value(it, when)).collect();
                for column in numbers(table).filter(|it| {
                    !is_scarce(it) && !is_part(&it.term, &seq.term) && !it.term.has_same_base(&seq.term)
                }) {
                    let mut rows = column.values.iter().zip(&values);
                    if rows.all(|(a, b)| a.same(b) != Some(false)) {
                        let both = column.values.iter().zip(&values);
                        let n = both.filter(|(a, b)| a.is_present() && b.is_present()).count();
                        let chance = all_by_chance(1.0 / column.distinct as f64, n);
                        let formula = Formula::equal(column.term.clone(), term.clone());
                        out.push(Proposal { formula, chance });
                    }
                }
            }
        }
    }
}
