//! The elements are unchanged except at one index: a call writes one element and nothing else.
//!
//! Chance: a change of one of *k* elements is at that index with probability 1/k; the product over the rows with a
//! change.

use super::template::{Parts, Proposal, Template, is_past_of, numbers, sequences};
use crate::formula;
use crate::table::{Column, Table};
use crate::term::Term;

/// The template.
pub struct Frame;

impl Template for Frame {
    fn name(&self) -> &'static str {
        "frame"
    }

    fn about(&self) -> &'static str {
        "a == old(a) but at i; the product of 1/k over the rows in which one of k elements has changed"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> =
            sequences(table).filter(|it| matches!(part(&it.term), Term::Elements(_))).collect();
        for new in columns.iter().filter(|it| !it.is_old()) {
            let Some(old) = columns.iter().find(|it| it.is_old() && is_past_of(&new.term, &it.term)) else {
                continue;
            };
            if let Some(proposal) = at(table, new, old) {
                out.push(proposal);
            }
        }
    }
}

fn part(term: &Term) -> &Term {
    match term {
        Term::Old(of) => of,
        other => other,
    }
}

/// The first index at which all changes are: present terms come before past ones, an index before its neighbours.
fn at(table: &Table<'_>, new: &Column, old: &Column) -> Option<Proposal> {
    // Number of elements and index of the change, by row.
    let mut rows: Vec<Option<(usize, Option<usize>)>> = Vec::new();
    let mut chance = 1.0;
    for (a, b) in new.values.iter().zip(&old.values) {
        let (Some(a), Some(b)) = (a.elements(), b.elements()) else {
            rows.push(None);
            continue;
        };
        let differs = |at: &usize| a[*at].same(&b[*at]) != Some(true);
        let mut all = (0..a.len().min(b.len())).filter(differs);
        let first = all.next();
        if a.len() != b.len() || all.next().is_some() {
            return None;
        }
        if first.is_some() {
            chance /= a.len() as f64;
        }
        rows.push(Some((a.len(), first)));
    }
    for offset in [0, 1, -1] {
        for index in numbers(table) {
            let mut both = index.values.iter().zip(&rows);
            let fits = both.all(|(index, row)| match row {
                Some((_, Some(place))) => index.number() == Some(*place as i128 - i128::from(offset)),
                _ => true,
            });
            if fits {
                let index = index.term.clone();
                let index = if offset == 0 { index } else { Term::Linear(vec![(1, index)], offset) };
                let formula =
                    formula::Frame { after: new.term.clone(), before: old.term.clone(), index }.into();
                return Some(Proposal { formula, chance });
            }
        }
    }
    None
}
