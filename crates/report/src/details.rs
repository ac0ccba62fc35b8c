//! The details of a class below the summary's table: the fate of earlier tests, open goals, likely defects, and
//! tests that were not written.

use crate::result::ClassResult;
use crate::withheld_tests;
use cupping_case::{CriterionResult, Outcome, Recollection};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The lines of a class, each with its end.
pub(crate) fn details(result: &ClassResult) -> String {
    let mut out = String::new();
    if let Some(error) = &result.error {
        let _ = writeln!(out, "{}: {error}", result.class_name());
    }
    if result.ended_by_clock {
        let name = result.class_name();
        let _ = writeln!(
            out,
            "{name}: the time was over before the work of the budget was done; another run may find other tests"
        );
    }
    recollection(result, &mut out);
    for criterion in &result.suite.criteria {
        criteria(result, criterion, &mut out);
    }
    for (class, name, case) in result.emitted(true) {
        let what = case.cause.as_ref().map(|it| &*it.what);
        let shown = match &case.outcome {
            Outcome::Threw { class: thrown, .. } => {
                let why = what.map_or(String::new(), |what| format!(" ({what})"));
                format!("{}{why}", thrown.replace('/', "."))
            }
            Outcome::Returned => what.unwrap_or("it returns").to_owned(),
        };
        let _ = writeln!(out, "failing input: {}.{name}: {shown}", class.name);
    }
    preconditions(result, &mut out);
    out.push_str(&withheld_tests::text(&result.class_name(), &withheld_tests::of_suite(&result.suite)));
    for divergence in &result.divergences {
        let _ = writeln!(out, "{divergence}");
    }
    out
}

/// Obstacles of the tests that are not written, the most frequent first.
fn preconditions(result: &ClassResult, out: &mut String) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for case in &result.suite.preconditions {
        if let Outcome::Threw { class, .. } = &case.outcome {
            let short = class.rsplit(['/', '$']).next().unwrap_or_default();
            *counts.entry(short.into()).or_default() += 1;
        }
    }
    let all: usize = counts.values().sum();
    if all == 0 {
        return;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let counts: Vec<String> = counts.into_iter().map(|(class, count)| format!("{class} {count}")).collect();
    let inputs = if all == 1 { "1 input breaks".into() } else { format!("{all} inputs break") };
    let (name, counts) = (result.class_name(), counts.join(", "));
    let _ =
        writeln!(out, "{name}: {inputs} an undeclared precondition ({counts}); --preconditions writes them");
}

/// The fate of the tests of an earlier run.
fn recollection(result: &ClassResult, out: &mut String) {
    let Recollection { held, changed, lost, .. } = &result.suite.recollection;
    if held.is_empty() && changed.is_empty() && lost.is_empty() {
        return;
    }
    let name = result.class_name();
    let (held, all) = (held.len(), held.len() + changed.len() + lost.len());
    let _ = writeln!(out, "{name}: {held} of {all} tests of the corpus still hold");
    for test in changed {
        let _ = writeln!(out, "  now has another outcome: {test}");
    }
    for (test, why) in lost {
        let _ = writeln!(out, "  gone: {test} ({why})");
    }
}

/// Lists the first few open goals.
fn criteria(result: &ClassResult, criterion: &CriterionResult, out: &mut String) {
    const SHOWN: usize = 12;
    let CriterionResult { met, unmet, infeasible, open, .. } = criterion;
    let name = criterion.criterion.name();
    let _ =
        writeln!(out, "{}: {name}: {met} met, {unmet} unmet, {infeasible} infeasible", result.class_name());
    for goal in open.iter().take(SHOWN) {
        let line = goal.line.map_or(String::new(), |line| format!(":{line}"));
        let (standing, why) = (goal.standing.name(), &goal.why);
        let _ = writeln!(out, "  {standing}: {}{line}: {} ({why})", goal.place, goal.text);
    }
    if open.len() > SHOWN {
        let _ = writeln!(out, "  and {} more, which --json and --html list", open.len() - SHOWN);
    }
}
