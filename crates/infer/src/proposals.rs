//! Proposals of templates that hold of all samples and are unlikely to hold by chance.

use crate::formula::Formula;
use crate::table::{Column, Table};
use crate::templates::{Proposal, Template, is_at_chosen_index};
use crate::term::Term;
use crate::value::Value;
use rustc_hash::FxHashSet;

/// The largest probability of holding by chance with which a formula is believed.
pub const CONFIDENCE: f64 = 0.01;

/// The accepted proposals of templates, without repetition.
pub fn propose(templates: &[&'static dyn Template], table: &Table<'_>) -> Vec<(Formula, &'static str)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for template in templates {
        let mut proposals: Vec<Proposal> = Vec::new();
        template.propose(table, &mut proposals);
        for Proposal { formula, chance } in proposals {
            if chance <= CONFIDENCE
                && !is_of_chosen_element(&formula)
                && holds(&formula, table)
                && seen.insert(format!("{formula:?}"))
            {
                found.push((formula, template.name()));
            }
        }
    }
    found
}

/// Whether a formula fixes the element at an index that the caller chose.
fn is_of_chosen_element(formula: &Formula) -> bool {
    formula.as_compare().is_some_and(|it| {
        matches!(it.right, Term::Constant(Value::Int(_) | Value::Char(_))) && is_at_chosen_index(&it.left)
    })
}

/// Whether a formula holds for all rows in which its values exist, and there is such a row.
pub fn holds(formula: &Formula, table: &Table<'_>) -> bool {
    let when = table.point.phase();
    let mut any = false;
    for execution in &table.rows {
        match formula.holds(execution, when) {
            Some(true) => any = true,
            Some(false) => return false,
            None => {}
        }
    }
    any
}

/// The table without columns that always equal another column.
pub fn without_equals<'e>(table: &Table<'e>, equalities: &[&Formula]) -> Table<'e> {
    let mut left_out: Vec<&Term> = Vec::new();
    let is_there =
        |term: &Term| table.columns.iter().find(|it| it.term == *term).is_some_and(Column::is_always_present);
    for formula in equalities {
        let Some((a, b)) = formula.as_equality() else { continue };
        if matches!(b, Term::Constant(_)) || left_out.contains(&a) || left_out.contains(&b) {
            continue;
        }
        let is_past = |term: &Term| term.any(&mut |it| matches!(it, Term::Old(_)));
        let observed = |term: &Term| term.any(&mut |it| matches!(it, Term::Observer(..)));
        let rank = |term: &Term| (is_past(term), observed(term), term.size());
        // A column that always exists may replace one that does not.
        let (there_a, there_b) = (is_there(a), is_there(b));
        let drops_a = if there_a == there_b { rank(a) > rank(b) } else { there_b };
        let dropped = if drops_a { a } else { b };
        if *dropped != Term::Result {
            left_out.push(dropped);
        }
    }
    let mut reduced = table.clone();
    // Values read through a removed column can be read through the other one.
    let is_by_way = |term: &Term| term.parts().into_iter().any(|it| it.any(&mut |it| left_out.contains(&it)));
    reduced.columns.retain(|it| !left_out.contains(&&it.term) && !is_by_way(&it.term));
    reduced
}
