//! The effects of a test's run are in the JSON report and on the page, and no name in them becomes markup.

mod support;

use cupping_case::{Access, Effect};
use cupping_report::html::class_page;
use cupping_report::json;
use std::collections::BTreeMap;
use support::explained::{explanation, result, source};

#[test]
fn effects_are_told_in_order() {
    let mut result = result();
    let case = &mut result.suite.cases[0];
    case.effects.insert(Effect::Process("<b>rm</b>".into()));
    case.effects.insert(Effect::File { path: "/a&b".into(), access: Access::Deleted });
    case.effects.insert(Effect::Thread { name: "t".into(), waits: false });
    let report: serde_json::Value =
        serde_json::from_str(&json::report(std::slice::from_ref(&result), &BTreeMap::new())).unwrap();
    let tests = report["results"]["classes"][0]["tests"].as_array().unwrap();
    let told: Vec<&serde_json::Value> = tests.iter().map(|test| &test["effects"]).collect();
    let expected = serde_json::json!([
        { "kind": "file-deleted", "subject": "/a&b" },
        { "kind": "process", "subject": "<b>rm</b>" },
        { "kind": "thread-running", "subject": "t" },
    ]);
    assert_eq!(told.iter().filter(|it| ***it == expected).count(), 1, "{told:?}");
    assert!(told.iter().all(|it| **it == expected || **it == serde_json::json!([])), "{told:?}");
    let page = class_page(&result, &explanation(), Some(&source()));
    let (start, end) =
        (page.find("<p class=\"effects\">").unwrap(), page.find(" left running.</p>").unwrap());
    let text = &page[start..end];
    assert!(text.contains(" deleted; process ") && !text.contains("<b>") && text.len() < 200, "{text}");
    assert_eq!(page.matches("class=\"effects\"").count(), 1);
}
