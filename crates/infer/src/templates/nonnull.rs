//! `x != null`.
//!
//! Chance: half of the values being `null`, 2⁻ⁿ for *n* samples.

use super::template::{Parts, Proposal, Template, all_by_chance};
use crate::formula::{self, Comparison, Formula};
use crate::sort::Sort;
use crate::table::Table;
use crate::term::Term;
use crate::value::Value;

/// The template.
pub struct NonNull;

impl Template for NonNull {
    fn name(&self) -> &'static str {
        "non-null"
    }

    fn about(&self) -> &'static str {
        "x != null, and each element != null; 2^-n"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in &table.columns {
            let chance = all_by_chance(0.5, table.samples);
            let null = || Term::Constant(Value::Null);
            match &column.sort {
                sort if sort.is_nullable() && column.term != Term::This => {
                    let formula = Formula::compare(column.term.clone(), Comparison::Different, null());
                    out.push(Proposal { formula, chance });
                }
                Sort::Elements(element) if element.is_nullable() => {
                    let seen: usize =
                        column.values.iter().filter_map(|it| it.elements()).map(<[Value]>::len).sum();
                    let formula = formula::ElementComparison {
                        elements: column.term.clone(),
                        comparison: Comparison::Different,
                        value: null(),
                    }
                    .into();
                    out.push(Proposal { formula, chance: all_by_chance(0.5, seen) });
                }
                _ => {}
            }
        }
    }
}
