//! Renders the report of test mode as text, as JSON, and as findings.

use crate::outcome::{Example, Report, WatchOutcome};
use cupping_view::sarif::{Finding, Level, Rule, SourceLine};
use serde_json::json as object;
use std::fmt::Write;

/// Limit on the call sites shown in the terminal.
const SHOWN: usize = 20;

/// The terminal report: counts, calls with an outcome worse than success, and what was not tested.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "test mode: {} calls checked against triples", report.calls);
    if report.skipped > 0 {
        let _ = writeln!(out, "  {:>10}  calls were skipped (--overhead, --budget)", report.skipped);
    }
    for outcome in WatchOutcome::ALL.iter().rev().filter(|it| report.count(**it) > 0) {
        let _ = writeln!(out, "  {:>10}  {}", report.count(*outcome), outcome.name());
    }
    for row in report.sites.iter().filter(|row| row.examples.iter().any(|(it, _)| is_bad(*it))).take(SHOWN) {
        let _ = writeln!(out, "\n{} called by {}", row.method, row.site);
        for (outcome, example) in row.examples.iter().filter(|(it, _)| is_bad(*it)) {
            write_example(&mut out, *outcome, row.counts.get(outcome).copied().unwrap_or(0), example);
        }
    }
    if !report.untested_paths.is_empty() {
        let _ = writeln!(out, "\npaths that no test takes:");
        for (method, way, count) in report.untested_paths.iter().take(SHOWN) {
            let _ = writeln!(out, "  {count:>10}  {method}: {way}");
        }
    }
    if !report.untested.is_empty() {
        let _ = writeln!(out, "\nmethods without triples:");
        for (method, count) in report.untested.iter().take(SHOWN) {
            let _ = writeln!(out, "  {count:>10}  {method}");
        }
    }
    if let Some(regression) = &report.regression {
        let changed = regression.changed.join(", ");
        let _ = writeln!(out, "\ntriples affected by changes to {changed}: {}", regression.triples.len());
        for concern in &regression.triples {
            let _ = writeln!(out, "  {:>10}  {}: {}", concern.calls, concern.triple, concern.method);
        }
    }
    if !report.suggestions.is_empty() {
        let _ = writeln!(out, "\npreconditions assumed from several triples:");
        for suggestion in report.suggestions.iter().take(SHOWN) {
            let refined = if suggestion.refined { " (refined by this run)" } else { "" };
            let _ = writeln!(out, "  {}: {}{refined}", suggestion.triple, suggestion.requirement);
        }
    }
    out
}

fn is_bad(outcome: WatchOutcome) -> bool {
    !matches!(outcome, WatchOutcome::Success | WatchOutcome::PathSuccess | WatchOutcome::Untested)
}

fn write_example(out: &mut String, outcome: WatchOutcome, count: u64, example: &Example) {
    let _ = writeln!(out, "  {} ({count} times): {}", outcome.name(), example.note);
    if !example.triple.is_empty() {
        let _ = writeln!(out, "    {}: {}", example.triple, example.text);
    }
    let show = |values: &[(String, String)]| {
        values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(out, "    before: {}", show(&example.before));
    let _ = writeln!(out, "    after:  {}", show(&example.after));
    for frame in example.stack.iter().skip(1).take(3) {
        let _ = writeln!(out, "    at {frame}");
    }
}

/// The report as JSON.
pub fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// The report as rules and findings, one for each outcome worse than success at a call site. The method is to blame;
/// the call is a related location.
pub fn findings(report: &Report) -> (Vec<Rule>, Vec<Finding>) {
    let bad = WatchOutcome::ALL.iter().filter(|it| is_bad(**it));
    let rules: Vec<Rule> = bad
        .map(|it| {
            let (title, help) = rule(*it);
            Rule { id: it.name().into(), title: title.into(), help: help.into(), level: level(*it) }
        })
        .collect();
    let mut findings = Vec::new();
    for row in &report.sites {
        for (outcome, example) in row.examples.iter().filter(|(it, _)| is_bad(*it)) {
            let message = format!("{}: {} {}", row.method, outcome.name(), example.note);
            let (site, line) = file_and_line(&row.site);
            let (file, first) = row.declared.clone().unwrap_or_else(|| (site.clone(), line));
            let caller = row.site.split('(').next().unwrap_or_default();
            findings.push(Finding {
                rule: outcome.name().into(),
                level: level(*outcome),
                message: message.trim().into(),
                place: SourceLine { file, line: first },
                method: row.method.to_string(),
                related: vec![(SourceLine { file: site, line }, format!("called by {}", row.site))],
                identity: format!("{} {} {caller} {}", outcome.name(), row.method, example.triple),
                properties: object!({
                    "triple": example.triple, "before": example.before, "after": example.after,
                }),
            });
        }
    }
    (rules, findings)
}

fn level(outcome: WatchOutcome) -> Level {
    if outcome == WatchOutcome::FailedTest { Level::Error } else { Level::Warning }
}

/// What an outcome means, and what to do.
fn rule(outcome: WatchOutcome) -> (&'static str, &'static str) {
    match outcome {
        WatchOutcome::FailedTest => (
            "A precondition held, and the postcondition did not.",
            "Compare the objects before and after the call with those of the test; the method or its arguments are wrong.",
        ),
        WatchOutcome::IncorrectCall => (
            "No precondition held, although the tests take every path through the method.",
            "Look at the caller: it calls the method in a state that the specification does not allow. If the call is right, add a triple.",
        ),
        WatchOutcome::PathAnomaly => (
            "A precondition held, but control took a path that differs from its tests'.",
            "Look for state that the precondition should mention, or for a fault on this path.",
        ),
        WatchOutcome::UntestedPath => (
            "No precondition held, and control took a path that no test takes.",
            "Add a test with the values of the example.",
        ),
        WatchOutcome::Success | WatchOutcome::PathSuccess | WatchOutcome::Untested => {
            ("Nothing is wrong.", "")
        }
    }
}

/// File and line from `a.B.f(B.java:3)`.
fn file_and_line(site: &str) -> (String, u64) {
    let inner = site.rsplit_once('(').map_or("", |(_, inner)| inner).trim_end_matches(')');
    let (file, line) = inner.split_once(':').unwrap_or((inner, "1"));
    let class = site.split('(').next().unwrap_or_default();
    let class = class.rsplit_once('.').map_or("", |(class, _)| class);
    let folder = class.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/") + "/");
    (folder + file, line.parse().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::SiteRow;
    use crate::picture::Picture;
    use std::collections::BTreeMap;

    fn example(note: &str) -> Example {
        Example {
            stack: ["a.B.f(B.java:3)", "a.C.g(C.java:7)", "a.C.main(C.java:9)"].map(str::to_owned).to_vec(),
            triple: "b.tj:4 empty".into(),
            text: "(true) requiredBy b.f() ensure (result == 0)".into(),
            before: vec![("b".into(), "B{n=1}".into())],
            after: vec![("b".into(), "B{n=1}".into()), ("result".into(), "1".into())],
            note: note.into(),
            before_state: Picture::default(),
            after_state: Picture::default(),
        }
    }

    fn report() -> Report {
        let outcomes = [(WatchOutcome::Success, 5), (WatchOutcome::FailedTest, 2)];
        let site = SiteRow {
            method: "a.B.f".into(),
            declared: None,
            site: "a.C.g(C.java:7)".into(),
            counts: BTreeMap::from(outcomes),
            examples: vec![
                (WatchOutcome::Success, example("as it should")),
                (WatchOutcome::FailedTest, example("result is 1")),
            ],
        };
        Report {
            calls: 7,
            skipped: 3,
            counts: BTreeMap::from(outcomes),
            sites: vec![site],
            ..Report::default()
        }
    }

    #[test]
    fn the_text_shows_what_is_bad_the_worst_first() {
        let expected = "\
test mode: 7 calls checked against triples
           3  calls were skipped (--overhead, --budget)
           2  failed-test
           5  success

a.B.f called by a.C.g(C.java:7)
  failed-test (2 times): result is 1
    b.tj:4 empty: (true) requiredBy b.f() ensure (result == 0)
    before: b = B{n=1}
    after:  b = B{n=1}, result = 1
    at a.C.g(C.java:7)
    at a.C.main(C.java:9)
";
        assert_eq!(text(&report()), expected);
        assert_eq!(text(&Report::default()), "test mode: 0 calls checked against triples\n");
        assert_eq!(report().worst(), Some(WatchOutcome::FailedTest));
        assert_eq!(Report::default().worst(), None);
    }

    #[test]
    fn there_is_a_finding_for_each_bad_outcome_at_the_method() {
        let (rules, found) = findings(&report());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].rule.as_str(), found[0].level), ("failed-test", Level::Error));
        assert!(rules.iter().any(|it| it.id == found[0].rule));
        // The declaration of the method is unknown, so the call is shown.
        assert_eq!(found[0].place, SourceLine { file: "a/C.java".into(), line: 7 });
        let mut declared = report();
        declared.sites[0].declared = Some(("a/B.java".into(), 2));
        assert_eq!(findings(&declared).1[0].place, SourceLine { file: "a/B.java".into(), line: 2 });
    }

    #[test]
    fn places_are_read_from_lines_of_stacks() {
        assert_eq!(file_and_line("a.b.C.f(C.java:12)"), ("a/b/C.java".into(), 12));
        assert_eq!(file_and_line("C.f(C.java)"), ("C.java".into(), 1));
        assert_eq!(file_and_line("a.C.<init>(C.java:x)"), ("a/C.java".into(), 1));
        assert_eq!(file_and_line("a.C.f"), ("a/".into(), 1));
    }
}
