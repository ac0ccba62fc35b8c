//! Recorded claims that no longer hold, as findings.

use super::row::Row;
use crate::frame::LedgerEntry;
use crate::shared::findings::{FindingSet, place_of};
use cupping_classfile::Program;
use cupping_view::sarif::{Finding, Level, Rule};
use serde_json::Value;

const RULE: &str = "broken-specification";

/// The broken claims of all classes, with `--check`.
pub fn findings(program: &Program, entries: &[LedgerEntry<Row>]) -> FindingSet {
    let rule = Rule {
        id: RULE.into(),
        title: "The code no longer meets its recorded specification.".into(),
        help: "If the new behaviour is intended, record it with `cupping infer --write`; if not, the code is at fault."
            .into(),
        level: Level::Error,
    };
    let rows = entries.iter().flat_map(|entry| entry.row.broken.iter().map(move |it| (entry, it)));
    let findings = rows.map(|(entry, claim)| finding(program, &entry.class, claim)).collect();
    FindingSet { rules: vec![rule], findings }
}

/// A claim begins with its method, an invariant with that word.
fn finding(program: &Program, class: &str, claim: &str) -> Finding {
    let method = claim.split(' ').next().filter(|it| it.contains('('));
    let name = method.and_then(|it| it.split('(').next());
    Finding {
        rule: RULE.into(),
        level: Level::Error,
        message: format!("{class}: broken: {claim}"),
        place: place_of(program, &class.replace('.', "/"), method),
        method: name.map_or_else(|| class.to_owned(), |name| format!("{class}.{name}")),
        related: Vec::new(),
        identity: format!("{RULE} {class} {claim}"),
        properties: Value::Null,
    }
}
