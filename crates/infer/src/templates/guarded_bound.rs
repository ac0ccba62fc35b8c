//! Bounds that hold unless something is empty: an index is less than a size that is not zero.
//!
//! Chance: as for an order, 2⁻ⁿ for *n* distinct pairs where the size is not zero.

use super::template::{Parts, Proposal, Template, all_by_chance, numbers, pairs};
use crate::formula::{Comparison, Formula};
use crate::program_point::ProgramPoint;
use crate::table::{Column, Table};
use crate::term::Term;
use crate::value::Value;

/// The template.
pub struct GuardedBound;

impl Template for GuardedBound {
    fn name(&self) -> &'static str {
        "order, unless empty"
    }

    fn about(&self) -> &'static str {
        "x < size and x >= -1, 0, 1 where the size is not 0; 2^-n for n different pairs"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        if table.point != ProgramPoint::Class {
            return;
        }
        let zero = || Term::Constant(Value::Int(0));
        for size in numbers(table).filter(|it| matches!(it.term, Term::Length(_))) {
            let condition = Formula::compare(size.term.clone(), Comparison::Different, zero());
            let Some(part) = table.part(&condition, true).filter(|it| it.rows.len() < table.rows.len())
            else {
                continue;
            };
            let Some(own) = part.columns.iter().find(|it| it.term == size.term) else { continue };
            let others = part.columns.iter().filter(|it| it.term != size.term);
            for column in others.filter(|it| numbers(table).any(|known| known.term == it.term)) {
                let Some(whole) = table.columns.iter().find(|it| it.term == column.term) else { continue };
                for then in [below(whole, column, own), bound(whole, column)].into_iter().flatten() {
                    let formula = Formula::implies(condition.clone(), then);
                    out.push(Proposal { formula, chance: all_by_chance(0.5, pairs(column, own)) });
                }
            }
        }
    }
}

/// States that an index is less than a size, if that is not always so.
fn below(whole: &Column, column: &Column, size: &Column) -> Option<Formula> {
    let is_below = |of: &Column| {
        let mut rows = of.values.iter().zip(&size.values);
        rows.all(|(a, b)| Comparison::Less.holds(a, b) == Some(true))
    };
    let fails = whole.values.iter().any(|it| it.number().is_some_and(|it| it >= 0));
    (fails && is_below(column))
        .then(|| Formula::compare(column.term.clone(), Comparison::Less, size.term.clone()))
}

/// A lower bound that does not hold of all rows.
fn bound(whole: &Column, column: &Column) -> Option<Formula> {
    let least = |of: &Column| of.numbers().into_iter().flatten().min();
    let (all, own) = (least(whole)?, least(column)?);
    let bound = i64::try_from(own).ok().filter(|it| own > all && (-1..=1).contains(it))?;
    let bound = Term::Constant(Value::Int(bound));
    Some(Formula::compare(column.term.clone(), Comparison::AtLeast, bound))
}
