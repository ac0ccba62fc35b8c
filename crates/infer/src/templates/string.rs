//! Shapes of strings: digits, letters and digits, not empty, one case, no surrounding white space.
//!
//! Chance: half of the strings have a shape; 2⁻ᵈ for *d* distinct ones. In the list, a shape precedes those that it
//! implies.

use super::template::{Parts, Proposal, Template, all_by_chance};
use crate::formula::{self, Shape};
use crate::sort::Sort;
use crate::table::Table;
use crate::value::Value;

/// The template.
pub struct Shapes;

impl Template for Shapes {
    fn name(&self) -> &'static str {
        "string shapes"
    }

    fn about(&self) -> &'static str {
        "a string consists of digits, of letters and digits, is not empty, has one case; 2^-d"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in table.columns.iter().filter(|it| it.sort == Sort::Text && it.distinct > 3) {
            let texts: Vec<&str> = column
                .values
                .iter()
                .filter_map(|it| match it {
                    Value::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            let shape = Shape::ALL.into_iter().find(|shape| texts.iter().all(|it| shape.fits(it)));
            if let Some(shape) = shape {
                let chance = all_by_chance(0.5, column.distinct);
                out.push(Proposal {
                    formula: formula::StringShape { term: column.term.clone(), shape }.into(),
                    chance,
                });
            }
        }
    }
}
