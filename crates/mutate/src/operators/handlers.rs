//! Removal of exception handlers: the exception is not caught there. A handler of several types loses one at a time.
//! Handlers generated for `finally`, `synchronized` and resources catch everything, and stay.

use super::{Change, Operator, Replacement, Site};
use std::sync::Arc;

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "removed handler",
    description: "a `catch` does not catch",
    pit: &[],
    is_default: true,
    replacements: removed,
};

fn removed(site: &Site<'_>) -> Vec<Replacement> {
    let rows = site.code.exception_table.iter().enumerate();
    let rows = rows.filter(|(_, row)| u32::from(row.handler) == site.instruction.pc);
    // javac splits the range of one handler around code of `finally`.
    let mut by_type: Vec<(&Arc<str>, Vec<usize>)> = Vec::new();
    for (at, row) in rows {
        let Some(caught) = &row.catch_type else { continue };
        match by_type.iter_mut().find(|(other, _)| *other == caught) {
            Some((_, rows)) => rows.push(at),
            None => by_type.push((caught, vec![at])),
        }
    }
    let removed = by_type.into_iter().map(|(caught, rows)| Replacement {
        change: Change::Handlers(rows),
        more_stack: 0,
        what: format!("{} is not caught", caught.rsplit('/').next().unwrap_or_default()),
        pit: None,
    });
    removed.collect()
}
