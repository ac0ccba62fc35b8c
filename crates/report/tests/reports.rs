//! The JSON report and the summary are as in the expected files.

mod support;

use cupping_report::certify::{Divergence, Stage};
use cupping_report::facts::NoFacts;
use cupping_report::junit::{Framework, test_classes};
use cupping_report::outline::Outline;
use cupping_report::result::{ClassResult, UncoveredMethod};
use cupping_report::{json, summary};
use std::collections::BTreeMap;
use std::time::Duration;
use support::suites;

fn results() -> Vec<ClassResult> {
    let suite = suites::coin_box();
    let broken = suites::suite("shop/Missing", vec![], vec![]);
    let divergence = Divergence {
        class: "shop.CoinBoxTest".into(),
        test: "vend_returnsTrue".into(),
        stage: Stage::Run,
        detail: "expected: <true> but was: <false>\nsecond line".into(),
        source: Vec::new(),
    };
    vec![
        ClassResult {
            classes: test_classes(&suite, Framework::Junit5, &NoFacts),
            suite,
            divergences: vec![divergence],
            unreached: vec![UncoveredMethod {
                class: "shop.CoinBox".into(),
                name: "vend".into(),
                descriptor: "()V".into(),
                cause: "the solver gave up",
                detail: String::new(),
            }],
            ended_by_clock: false,
            elapsed: Duration::from_millis(412),
            error: None,
        },
        ClassResult {
            suite: broken,
            classes: vec![],
            divergences: vec![],
            unreached: vec![],
            ended_by_clock: false,
            elapsed: Duration::ZERO,
            error: Some("no class of this name on the class path".into()),
        },
    ]
}

#[test]
fn json_is_as_documented() {
    let statistics = BTreeMap::from([("queries".to_string(), 12)]);
    support::check_file("report.json", &json::report(&results(), &statistics));
}

#[test]
fn summary_is_aligned() {
    support::check_file("summary.txt", &summary::summary(&Outline::all(&results()), false));
}

#[test]
fn colour_adds_only_escapes() {
    let mut plain = summary::summary(&Outline::all(&results()), true);
    for escape in ["\u{1b}[1m", "\u{1b}[33m", "\u{1b}[0m"] {
        assert!(plain.contains(escape));
        plain = plain.replace(escape, "");
    }
    assert_eq!(plain, summary::summary(&Outline::all(&results()), false));
}

#[test]
fn every_field_of_the_report_is_documented() {
    let document = include_str!("../../../docs/json-schema.md");
    let report: serde_json::Value =
        serde_json::from_str(&json::report(&results(), &BTreeMap::new())).unwrap();
    let mut fields = vec![];
    collect_fields(&report, &mut fields);
    assert!(fields.len() > 20);
    for field in fields {
        assert!(document.contains(&format!("`{field}`")), "docs/json-schema.md does not mention `{field}`");
    }
}

fn collect_fields(value: &serde_json::Value, fields: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, value) in members {
                fields.push(name.clone());
                collect_fields(value, fields);
            }
        }
        serde_json::Value::Array(elements) => elements.iter().for_each(|it| collect_fields(it, fields)),
        _ => {}
    }
}
