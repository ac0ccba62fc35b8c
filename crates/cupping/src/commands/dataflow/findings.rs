//! Definition-use pairs that a suite misses, as findings.

use super::row::{Pair, Row};
use crate::frame::LedgerEntry;
use crate::shared::findings::{FindingSet, place_of};
use cupping_classfile::Program;
use cupping_view::sarif::{Finding, Level, Rule, SourceLine};
use serde_json::json;

const RULE: &str = "missed-pair";

/// The pairs that sequences exercise and the suites do not. Without a suite there are none.
pub fn findings(program: &Program, entries: &[LedgerEntry<Row>]) -> FindingSet {
    let rule = Rule {
        id: RULE.into(),
        title: "No test of the suite exercises this definition-use pair.".into(),
        help: "`cupping dataflow --suite SUITE --complete --out DIR` writes a test for it.".into(),
        level: Level::Note,
    };
    let findings = entries.iter().flat_map(|entry| of_class(program, entry)).collect();
    FindingSet { rules: vec![rule], findings }
}

fn of_class(program: &Program, entry: &LedgerEntry<Row>) -> Vec<Finding> {
    let Some(exercised) = &entry.row.suite else { return Vec::new() };
    let missed =
        entry.row.pairs.iter().zip(0..).filter(|(pair, at)| pair.is_covered() && !exercised.contains(at));
    let class = entry.class.replace('.', "/");
    let file = place_of(program, &class, None).file;
    let finding = |pair: &Pair| {
        let (method, line) = pair.place_of_use();
        Finding {
            rule: RULE.into(),
            level: Level::Note,
            message: format!(
                "{}: defined at {}, used at {}\nby: {}",
                pair.variable,
                pair.definition,
                pair.usage,
                pair.calls.join("; ")
            ),
            place: SourceLine { file: file.clone(), line },
            method: format!("{}.{method}", entry.class),
            related: Vec::new(),
            identity: format!("{RULE} {} {} {}", entry.class, pair.variable, pair.methods()),
            properties: json!({ "pair": pair.number }),
        }
    };
    missed.map(|(pair, _)| finding(pair)).collect()
}
