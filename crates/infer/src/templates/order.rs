//! `x < y`, `x <= y`, `x != y` of two numbers; `<=` of two strings.
//!
//! Chance: 2⁻ⁿ for *n* distinct pairs; for `!=`, the probability that a pair is equal is one divided by the number
//! of values of either variable.

use super::template::{Parts, Proposal, Template, all_by_chance, is_part, numbers, pairs};
use crate::formula::{Comparison, Formula};
use crate::table::{Column, Table};

/// The template.
pub struct Order;

impl Template for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    fn about(&self) -> &'static str {
        "x < y, x <= y, x != y; 2^-n for n different pairs"
    }

    fn parts(&self) -> Parts {
        Parts::ReturnedTruths
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let columns: Vec<&Column> = numbers(table).collect();
        for (at, a) in columns.iter().enumerate() {
            for b in &columns[at + 1..] {
                if is_part(&a.term, &b.term) && !a.is_old() && !b.is_old() {
                    continue;
                }
                propose(a, b, out);
            }
        }
    }
}

fn propose(a: &Column, b: &Column, out: &mut Vec<Proposal>) {
    let (mut less, mut greater, mut equal) = (false, false, false);
    for (x, y) in a.values.iter().zip(&b.values) {
        match x.order(y) {
            Some(std::cmp::Ordering::Less) => less = true,
            Some(std::cmp::Ordering::Greater) => greater = true,
            Some(std::cmp::Ordering::Equal) => equal = true,
            None => {}
        }
    }
    let comparison = match (less, equal, greater) {
        (true, true, false) => Comparison::AtMost,
        (true, false, false) => Comparison::Less,
        (false, true, true) => Comparison::AtLeast,
        (false, false, true) => Comparison::Greater,
        (true, false, true) => Comparison::Different,
        _ => return,
    };
    let n = pairs(a, b);
    let chance = if comparison == Comparison::Different {
        all_by_chance(1.0 - 1.0 / a.distinct.max(b.distinct) as f64, n)
    } else {
        all_by_chance(0.5, n)
    };
    let formula = Formula::compare(a.term.clone(), comparison, b.term.clone());
    out.push(Proposal { formula, chance });
}
