//! The building blocks of sequences: a fixture for each kind of step and argument; tests that hold on the JDK must
//! cover all its branches.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use support::{compile, contents, cupping, files, repository, scratch};

/// Runs the binary; returns, by class, the covered branches and all of them, and the emitted sources.
fn covered(name: &str, options: &[&str]) -> (BTreeMap<String, (u64, u64)>, String) {
    let folder = scratch(name);
    let classes = folder.join("classes");
    let sources: Vec<PathBuf> = files(&repository().join("fixtures/steps"));
    compile(&sources, "", &classes);
    let mut arguments = vec!["generate", "-cp", "classes", "steps.*", "--work", "2s", "--out", "tests"];
    arguments.extend(["--json", "report.json"]);
    arguments.extend(options);
    let run = cupping(&folder, &arguments).expect(0);
    assert_eq!(run.stderr, "", "nothing but errors in a pipe");
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let figures = report["results"]["classes"].as_array().unwrap().iter().map(|class| {
        let divergences = class["divergences"].as_array().map_or(0, Vec::len);
        assert_eq!(divergences, 0, "{class}");
        for test in class["tests"].as_array().into_iter().chain(class["failing"].as_array()).flatten() {
            let effects = test["effects"].as_array().map_or(0, Vec::len);
            assert_eq!(effects, 0, "none of these classes touches the world: {test}");
        }
        let branches = &class["coverage"]["branches"];
        let figure = |name: &str| branches[name].as_u64().unwrap();
        (class["class"].as_str().unwrap().to_owned(), (figure("covered"), figure("total")))
    });
    let figures = figures.collect();
    let emitted = contents(&folder.join("tests"));
    (figures, emitted.into_values().collect())
}

#[test]
fn each_kind_of_step_is_made() {
    let (figures, text) = covered("steps", &[]);
    assert!(figures.len() >= 6, "{figures:?}");
    for (class, (covered, total)) in &figures {
        assert_eq!(covered, total, "branches of {class}");
    }
    assert!(text.contains(".limit = "), "a field is set: {text}");
    assert!(text.contains(".deposit("), "an argument is prepared: {text}");
}
