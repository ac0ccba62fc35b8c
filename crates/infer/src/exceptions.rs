//! When a method throws (slides: illegal inputs, "adding preconditions"): few conditions at entry that together cover
//! all executions that throw.

use crate::atoms::{atoms, thresholds};
use crate::formula::{Any, Comparison, Formula};
use crate::program_point::ProgramPoint;
use crate::proposals::without_equals;
use crate::specification::ThrowsClause;
use crate::subject::Subject;
use crate::table::{Column, Table};
use crate::term::{Phase, Term};
use crate::trace::{CallOutcome, Execution};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of alternatives of a condition.
const MOST_ALTERNATIVES: usize = 4;

/// The likely throws clauses of a method.
pub fn throws(
    subject: &Subject,
    method: usize,
    executions: &[&Execution],
    invariants: &[Formula],
) -> Vec<ThrowsClause> {
    let own: Vec<&Execution> = executions.iter().copied().filter(|it| it.method == method).collect();
    let mut classes: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for execution in &own {
        if let CallOutcome::Threw { class, declared } = &execution.ending {
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
    // Where no call returned, nothing is known of those that would: what holds for all but null may be an accident.
    let returns = own.iter().any(|it| matches!(it.ending, CallOutcome::Returned(_)));
    let mut found = Vec::new();
    for (class, (samples, declared)) in classes {
        let inside: Vec<bool> = table
            .rows
            .iter()
            .map(|it| matches!(&it.ending, CallOutcome::Threw { class: own, .. } if **own == *class))
            .collect();
        if let Some((condition, exact)) = condition(&table, &inside, &subject.constants)
            && (returns || is_null_check(&condition))
        {
            found.push(ThrowsClause { method: key.clone(), class, condition, exact, declared, samples });
        }
    }
    found
}

/// Whether a condition says that something is null.
fn is_null_check(condition: &Formula) -> bool {
    condition.as_equality().is_some_and(|it| *it.1 == Term::Constant(Value::Null))
}

/// A condition that holds for no row outside, and whether it covers all rows inside.
fn condition(table: &Table<'_>, inside: &[bool], of_code: &BTreeSet<i64>) -> Option<(Formula, bool)> {
    if !inside.contains(&false) {
        return None;
    }
    let any = |_: &Column| true;
    let mut all = atoms(table, &any);
    // Negated conditions are as good as positive ones: not true, absent, another constant.
    let is_of_few = |it: &&Formula| {
        let constant = it.as_equality().map(|it| it.1);
        matches!(constant, Some(Term::Constant(Value::Bool(_) | Value::Null | Value::Enum(..))))
    };
    let others: Vec<Formula> = all.iter().filter(is_of_few).map(Formula::negation).collect();
    all.extend(others);
    thresholds(table, inside, of_code, &mut all);
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
        let size = Formula::size;
        // Among conditions that cover equally many rows, take the first with the smallest terms.
        let best =
            rows.iter().max_by(|a, b| gain(&a.1).cmp(&gain(&b.1)).then(size(&b.0).cmp(&size(&a.0))))?;
        if gain(&best.1) == 0 {
            break;
        }
        // People prefer `n == 0` to the equivalent `n < 1`.
        let is_plainer =
            |it: &&(Formula, Vec<bool>)| it.1 == best.1 && is_zero_for_less_than_one(&it.0, &best.0);
        let best = rows.iter().find(is_plainer).unwrap_or(best);
        open.iter_mut().zip(&best.1).for_each(|(open, covered)| *open &= !covered);
        chosen.push(best.0.clone());
    }
    if chosen.is_empty() {
        return None;
    }
    let exact = !open.contains(&true);
    // A condition that covers few of many rows is probably an accident.
    let (left, all) = (open.iter().filter(|it| **it).count(), inside.iter().filter(|it| **it).count());
    if !exact && left * 2 > all {
        return None;
    }
    let formula = if chosen.len() == 1 { chosen.remove(0) } else { Any { alternatives: chosen }.into() };
    Some((formula, exact))
}

/// Whether the first formula says `n == 0` and the second `n < 1` of the same term.
fn is_zero_for_less_than_one(zero: &Formula, less: &Formula) -> bool {
    let int = |value: i64| Term::Constant(Value::Int(value));
    let (Some(zero), Some(less)) = (zero.as_compare(), less.as_compare()) else { return false };
    (zero.comparison, less.comparison) == (Comparison::Equal, Comparison::Less)
        && zero.left == less.left
        && (&zero.right, &less.right) == (&int(0), &int(1))
}
