//! `x == a || x == b || x == c`: a variable has two or three values.
//!
//! Chance: the probability that *n* samples miss one more value that is as likely as each of these: (k/(k+1))ⁿ.

use super::template::{Parts, Proposal, Template, all_by_chance, is_length_of_text};
use crate::formula;
use crate::sort::Sort;
use crate::table::Table;
use crate::term::Term;
use crate::value::Value;

/// The template.
pub struct OneOf;

impl Template for OneOf {
    fn name(&self) -> &'static str {
        "one of"
    }

    fn about(&self) -> &'static str {
        "x is one of two or three values; (k/(k+1))^n"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        for column in &table.columns {
            // The caller chooses which elements exist.
            if column.term.any(&mut |it| matches!(it, Term::At(..))) || is_length_of_text(table, &column.term)
            {
                continue;
            }
            let k = column.distinct;
            if !(2..=3).contains(&k) || !matches!(column.sort, Sort::Number | Sort::Text | Sort::Reference) {
                continue;
            }
            let mut values: Vec<Value> = Vec::new();
            for value in column.values.iter().filter(|it| it.is_present()) {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
            let has_literal = |it: &Value| !matches!(it, Value::Object(_) | Value::Seq(_) | Value::Float(_));
            if !values.iter().all(has_literal) {
                continue;
            }
            values.sort_by(|a, b| a.order(b).unwrap_or_else(|| format!("{a:?}").cmp(&format!("{b:?}"))));
            let chance = all_by_chance(k as f64 / (k + 1) as f64, table.samples);
            out.push(Proposal {
                formula: formula::OneOf { term: column.term.clone(), values }.into(),
                chance,
            });
        }
    }
}
