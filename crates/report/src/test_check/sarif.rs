//! The findings as SARIF, which forges show next to the changed lines.

use super::{Cause, CheckReport};
use cupping_view::sarif::{self as view, Finding, Level, Rule, SourceLine};
use serde_json::json;

/// What to do about a test that holds no longer.
const HELP: &str = "If the new behaviour is intended, `cupping check --update` rewrites the test; if not, the code is \
                    at fault.";

impl Cause {
    fn level(self) -> Level {
        match self {
            Cause::Changed | Cause::Endless | Cause::Escape => Level::Error,
            Cause::Unstable | Cause::Gone | Cause::Uncompilable => Level::Warning,
            Cause::Mended => Level::Note,
        }
    }
}

/// One result for each finding that is not accepted.
pub fn sarif(all: &CheckReport) -> String {
    let rules = Cause::ALL.map(|cause| Rule {
        id: cause.name().into(),
        title: cause.title().into(),
        help: HELP.into(),
        level: cause.level(),
    });
    let findings: Vec<Finding> = all.open().map(finding).collect();
    view::sarif("check", &rules, &findings)
}

fn finding(it: &super::Finding) -> Finding {
    Finding {
        rule: it.cause.name().into(),
        level: it.cause.level(),
        message: format!(
            "{}: {}\n{}\nwas: {}\nnow: {}",
            it.test,
            it.cause.title(),
            it.statement,
            it.old,
            it.new
        ),
        place: SourceLine { file: it.file.replace('\\', "/"), line: it.line as u64 },
        method: it.test.clone(),
        related: Vec::new(),
        identity: it.id.clone(),
        properties: json!({ "class": it.class, "old": it.old, "new": it.new }),
    }
}
