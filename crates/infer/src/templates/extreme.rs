//! A number is the sum, the least or the greatest of elements.
//!
//! Chance: a number with *d* values is it in a different row with probability 1/d.

use super::{Proposal, Template, all_by_chance, is_part, is_scarce, numbers, same_base, sequences};
use crate::formula::{Comparison, Formula};
use crate::table::{Sort, Table};
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

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let when: Phase = table.point.when();
        for seq in sequences(table) {
            if !matches!(&seq.sort, Sort::Elements(it) if **it == Sort::Number) {
                continue;
            }
            let boxed = || Box::new(seq.term.clone());
            for term in [Term::Sum(boxed()), Term::Min(boxed()), Term::Max(boxed())] {
                let values: Vec<_> = table.rows.iter().map(|it| term.value(it, when)).collect();
                for column in numbers(table).filter(|it| {
                    !is_scarce(it) && !is_part(&it.term, &seq.term) && !same_base(&it.term, &seq.term)
                }) {
                    let mut rows = column.values.iter().zip(&values);
                    if rows.all(|(a, b)| a.same(b) != Some(false)) {
                        let both = column.values.iter().zip(&values);
                        let n = both.filter(|(a, b)| a.is_there() && b.is_there()).count();
                        let chance = all_by_chance(1.0 / column.distinct as f64, n);
                        let formula = Formula::Compare(column.term.clone(), Comparison::Equal, term.clone());
                        out.push(Proposal { formula, chance });
                    }
                }
            }
        }
    }
}
