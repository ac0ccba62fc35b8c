//! A call reorders elements: the template that the walk-through in `CONTRIBUTING.md` adds, for tests only.
//!
//! Chance: a sequence of two or more elements is a permutation of its past with probability ½.

use super::template::{Parts, Proposal, Template, all_by_chance, is_past_of, sequences};
use crate::formula;
use crate::table::{Column, Table};

/// The template.
pub struct Permutation;

impl Template for Permutation {
    fn name(&self) -> &'static str {
        "permutation"
    }

    fn about(&self) -> &'static str {
        "a is a permutation of old(a); 2^-n for n different rows with two elements or more"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> = sequences(table).collect();
        for new in columns.iter().filter(|it| !it.is_old()) {
            for old in columns.iter().filter(|it| it.is_old() && is_past_of(&new.term, &it.term)) {
                let long = |it: &&crate::value::Value| it.elements().is_some_and(|it| it.len() > 1);
                let chance = all_by_chance(0.5, new.values.iter().filter(long).count());
                let formula = formula::Permutation { left: new.term.clone(), right: old.term.clone() }.into();
                out.push(Proposal { formula, chance });
            }
        }
    }
}
