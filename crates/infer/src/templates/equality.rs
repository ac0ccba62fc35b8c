//! `x == y` of two variables of one sort.
//!
//! Chance: two unrelated variables with *d* values each agree in a row with probability 1/d, and in *n* distinct
//! pairs with (1/d)ⁿ. At least two pairs are needed.

use super::template::{Parts, Proposal, Template, all_by_chance, is_auxiliary, pairs};
use crate::formula::Formula;
use crate::table::{Column, Table};

/// The template.
pub struct Equality;

impl Template for Equality {
    fn name(&self) -> &'static str {
        "equality"
    }

    fn about(&self) -> &'static str {
        "x == y; d^-n for n different pairs of d values"
    }

    fn parts(&self) -> Parts {
        Parts::All
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for (at, a) in table.columns.iter().enumerate() {
            for b in &table.columns[at + 1..] {
                let constant = a.constant().is_some() || b.constant().is_some();
                if a.sort != b.sort || constant || is_auxiliary(&a.term) || is_auxiliary(&b.term) {
                    continue;
                }
                if !agree(a, b) || follows_by_transitivity(table, a, b) {
                    continue;
                }
                let n = pairs(a, b);
                let d = a.distinct.max(2) as f64;
                let chance = if n < 2 { 1.0 } else { all_by_chance(1.0 / d, table.samples.min(n * 3)) };
                let formula = Formula::equal(a.term.clone(), b.term.clone());
                out.push(Proposal { formula, chance });
            }
        }
    }
}

/// Whether two columns are equal wherever both have values.
fn agree(a: &Column, b: &Column) -> bool {
    a.values.iter().zip(&b.values).all(|(a, b)| a.same(b) != Some(false))
}

/// Whether both equal an earlier third column that always has a value; then the equalities with it suffice.
fn follows_by_transitivity(table: &Table<'_>, a: &Column, b: &Column) -> bool {
    let is_before = |it: &&Column| it.is_always_present() && it.sort == a.sort && it.constant().is_none();
    // A column that always has a value represents two that do not, whatever its position.
    let stands = |it: &Column| !(std::ptr::eq(it, a) || std::ptr::eq(it, b)) && agree(it, a) && agree(it, b);
    let before = |it: &&&Column| {
        let at = |of: &Column| table.columns.iter().position(|it| std::ptr::eq(it, of));
        let last = at(a).min(at(b));
        !a.is_always_present() && !b.is_always_present() || at(it) < last
    };
    table
        .columns
        .iter()
        .filter(is_before)
        .collect::<Vec<_>>()
        .iter()
        .filter(|it| before(it))
        .any(|it| stands(it))
}
