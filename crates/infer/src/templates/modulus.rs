//! `x % m == r`.
//!
//! `m` is the greatest common divisor of the differences. Chance: a different value has the remainder with
//! probability 1/m.

use super::template::{Parts, Proposal, Template, all_by_chance, gcd, numbers};
use crate::formula;
use crate::table::Table;

/// The template.
pub struct Modulus;

impl Template for Modulus {
    fn name(&self) -> &'static str {
        "modulus"
    }

    fn about(&self) -> &'static str {
        "x % m == r; m^-(d-1) for d different values"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in numbers(table).filter(|it| it.distinct >= 4) {
            let all: Vec<i128> = column.numbers().into_iter().flatten().collect();
            let Some(first) = all.first() else { continue };
            let modulus = all.iter().fold(0, |m, it| if it == first { m } else { gcd(m, it - first) });
            if (2..1 << 20).contains(&modulus) {
                let chance = all_by_chance(1.0 / modulus as f64, column.distinct - 1);
                let rest = first.rem_euclid(modulus) as i64;
                let formula =
                    formula::Modulus { term: column.term.clone(), modulus: modulus as i64, remainder: rest }
                        .into();
                out.push(Proposal { formula, chance });
            }
        }
    }
}
