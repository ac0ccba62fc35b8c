//! Verdicts, conditions and contracts: versions of a small class of which everything can be said.

use crate::support::{compile, cupping, scratch};
use serde_json::Value;
use std::fs;

/// The old version of a class; each test edits it.
const GATE: &str = "
package gates;

public final class Gate {
    private int passed;

    public boolean pass(int weight) {
        if (weight < 0 || weight > 90) {
            return false;
        }
        passed += weight;
        return true;
    }

    public boolean isFull() {
        return passed > 150;
    }
}
";

/// The report on two versions of a source.
fn compared(name: &str, edits: [&str; 2], options: &[&str]) -> Value {
    let folder = scratch(name);
    for (version, text) in [("old", GATE.to_owned()), ("new", GATE.replacen(edits[0], edits[1], 1))] {
        let source = folder.join(format!("{version}-source/Gate.java"));
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, text).unwrap();
        fs::create_dir(folder.join(version)).unwrap();
        compile(&[source], "", &folder.join(version));
    }
    let words = ["diff", "old", "new", "--no-confirm", "--json", "report.json"];
    let run = cupping(&folder, &[&words, options].concat());
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
    serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap()
}

#[test]
fn a_refactoring_is_proved_to_be_the_same_up_to_some_calls() {
    let edits = ["weight < 0 || weight > 90", "!(weight <= 90 && weight >= 0)"];
    let report = compared("diff-same", edits, &["--budget", "4s"]);
    let method = &report["results"]["changed"][0];
    assert_eq!((&method["method"], &method["verdict"]), (&"pass(int)".into(), &"same".into()), "{method}");
    let why = method["why"].as_str().unwrap();
    assert!(why.starts_with("on all paths of all sequences of up to "), "{why}");
}

#[test]
fn a_fault_that_shows_after_more_calls_is_no_proof() {
    // Two calls of `pass` are needed before `isFull` answers differently.
    let report = compared("diff-later", ["passed > 150", "passed > 160"], &["--budget", "4s"]);
    let causes = report["results"]["causes"].as_array().unwrap();
    assert_eq!(causes.len(), 1, "{report}");
    assert_eq!(report["results"]["changed"][0]["verdict"], "differs");
}

#[test]
fn a_method_that_had_no_effect_is_followed_by_others_in_a_proof() {
    // The answer is kept. That shows in five calls: new, isFull, pass, pass, isFull.
    let kept = "private Boolean known;
    public boolean isFull() {
        if (known == null) { known = passed > 150; }
        return known;";
    let edits = ["public boolean isFull() {\n        return passed > 150;", kept];
    let report = compared("diff-kept", edits, &["--budget", "4s"]);
    let changed = report["results"]["changed"].as_array().unwrap();
    let method = changed.iter().find(|it| it["method"] == "isFull()").unwrap();
    if method["verdict"] == "same" {
        let why = method["why"].as_str().unwrap();
        assert!((2..5).any(|calls| why.contains(&format!("up to {calls} calls"))), "{why}");
    }
}

#[test]
fn the_condition_of_a_moved_limit_is_the_values_between() {
    let report = compared("diff-when", ["weight > 90", "weight >= 90"], &["--budget", "4s"]);
    assert_eq!(report["results"]["causes"][0]["examples"][0]["when"], serde_json::json!(["weight == 90"]));
}

/// Both methods change. Only what `pass` does breaks a contract, though a new exception is the worse kind.
const CONTRACT: [(&str, &str); 2] = [
    ("passed += weight;", "passed -= weight;"),
    ("return passed > 150;", "if (passed == -7) { throw new IllegalStateException(); } return passed > 150;"),
];

#[test]
fn differences_that_break_a_contract_come_first() {
    let folder = scratch("diff-contract");
    let mut changed = GATE.replace(
        "public boolean isFull",
        "public int passed() { return passed; }\n    public boolean isFull",
    );
    for version in ["old", "new"] {
        let source = folder.join(format!("{version}-source/Gate.java"));
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, &changed).unwrap();
        fs::create_dir(folder.join(version)).unwrap();
        compile(&[source], "", &folder.join(version));
        for (old, new) in CONTRACT {
            changed = changed.replace(old, new);
        }
    }
    let infer =
        ["infer", "-cp", "old", "gates.Gate", "--budget", "1s", "--executions", "800", "--write", "specs"];
    cupping(&folder, &infer).expect(0);
    let examples = |options: &[&str]| -> Vec<(String, Vec<String>)> {
        let words = ["diff", "old", "new", "--no-confirm", "--budget", "4s", "--json", "report.json"];
        let run = cupping(&folder, &[&words, options].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
        let causes = report["results"]["causes"].as_array().unwrap().clone();
        let all = causes.iter().flat_map(|it| it["examples"].as_array().unwrap());
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        all.map(|it| (text(&it["kind"]), it["breaks"].as_array().unwrap().iter().map(text).collect()))
            .collect()
    };
    for (options, source) in [(&["--specification", "specs"][..], "(recorded)"), (&[], "(inferred)")] {
        let found = examples(options);
        let (_, breaks) = &found[0];
        assert!(!breaks.is_empty() && breaks.iter().all(|it| it.ends_with(source)), "{found:?}");
        let unbroken = found.iter().position(|(_, breaks)| breaks.is_empty()).unwrap_or(found.len());
        assert!(found[unbroken..].iter().all(|(_, breaks)| breaks.is_empty()), "{found:?}");
        assert!(found.iter().any(|(kind, _)| kind == "new-failure"), "{found:?}");
    }
    let plain = examples(&["--no-inference"]);
    assert!(plain[0].0 == "new-failure" && plain.iter().all(|(_, breaks)| breaks.is_empty()), "{plain:?}");
    fs::write(folder.join("specs/gates.Gate.json"), "{").unwrap();
    let damaged = cupping(&folder, &["diff", "old", "new", "--specification", "specs"]);
    assert_eq!(damaged.code, Some(2));
    assert!(damaged.stderr.contains("gates.Gate.json"), "{}", damaged.stderr);
    fs::remove_file(folder.join("specs/gates.Gate.json")).unwrap();
    let none = cupping(&folder, &["diff", "old", "new", "--specification", "specs"]);
    assert!(none.code == Some(2) && none.stderr.contains("no recorded specification"), "{}", none.stderr);
}
