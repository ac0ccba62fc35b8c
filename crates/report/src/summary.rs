//! The table a user reads at the end: a line per class, then what went wrong.

use crate::result::ClassResult;
use crate::withheld;
use cupping_case::{CoverageCount, CriterionResult, Outcome, Recollection};
use std::collections::BTreeMap;
use std::fmt::Write;

const HEADINGS: [&str; 6] = ["class", "tests", "lines", "branches", "failing", "time"];

/// The summary as text with final newline; `colour` adds terminal escapes and is for terminals only.
pub fn summary(results: &[ClassResult], colour: bool) -> String {
    let mut rows: Vec<[String; 6]> = vec![HEADINGS.map(String::from)];
    rows.extend(results.iter().map(row));
    if results.len() > 1 {
        rows.push(total(results));
    }
    let widths: [usize; 6] =
        std::array::from_fn(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0));
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        let line = aligned(row, &widths);
        let failing = at > 0 && row[4] != "0" && row[4] != "-";
        let _ = match (colour, at, failing) {
            (true, 0, _) => writeln!(out, "\u{1b}[1m{line}\u{1b}[0m"),
            (true, _, true) => writeln!(out, "\u{1b}[33m{line}\u{1b}[0m"),
            _ => writeln!(out, "{line}"),
        };
    }
    for result in results {
        details(result, &mut out);
    }
    out
}

fn row(result: &ClassResult) -> [String; 6] {
    let time = format!("{:.2} s", result.elapsed.as_secs_f64());
    if result.error.is_some() {
        let none = || "-".to_string();
        return [result.class_name(), none(), none(), none(), none(), time];
    }
    let (tests, failing) = (result.tests().to_string(), result.failing().to_string());
    [result.class_name(), tests, ratio(result.suite.lines), ratio(result.suite.branches), failing, time]
}

fn total(results: &[ClassResult]) -> [String; 6] {
    let sum = |of: fn(&ClassResult) -> CoverageCount| {
        results.iter().filter(|result| result.error.is_none()).map(of).fold(
            CoverageCount::default(),
            |sum, one| CoverageCount { covered: sum.covered + one.covered, total: sum.total + one.total },
        )
    };
    let tests: usize = results.iter().map(ClassResult::tests).sum();
    let failing: usize = results.iter().map(ClassResult::failing).sum();
    let time: f64 = results.iter().map(|result| result.elapsed.as_secs_f64()).sum();
    [
        "total".into(),
        tests.to_string(),
        ratio(sum(|it| it.suite.lines)),
        ratio(sum(|it| it.suite.branches)),
        failing.to_string(),
        format!("{time:.2} s"),
    ]
}

/// `95% (19/20)`, rounded down so that only what is complete is 100%.
fn ratio(count: CoverageCount) -> String {
    let CoverageCount { covered, total } = count;
    match (u64::from(covered) * 100).checked_div(u64::from(total)) {
        Some(percent) => format!("{percent}% ({covered}/{total})"),
        None => "-".into(),
    }
}

fn aligned(row: &[String; 6], widths: &[usize; 6]) -> String {
    let mut line = format!("{:<width$}", row[0], width = widths[0]);
    for (cell, width) in row.iter().zip(widths).skip(1) {
        let _ = write!(line, "  {cell:>width$}");
    }
    line
}

fn details(result: &ClassResult, out: &mut String) {
    if let Some(error) = &result.error {
        let _ = writeln!(out, "{}: {error}", result.class_name());
    }
    recollection(result, out);
    for criterion in &result.suite.criteria {
        criteria(result, criterion, out);
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
    preconditions(result, out);
    out.push_str(&withheld::text(&result.class_name(), &withheld::of_suite(&result.suite)));
    for divergence in &result.divergences {
        let _ = writeln!(out, "{divergence}");
    }
}

/// What the tests that are not written would pass, the most frequent first.
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

/// What became of the tests of an earlier run.
fn recollection(result: &ClassResult, out: &mut String) {
    let Recollection { held, changed, lost, .. } = &result.suite.recollection;
    if held.is_empty() && changed.is_empty() && lost.is_empty() {
        return;
    }
    let name = result.class_name();
    let (held, all) = (held.len(), held.len() + changed.len() + lost.len());
    let _ = writeln!(out, "{name}: {held} of {all} tests of the corpus hold as they were");
    for test in changed {
        let _ = writeln!(out, "  shows something else now: {test}");
    }
    for (test, why) in lost {
        let _ = writeln!(out, "  gone: {test} ({why})");
    }
}

/// What is left open is listed, the first few of it.
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
