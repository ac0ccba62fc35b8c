//! Objects are of one class, although the declared type allows others.
//!
//! Chance: 2⁻ⁿ for *n* samples.

use super::template::{Parts, Proposal, Template, all_by_chance};
use crate::formula;
use crate::program_point::ProgramPoint;
use crate::sort::Sort;
use crate::table::Table;
use crate::value::{Moment, Value};
use cupping_case::JavaType;

/// The template.
pub struct Class;

impl Template for Class {
    fn name(&self) -> &'static str {
        "class"
    }

    fn about(&self) -> &'static str {
        "x is of one class, other than the declared one; 2^-n"
    }

    fn parts(&self) -> Parts {
        Parts::None
    }

    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>) {
        let before = table.point.phase() == crate::term::Phase::Before;
        for column in table.columns.iter().filter(|it| it.sort == Sort::Reference && !it.is_old()) {
            let declared = match &column.ty {
                JavaType::Class(declared) => declared.clone(),
                // An array of objects may have a subclass as element type, which rejects others.
                JavaType::Array(element) if element.is_reference() && table.point == ProgramPoint::Class => {
                    "".into()
                }
                _ => continue,
            };
            let mut class = None;
            let mut rows = 0;
            let mut is_one = true;
            for (value, execution) in column.values.iter().zip(&table.rows) {
                let moment: &Moment = if before { &execution.entry } else { &execution.exit };
                match (value, moment.object(value)) {
                    (Value::Absent, _) => {}
                    (_, Some(object)) => {
                        rows += 1;
                        is_one &= **class.get_or_insert_with(|| object.class.clone()) == *object.class;
                    }
                    _ => is_one = false,
                }
            }
            let Some(class) = class.filter(|it| is_one && **it != *declared && !it.contains("$$")) else {
                continue;
            };
            let formula = formula::Class { object: column.term.clone(), class: class.to_string() }.into();
            out.push(Proposal { formula, chance: all_by_chance(0.5, rows.min(table.samples)) });
        }
    }
}
