//! Mutants that all suites miss, as findings.

use crate::shared::findings::FindingSet;
use cupping_report::mutants::{MutantRow, Scores};
use cupping_view::sarif::{Finding, Level, Rule, SourceLine};
use serde_json::json;

const RULE: &str = "surviving-mutant";

/// The mutants that tests run and none detects.
pub fn findings(scores: &Scores) -> FindingSet {
    let rule = Rule {
        id: RULE.into(),
        title: "No test notices this change of the code.".into(),
        help: "Add an assertion on what the change alters, or a test whose input shows it; \
               `cupping generate --criterion mutation` may find one."
            .into(),
        level: Level::Note,
    };
    let findings = scores.rows.iter().filter(|row| row.survives()).map(|row| finding(scores, row)).collect();
    FindingSet { rules: vec![rule], findings }
}

fn finding(scores: &Scores, row: &MutantRow) -> Finding {
    let file = scores.sources.get(row.source).map_or_else(String::new, |it| it.path.clone());
    let method = format!("{}.{}", row.class, row.method.split('(').next().unwrap_or_default());
    Finding {
        rule: RULE.into(),
        level: Level::Note,
        message: format!("{method}: {} ({}) survives", row.what, row.operator),
        place: SourceLine { file, line: row.line.map_or(1, u64::from) },
        method,
        related: Vec::new(),
        identity: format!("{RULE} {}.{} {} {}", row.class, row.method, row.operator, row.what),
        properties: json!({ "operator": row.operator, "pit": row.pit }),
    }
}
