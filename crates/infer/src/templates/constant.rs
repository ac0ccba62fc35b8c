//! `x == c`: a variable has one value in all samples.
//!
//! Chance: a variable that can have two values has the same in *n* samples with probability 2⁻ⁿ; equal samples count, as
//! Daikon lets them.

use super::{Proposal, Template, all_by_chance};
use crate::formula::{Comparison, Formula};
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
        "x == c; 2^-n for n samples"
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in &table.columns {
            let Some(value) = column.constant().filter(|_| column.is_always_there()) else { continue };
            if matches!(value, Value::Object(_) | Value::Seq(_)) {
                continue;
            }
            let formula =
                Formula::Compare(column.term.clone(), Comparison::Equal, Term::Constant(value.clone()));
            out.push(Proposal { formula, chance: all_by_chance(0.5, table.samples) });
        }
    }
}
