//! `x >= a` and `x <= b`: bounds of a number.
//!
//! A bound is proposed if it is −1, 0 or 1, as most bounds in programs are, or if values accumulate at it: if *n*
//! distinct rows were spread evenly from the least to the greatest value, fewer would be at the bound. Fields of which
//! the bound is a number of the code need not accumulate: values beyond that number are tried, too.
//!
//! Chance: for the first kind, 2⁻ᵈ for *d* distinct values, as if the range extended as far on the other side; for
//! the second, the probability of so many rows at the bound.

use super::template::{Parts, Proposal, Template, all_by_chance, is_length_of_text, numbers};
use crate::formula::{Comparison, Formula};
use crate::program_point::ProgramPoint;
use crate::table::Table;
use crate::term::Term;
use crate::value::Value;

/// The template.
pub struct Range;

impl Template for Range {
    fn name(&self) -> &'static str {
        "range"
    }

    fn about(&self) -> &'static str {
        "x >= a, x <= b; a bound is -1, 0 or 1, or values pile up at it"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in numbers(table).filter(|it| !is_length_of_text(table, &it.term)) {
            let all: Vec<i128> = column.numbers().into_iter().flatten().collect();
            let (Some(least), Some(most)) = (all.iter().min().copied(), all.iter().max().copied()) else {
                continue;
            };
            let is_of_class = table.point == ProgramPoint::Class;
            let width = (most - least + 1) as f64;
            for (bound, comparison) in [(least, Comparison::AtLeast), (most, Comparison::AtMost)] {
                let at = all.iter().filter(|it| **it == bound).count();
                let is_usual = (-1..=1).contains(&bound);
                let expected = all.len() as f64 / width;
                // Values accumulate at the ends of a type because they are tried. At a number of the code it takes
                // fewer to mean something.
                let of_code = i64::try_from(bound).is_ok_and(|it| table.constants.contains(&it));
                let least_count = if of_code && is_of_class { 2 } else { 3 };
                let least_share = if of_code && is_of_class { 0.5 } else { 2.0 };
                let piled = bound.abs() < 1 << 30
                    && at >= least_count
                    && width > 2.0
                    && at as f64 > least_share * expected;
                let chance = if is_usual {
                    all_by_chance(0.5, column.distinct.max(all.len() / 4))
                } else if piled {
                    all_by_chance(if of_code && is_of_class { 0.08 } else { 0.3 }, at)
                } else {
                    continue;
                };
                let Ok(bound) = i64::try_from(bound) else { continue };
                let bound = Term::Constant(Value::Int(bound));
                let formula = Formula::compare(column.term.clone(), comparison, bound);
                out.push(Proposal { formula, chance });
            }
        }
    }
}
