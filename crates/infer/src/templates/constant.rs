//! `x == c`: a variable has one value in all samples.
//!
//! Chance: a truth value is the same in *n* samples with probability 2⁻ⁿ, a variable with three possible values with
//! 3⁻ⁿ. Equal samples count, as in Daikon.

use super::template::{Parts, Proposal, Template, all_by_chance};
use crate::formula::Formula;
use crate::sort::Sort;
use crate::table::Table;
use crate::term::Term;
use crate::value::Value;

/// The template.
pub struct Constant;

impl Template for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn about(&self) -> &'static str {
        "x == c; 2^-n for n samples of a truth value, 3^-n of others"
    }

    fn parts(&self) -> Parts {
        Parts::All
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in &table.columns {
            // An element does not exist where there is no such index.
            let is_element = matches!(part(&column.term), Term::At(..));
            let value = column.values.iter().find(|it| it.is_present()).filter(|_| column.distinct == 1);
            let Some(value) = value.filter(|_| is_element || column.is_always_present()) else { continue };
            let is_empty = matches!(value, Value::Null | Value::Int(0) | Value::Char(0) | Value::Bool(false));
            if is_element && !is_empty {
                continue;
            }
            let each = if column.sort == Sort::Truth { 0.5 } else { 1.0 / 3.0 };
            let there = column.values.iter().filter(|it| it.is_present()).count();
            let rows = if column.is_always_present() { table.samples } else { there };
            if matches!(value, Value::Object(_) | Value::Seq(_)) {
                continue;
            }
            let formula = Formula::equal(column.term.clone(), Term::Constant(value.clone()));
            out.push(Proposal { formula, chance: all_by_chance(each, table.samples.min(rows)) });
        }
    }
}

fn part(term: &Term) -> &Term {
    match term {
        Term::Old(of) => of,
        other => other,
    }
}
