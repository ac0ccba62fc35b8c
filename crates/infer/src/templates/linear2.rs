//! `a·x + b·y + c == 0` for two numbers, with `a` and `b` at most 10.
//!
//! Chance: two rows determine the line; each further distinct pair lies on it with probability 0.35 if the line is
//! near equality, else 0.3. The number of rows counts a little for the former.

use super::template::{Parts, Proposal, Template, all_by_chance, gcd, numbers, pairs};
use crate::formula::Formula;
use crate::table::{Column, Table};
use crate::term::Term;

/// The template.
pub struct Linear2;

impl Template for Linear2 {
    fn name(&self) -> &'static str {
        "linear, two variables"
    }

    fn about(&self) -> &'static str {
        "x == a * y + c; two pairs fix it, 0.35^(n-2) for the others"
    }

    fn parts(&self) -> Parts {
        Parts::All
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> = numbers(table).collect();
        for (at, a) in columns.iter().enumerate() {
            for b in &columns[at + 1..] {
                let n = pairs(a, b);
                if let Some((p, q, c)) = line(a, b).filter(|_| n >= 2) {
                    // Lines other than `x == y + 1` need more evidence.
                    let is_usual = p == 1 && q == 1 && c.abs() <= 2;
                    let chance = if is_usual {
                        all_by_chance(0.35, n - 2) * all_by_chance(0.9, table.samples)
                    } else {
                        all_by_chance(0.3, n - 2)
                    };
                    let (left, right) = sides(a.term.clone(), b.term.clone(), p, q, c);
                    out.push(Proposal { formula: Formula::equal(left, right), chance });
                }
            }
        }
    }
}

/// The smallest `p`, `q`, `c` with `p·a == q·b + c` in all rows, where neither factor is 0 and the line is not
/// equality.
fn line(a: &Column, b: &Column) -> Option<(i64, i64, i64)> {
    let rows: Vec<(i128, i128)> =
        a.values.iter().zip(&b.values).filter_map(|(a, b)| Some((a.number()?, b.number()?))).collect();
    let (x0, y0) = *rows.first()?;
    let (x1, y1) = *rows.iter().find(|it| it.0 != x0 && it.1 != y0)?;
    let (mut q, mut p) = (x1 - x0, y1 - y0);
    let divisor = gcd(q, p);
    (q, p) = (q / divisor, p / divisor);
    if p < 0 {
        (q, p) = (-q, -p);
    }
    let c = p * x0 - q * y0;
    let is_small = p <= 10 && q.abs() <= 10 && c.abs() < 1 << 31;
    let is_equality = p == 1 && q == 1 && c == 0;
    let holds = is_small && rows.iter().all(|(x, y)| p * x == q * y + c);
    (holds && !is_equality).then_some((p as i64, q as i64, c as i64))
}

/// `p·x == q·y + c`, with positive factors if possible.
fn sides(x: Term, y: Term, p: i64, q: i64, c: i64) -> (Term, Term) {
    let single = |factor: i64, term: Term, c: i64| {
        if factor == 1 && c == 0 { term } else { Term::Linear(vec![(factor, term)], c) }
    };
    (single(p, x, 0), single(q, y, c))
}
