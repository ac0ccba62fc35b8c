//! Elements at equal indices compare in one way; one sequence is the reverse of the other.
//!
//! Chance: 2⁻ᵖ for *p* distinct pairs of elements.

use super::template::{Parts, Proposal, Template, all_by_chance, is_past_of, sequences};
use crate::formula::{self, Comparison, Formula};
use crate::sort::Sort;
use crate::table::{Column, Table};
use crate::term::Term;

/// The template.
pub struct Pairwise;

impl Template for Pairwise {
    fn name(&self) -> &'static str {
        "pairwise"
    }

    fn about(&self) -> &'static str {
        "a[i] <= b[i] and its like for all i, a is b in reverse; 2^-p for p different pairs"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> = sequences(table).collect();
        for (at, a) in columns.iter().enumerate() {
            for b in &columns[at + 1..] {
                // Compare only equal slices of one array before and after the call.
                let is_one_array = a.term.base().map(|it| it.0) == b.term.base().map(|it| it.0);
                let is_other_part = is_one_array && !is_past_of(&a.term, &b.term);
                if a.sort != b.sort || a.is_old() && b.is_old() || is_other_part {
                    continue;
                }
                let rows = || a.values.iter().zip(&b.values);
                let elements = || rows().filter_map(|(a, b)| Some((a.elements()?, b.elements()?)));
                let mut pairs: Vec<String> =
                    elements().flat_map(|(a, b)| a.iter().zip(b).map(|it| format!("{it:?}"))).collect();
                pairs.sort_unstable();
                pairs.dedup();
                let chance = all_by_chance(0.5, pairs.len());
                if matches!(&a.sort, Sort::Elements(it) if **it == Sort::Number) {
                    let ways =
                        [Comparison::Less, Comparison::Greater, Comparison::AtMost, Comparison::AtLeast];
                    let holds = |way: &Comparison| {
                        elements().all(|(a, b)| a.iter().zip(b).all(|(a, b)| way.holds(a, b) == Some(true)))
                    };
                    if let Some(way) = ways.into_iter().find(holds) {
                        let formula = formula::Pairwise {
                            left: a.term.clone(),
                            comparison: way,
                            right: b.term.clone(),
                        }
                        .into();
                        out.push(Proposal { formula, chance });
                    }
                }
                let longer = elements().filter(|(a, _)| a.len() > 1).count();
                let formula = Formula::equal(a.term.clone(), Term::Reverse(Box::new(b.term.clone())));
                out.push(Proposal { formula, chance: all_by_chance(0.5, longer) });
            }
        }
    }
}
