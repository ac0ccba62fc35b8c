//! The report on two versions, as text, Markdown and SARIF.

use cupping_report::differences::{
    Cause, ChangedMethod, Differences, Example, FindingKind, markdown, sarif, text,
};
use serde_json::Value;

fn report() -> Differences {
    let example = |kind: FindingKind, old: &str, new: &str| Example {
        breaks: Vec::new(),
        id: Example::identity(&[], kind, &[], old, new),
        kind,
        method: "shop.Till.pay(int)".into(),
        when: vec!["amount == 0".into()],
        calls: vec!["Till till = new Till();".into()],
        old: old.into(),
        new: new.into(),
        confirmed: true,
        accepted: None,
    };
    let method = |name: &str, verdict: &'static str, why: &str| ChangedMethod {
        class: "shop.Till".into(),
        method: name.into(),
        fate: "changed",
        was: None,
        old_line: Some(7),
        new_line: Some(8),
        verdict,
        why: why.into(),
        visible_from: vec!["shop.Till.pay(int)".into()],
    };
    Differences {
        common: 3,
        changed: vec![
            method("pay(int)", "differs", ""),
            method("fee(int)", "unknown", "no difference on 4 paths"),
        ],
        causes: vec![Cause {
            changed: vec!["shop.Till.pay(int)".into()],
            file: "shop/Till.java".into(),
            line: Some(8),
            examples: vec![
                example(FindingKind::NewFailure, "returns", "throws java.lang.IllegalStateException: a | b"),
                example(
                    FindingKind::OtherText,
                    "assertEquals(\"`\", till.toString());",
                    "assertEquals(\"\", till.toString());",
                ),
            ],
            sources: Vec::new(),
        }],
        ..Differences::default()
    }
}

#[test]
fn the_terminal_shows_what_both_versions_do() {
    let expected = "\
shop.Till
  changed pay(int): differs
  changed fee(int): unknown, no difference on 4 paths (seen from shop.Till.pay(int))

1. shop.Till.pay(int) (fails now)
   when amount == 0
     Till till = new Till();
   old: returns
   new: throws java.lang.IllegalStateException: a | b

2. shop.Till.pay(int) (other text)
   when amount == 0
     Till till = new Till();
   old: assertEquals(\"`\", till.toString());
   new: assertEquals(\"\", till.toString());

3 classes in both versions, 2 methods changed: 2 differences
";
    assert_eq!(text(&report()), expected);
}

#[test]
fn accepted_differences_are_counted_and_not_shown() {
    let mut report = report();
    report.causes[0].examples[0].accepted = Some("meant".into());
    report.causes[0].examples[1].accepted = Some("meant".into());
    assert!(report.is_silent());
    assert!(text(&report).ends_with("2 methods changed: no difference found, 2 accepted\n"));
    assert!(markdown(&report).starts_with("## No difference in behaviour found\n"));
}

#[test]
fn markdown_keeps_its_tables_whatever_the_code() {
    let shown = markdown(&report());
    assert!(shown.contains("| `returns` | `throws java.lang.IllegalStateException: a \\| b` |\n"), "{shown}");
    assert!(shown.contains("| `` assertEquals(\"`\", till.toString()); `` |"), "{shown}");
}

#[test]
fn sarif_names_file_line_and_a_stable_identity() {
    let log: Value = serde_json::from_str(&sarif(&report())).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["ruleId"], "new-failure");
    assert_eq!(results[0]["level"], "error");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "shop/Till.java");
    assert_eq!(place["region"]["startLine"], 8);
    assert_eq!(results[0]["partialFingerprints"]["cupping/v1"], report().causes[0].examples[0].id);
    assert_ne!(results[0]["partialFingerprints"], results[1]["partialFingerprints"]);
}
