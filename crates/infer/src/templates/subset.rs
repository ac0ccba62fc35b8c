//! All elements of one sequence are elements of another.
//!
//! Chance: as for membership, ½ for each element of a row.

use super::template::{Parts, Proposal, Template, all_by_chance, is_part, sequences};
use crate::formula;
use crate::table::{Column, Table};

/// The template.
pub struct Subset;

impl Template for Subset {
    fn name(&self) -> &'static str {
        "subset"
    }

    fn about(&self) -> &'static str {
        "elements are elements of another; 2^-e for e elements"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> = sequences(table).collect();
        for a in &columns {
            for b in &columns {
                let is_same = std::ptr::eq(*a, *b) || a.is_old() && b.is_old();
                let past = super::template::is_past_of(&a.term, &b.term);
                if is_same
                    || a.sort != b.sort
                    || a.term.has_same_base(&b.term)
                    || is_part(&a.term, &b.term) && !past
                {
                    continue;
                }
                let elements = a.values.iter().filter_map(|it| it.elements()).map(<[_]>::len).sum();
                let formula = formula::Subset { part: a.term.clone(), whole: b.term.clone() }.into();
                out.push(Proposal { formula, chance: all_by_chance(0.5, elements) });
            }
        }
    }
}
