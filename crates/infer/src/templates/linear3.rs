//! `x == a·y + b·z + c` for three numbers, where `a` and `b` are 1 or −1.
//!
//! Chance: these few planes are tried directly; each distinct row after the first three lies on one with probability
//! ½.

use super::template::{Parts, Proposal, Template, all_by_chance, is_part, numbers};
use crate::formula::Formula;
use crate::table::{Column, Table};
use crate::term::Term;

/// The template.
pub struct Linear3;

/// The largest number of columns: triples are many.
const MOST: usize = 14;

impl Template for Linear3 {
    fn name(&self) -> &'static str {
        "linear, three variables"
    }

    fn about(&self) -> &'static str {
        "x == y + z + c, x == y - z + c; 2^-(n-3) for n different rows"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> = numbers(table).filter(|it| it.is_always_present()).take(MOST).collect();
        for (i, x) in columns.iter().enumerate() {
            for (j, y) in columns.iter().enumerate() {
                for z in columns.iter().skip(j + 1) {
                    let is_same = std::ptr::eq(*x, *y) || std::ptr::eq(*x, *z);
                    let part = [(x, y), (x, z), (y, z)].iter().any(|(a, b)| is_part(&a.term, &b.term));
                    let all_old = x.is_old() && y.is_old() && z.is_old();
                    if is_same || part && !x.is_old() && !y.is_old() && !z.is_old() || all_old {
                        continue;
                    }
                    for (a, b) in [(1, 1), (1, -1), (-1, 1)] {
                        // `x == y + z` is `y == x - z`: the sum is proposed if `x` comes first.
                        if a == -1 && j < i {
                            continue;
                        }
                        propose(table, (x, y, z), (a, b), out);
                    }
                }
            }
        }
    }
}

fn propose(
    table: &Table<'_>,
    (x, y, z): (&Column, &Column, &Column),
    (a, b): (i64, i64),
    out: &mut Vec<Proposal>,
) {
    let at = |column: &Column, row: usize| column.values[row].number();
    let mut constant = None;
    for row in 0..table.rows.len() {
        let (Some(x), Some(y), Some(z)) = (at(x, row), at(y, row), at(z, row)) else { return };
        let c = x - i128::from(a) * y - i128::from(b) * z;
        if *constant.get_or_insert(c) != c {
            return;
        }
    }
    let Some(c) = constant.and_then(|it| i64::try_from(it).ok()).filter(|it| it.abs() < 1000) else { return };
    let mut triples: Vec<_> = (0..table.rows.len()).map(|row| (at(x, row), at(y, row), at(z, row))).collect();
    triples.sort_unstable();
    triples.dedup();
    let chance = all_by_chance(0.5, triples.len().saturating_sub(3));
    let right = Term::Linear(vec![(a, y.term.clone()), (b, z.term.clone())], c);
    let formula = Formula::equal(x.term.clone(), right);
    out.push(Proposal { formula, chance });
}
