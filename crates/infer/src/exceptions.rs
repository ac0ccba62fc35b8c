//! When a method throws (slides: illegal inputs, "adding preconditions"): conditions at entry under which it always does,
//! as few as together are all cases.

use crate::atoms::{atoms, thresholds};
use crate::formula::Formula;
use crate::inference::without_equals;
use crate::subject::Subject;
use crate::table::{Column, ProgramPoint, Table};
use crate::term::Phase;
use crate::trace::{Ending, Execution};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a method throws and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThrowsClause {
    /// The method.
    pub method: String,
    /// Internal name of the exception's class.
    pub class: String,
    /// Under this condition at entry it is always thrown.
    pub condition: Formula,
    /// Whether it is thrown under no other.
    pub exact: bool,
    /// Whether the method declares it.
    pub declared: bool,
    /// How many executions threw it.
    pub samples: usize,
}

/// Alternatives of a condition at most.
const MOST_ALTERNATIVES: usize = 4;

/// What is likely of the exceptions of a method.
pub fn throws(
    subject: &Subject,
    method: usize,
    executions: &[&Execution],
    invariants: &[Formula],
) -> Vec<ThrowsClause> {
    let own: Vec<&Execution> = executions.iter().copied().filter(|it| it.method == method).collect();
    let mut classes: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for execution in &own {
        if let Ending::Threw { class, declared } = &execution.ending {
            let known = classes.entry(class.to_string()).or_insert((0, *declared));
            known.0 += 1;
        }
    }
    if classes.is_empty() {
        return Vec::new();
    }
    let key = subject.key(method);
    let table = Table::of_entries(subject, &ProgramPoint::Entry(key.clone()), &own);
    let table = without_equals(&table, &invariants.iter().collect::<Vec<_>>());
    let mut found = Vec::new();
    for (class, (samples, declared)) in classes {
        let inside: Vec<bool> = table
            .rows
            .iter()
            .map(|it| matches!(&it.ending, Ending::Threw { class: own, .. } if **own == *class))
            .collect();
        if let Some((condition, exact)) = condition(&table, &inside) {
            found.push(ThrowsClause { method: key.clone(), class, condition, exact, declared, samples });
        }
    }
    found
}

/// A condition that holds of no row outside, and whether it holds of all inside.
fn condition(table: &Table<'_>, inside: &[bool]) -> Option<(Formula, bool)> {
    if !inside.contains(&false) {
        return None;
    }
    let any = |_: &Column| true;
    let mut all = atoms(table, &any);
    thresholds(table, inside, &mut all);
    let mut rows: Vec<(Formula, Vec<bool>)> = Vec::new();
    for formula in all {
        let truths: Vec<Option<bool>> =
            table.rows.iter().map(|it| formula.holds(it, Phase::Before)).collect();
        let outside = truths.iter().zip(inside).any(|(truth, inside)| *truth == Some(true) && !inside);
        if !outside && truths.contains(&Some(true)) {
            rows.push((formula, truths.into_iter().map(|it| it == Some(true)).collect()));
        }
    }
    let mut open = inside.to_vec();
    let mut chosen = Vec::new();
    while open.contains(&true) && chosen.len() < MOST_ALTERNATIVES {
        let gain = |truths: &[bool]| truths.iter().zip(&open).filter(|(a, b)| **a && **b).count();
        let size = |it: &Formula| it.terms().iter().map(|it| it.size()).sum::<usize>();
        // The first of the best: fewer terms before more.
        let best =
            rows.iter().max_by(|a, b| gain(&a.1).cmp(&gain(&b.1)).then(size(&b.0).cmp(&size(&a.0))))?;
        if gain(&best.1) == 0 {
            break;
        }
        open.iter_mut().zip(&best.1).for_each(|(open, covered)| *open &= !covered);
        chosen.push(best.0.clone());
    }
    if chosen.is_empty() {
        return None;
    }
    let exact = !open.contains(&true);
    // A condition for a few of many is how these few happen to look.
    let (left, all) = (open.iter().filter(|it| **it).count(), inside.iter().filter(|it| **it).count());
    if !exact && left * 2 > all {
        return None;
    }
    let formula = if chosen.len() == 1 { chosen.remove(0) } else { Formula::Any(chosen) };
    Some((formula, exact))
}
