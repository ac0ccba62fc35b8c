//! The elements are the past ones with one more at the end or the start, or vice versa; or one sequence begins with
//! the other.
//!
//! Chance: 2⁻ⁿ for *n* distinct rows with elements.

use super::template::{Parts, Proposal, Template, all_by_chance, sequences};
use crate::formula::{self, Formula};
use crate::sort::Sort;
use crate::table::{Column, Table};
use crate::term::Term;

/// The template.
pub struct Append;

impl Template for Append {
    fn name(&self) -> &'static str {
        "append"
    }

    fn about(&self) -> &'static str {
        "elements == old(elements) + x or x + old(elements); the other way round; one begins as the other; 2^-n"
    }

    fn parts(&self) -> Parts {
        Parts::All
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> = sequences(table).collect();
        for new in columns.iter().filter(|it| !it.is_old()) {
            for old in columns.iter().filter(|it| it.is_old() && it.sort == new.sort) {
                let rows = || new.values.iter().zip(&old.values);
                let n = rows().filter(|(a, _)| a.elements().is_some_and(|it| !it.is_empty())).count();
                let chance = all_by_chance(0.5, n);
                let is_equal = rows().all(|(a, b)| a.same(b) != Some(false));
                if is_equal {
                    continue;
                }
                for (a, b) in [(new, old), (old, new)] {
                    let formula = formula::Prefix { prefix: a.term.clone(), whole: b.term.clone() }.into();
                    out.push(Proposal { formula, chance });
                }
                let Sort::Elements(element) = &new.sort else { continue };
                let mut longer = |whole: &Term, part: &Term, one: &Term| {
                    let (part, one) = (Box::new(part.clone()), Box::new(one.clone()));
                    for longer in [Term::Append(part.clone(), one.clone()), Term::Prepend(one, part)] {
                        let formula = Formula::equal(whole.clone(), longer);
                        out.push(Proposal { formula, chance });
                    }
                };
                for one in table.columns.iter().filter(|it| it.sort == **element && !it.is_old()) {
                    longer(&new.term, &old.term, &one.term);
                    if one.term == Term::Result {
                        longer(&old.term, &new.term, &one.term);
                    }
                }
            }
        }
    }
}
