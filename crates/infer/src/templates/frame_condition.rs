//! `x == old(x)`: the call leaves a variable unchanged.
//!
//! Chance: as for equality; a variable with one value is a constant, which is the stronger statement.

use super::template::{Parts, Proposal, Template, all_by_chance};
use crate::formula::Formula;
use crate::table::{Column, Table};
use crate::term::Term;

/// The template.
pub struct FrameCondition;

impl Template for FrameCondition {
    fn name(&self) -> &'static str {
        "unchanged"
    }

    fn about(&self) -> &'static str {
        "x == old(x); 2^-n"
    }

    fn parts(&self) -> Parts {
        Parts::All
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in &table.columns {
            let old = Term::Old(Box::new(column.term.clone()));
            let is_old = |it: &&Column| it.term == old;
            let Some(before) = table.columns.iter().find(is_old) else { continue };
            let mut rows = column.values.iter().zip(&before.values);
            if rows.all(|(a, b)| a.same(b) != Some(false)) {
                let formula = Formula::equal(column.term.clone(), old);
                out.push(Proposal { formula, chance: all_by_chance(0.5, table.samples) });
            }
        }
    }
}
