//! The report as SARIF, which forges show next to the changed lines.

use super::findings::{Cause, Differences, Example, FindingKind};
use cupping_view::sarif::{self as view, Finding, Level, Rule, SourceLine};
use serde_json::json;

/// What to do about a difference.
const HELP: &str = "If it is intended, accept it with a reason (`cupping diff --accept FILE --reason TEXT`); if not, \
                    `--emit new` writes a test that shows it.";

impl FindingKind {
    fn level(self) -> Level {
        match self {
            FindingKind::NewFailure | FindingKind::Endless | FindingKind::Contract => Level::Error,
            FindingKind::OtherException | FindingKind::OtherResult => Level::Warning,
            FindingKind::OtherText | FindingKind::FailureMended => Level::Note,
        }
    }
}

/// One result for each difference that is not accepted.
pub fn sarif(all: &Differences) -> String {
    let rules = FindingKind::ALL.map(|kind| Rule {
        id: kind.name().into(),
        title: kind.title().into(),
        help: HELP.into(),
        level: kind.level(),
    });
    let findings: Vec<Finding> = all.open().map(|(cause, example)| finding(cause, example)).collect();
    view::sarif("diff", &rules, &findings)
}

fn finding(cause: &Cause, example: &Example) -> Finding {
    let Example { id, kind, method, when, breaks, calls, old, new, confirmed, accepted: _ } = example;
    let what = kind.title();
    let broken: String = breaks.iter().map(|it| format!("breaks {it}\n")).collect();
    Finding {
        rule: kind.name().into(),
        level: if breaks.is_empty() { kind.level() } else { Level::Error },
        message: format!("{method}: {what}\n{broken}{}\nold: {old}\nnew: {new}", calls.join("\n")),
        place: SourceLine { file: cause.file.clone(), line: cause.line.unwrap_or(1).into() },
        method: cause.changed.first().unwrap_or(method).clone(),
        related: Vec::new(),
        identity: id.clone(),
        properties: json!({ "when": when, "breaks": breaks, "confirmed": confirmed }),
    }
}
