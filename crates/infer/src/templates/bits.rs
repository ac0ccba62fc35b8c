//! `(x & mask) == bits`: bits that are always set or always clear, at least two more than a remainder implies.
//!
//! Chance: in each distinct value, a bit is set or not with equal probability.

use super::template::{Parts, Proposal, Template, all_by_chance, numbers};
use crate::formula;
use crate::table::Table;

/// The template.
pub struct Bits;

impl Template for Bits {
    fn name(&self) -> &'static str {
        "bits"
    }

    fn about(&self) -> &'static str {
        "(x & mask) == bits for a run of bits, within the bits that any value has; 2^-(d-1) for each bit"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in numbers(table).filter(|it| it.distinct >= 4) {
            let all: Vec<i64> =
                column.numbers().into_iter().flatten().filter_map(|it| i64::try_from(it).ok()).collect();
            if all.iter().any(|it| *it < 0) {
                continue;
            }
            let (ones, any) = all.iter().fold((i64::MAX, 0), |(ones, any), it| (ones & it, any | it));
            let width = 64 - any.leading_zeros();
            let within = if width >= 63 { continue } else { (1i64 << width) - 1 };
            let low = (any | !within).trailing_zeros();
            // Clear bits at the low end are a remainder.
            let mask = (ones | !any) & within & !((1i64 << low) - 1);
            // Scattered bits are an accident of values that are far apart.
            let is_run = mask & (mask + (mask & -mask)) == 0;
            if mask.count_ones() >= 2 && is_run {
                let chance = all_by_chance(0.5, column.distinct - 1);
                let formula = formula::Bits { term: column.term.clone(), mask, bits: ones & mask }.into();
                out.push(Proposal { formula, chance });
            }
        }
    }
}
