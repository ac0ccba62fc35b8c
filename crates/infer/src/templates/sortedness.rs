//! Elements are in order, rising or falling, strictly or not.
//!
//! Chance: 2⁻ᵖ for *p* pairs of neighbours in distinct sequences.

use super::template::{Parts, Proposal, Template, all_by_chance, sequences};
use crate::formula;
use crate::table::Table;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// The template.
pub struct Sortedness;

impl Template for Sortedness {
    fn name(&self) -> &'static str {
        "sorted"
    }

    fn about(&self) -> &'static str {
        "elements rise or fall, strictly or not; 2^-p for p pairs of neighbours"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        'columns: for column in sequences(table).filter(|it| !it.is_old()) {
            let (mut rises, mut falls, mut same, mut pairs) = (0, 0, 0, 0);
            let mut seen = FxHashSet::default();
            for all in column.values.iter().filter_map(|it| it.elements()) {
                if !seen.insert(format!("{all:?}")) {
                    continue;
                }
                for pair in all.windows(2) {
                    pairs += 1;
                    match pair[0].order(&pair[1]) {
                        Some(Ordering::Less) => rises += 1,
                        Some(Ordering::Greater) => falls += 1,
                        Some(Ordering::Equal) => same += 1,
                        None => continue 'columns,
                    }
                }
            }
            if pairs == 0 || rises > 0 && falls > 0 || rises + falls == 0 {
                continue;
            }
            let seq = column.term.clone();
            let formula =
                formula::Sortedness { elements: seq, is_strict: same == 0, is_falling: falls > 0 }.into();
            out.push(Proposal { formula, chance: all_by_chance(0.5, rises + falls) });
        }
    }
}
