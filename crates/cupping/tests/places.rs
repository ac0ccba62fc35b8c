//! `--at FILE:LINE` and `--edits`: the commands that editors start.
#![cfg(unix)]

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::{compile, contents, cupping, files, scratch};

const GATE: &str = "\
package yard;

public class Gate {
    private int open;

    public boolean pass(int width) {
        if (width > open) {
            return false;
        }
        return true;
    }

    public void raise(int by) {
        open = limit(open + by);
    }

    private int limit(int wanted) {
        if (wanted > 90) {
            return 90;
        }
        return Math.max(wanted, 0);
    }

    public static class Lock {
        public int code(int key) {
            if (key == 4711) {
                return 1;
            }
            return 0;
        }
    }
}
";

fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    fs::create_dir_all(folder.join("src/yard")).unwrap();
    fs::create_dir(folder.join("classes")).unwrap();
    fs::write(folder.join("src/yard/Gate.java"), GATE).unwrap();
    compile(&[folder.join("src/yard/Gate.java")], "", &folder.join("classes"));
    folder
}

fn line(text: &str) -> usize {
    GATE.lines().position(|line| line.contains(text)).unwrap() + 1
}

fn place(text: &str) -> String {
    format!("src/yard/Gate.java:{}", line(text))
}

/// The report that `generate --at … --edits` prints.
fn edits(folder: &Path, place: &str) -> Value {
    let args = ["generate", "--at", place, "--edits", "-cp", "classes", "--work", "2s", "--out", "tests"];
    let run = cupping(folder, &args).expect(0);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

/// Every test runs the line, and the edit contains the tests.
#[track_caller]
fn tests_run(report: &Value, class: &str, wanted: usize) {
    let class_results = report["results"]["classes"].as_array().unwrap();
    assert_eq!(class_results.len(), 1, "{report}");
    assert_eq!(class_results[0]["class"], class, "{report}");
    let tests = class_results[0]["tests"].as_array().unwrap();
    assert!(!tests.is_empty(), "{report}");
    let changes = report["results"]["edit"]["documentChanges"].as_array().unwrap();
    assert_eq!(changes[0]["kind"], "create", "{report}");
    let text = changes[1]["edits"][0]["newText"].as_str().unwrap();
    for test in tests {
        let lines = test["lines"].as_array().unwrap();
        assert!(lines.iter().any(|it| it == wanted), "line {wanted}: {test}");
        assert!(text.contains(&format!("void {}(", test["name"].as_str().unwrap())), "{text}");
    }
}

#[test]
fn tests_of_a_line_are_printed_as_an_edit() {
    let folder = folder("places-edit");
    tests_run(&edits(&folder, &place("return false")), "yard.Gate", line("return false"));
    // Private code is reached only through the class's own callers.
    tests_run(&edits(&folder, &place("return 90")), "yard.Gate", line("return 90"));
    // The class at the line is a nested one.
    tests_run(&edits(&folder, &place("return 1;")), "yard.Gate$Lock", line("return 1;"));
    assert!(!folder.join("tests").exists(), "nothing is written");
    // A store has the results of whole classes.
    fs::write(folder.join("cupping.toml"), "store = \"kept\"\n").unwrap();
    tests_run(&edits(&folder, &place("return 90")), "yard.Gate", line("return 90"));
    assert!(!folder.join("kept").exists());
    let place = place("return 90");
    cupping(&folder, &["generate", "--at", &place, "-cp", "classes", "--store", "kept"]).expect(2);
    cupping(&folder, &["infer", "--at", &place, "-cp", "classes", "--write", "kept"]).expect(2);
}

#[test]
fn tests_of_a_line_are_written_beside_others() {
    let folder = folder("places-written");
    let generate = ["generate", "yard.Gate", "-cp", "classes", "--work", "1s", "--out", "tests"];
    cupping(&folder, &generate).expect(0);
    let before = contents(&folder.join("tests"));
    let place = place("return 90");
    let at = ["generate", "--at", &place, "-cp", "classes", "--work", "2s", "--out", "tests"];
    cupping(&folder, &at).expect(0);
    let after = contents(&folder.join("tests"));
    assert!(after.len() > before.len(), "{:?}", after.keys());
    for (path, text) in &before {
        assert_eq!(after.get(path), Some(text), "{}", path.display());
    }
    // Both compile beside each other.
    let jars = ["junit-jupiter-api", "apiguardian-api", "opentest4j"];
    let jars = jars.map(|jar| format!("/usr/share/java/{jar}.jar")).join(":");
    fs::create_dir(folder.join("compiled")).unwrap();
    let path = format!("{}:{jars}", folder.join("classes").display());
    compile(&files(&folder.join("tests")), &path, &folder.join("compiled"));
}

#[test]
fn a_place_without_code_is_an_error() {
    let folder = folder("places-none");
    let run = cupping(&folder, &["generate", "--at", "src/yard/Gate.java:1", "-cp", "classes"]).expect(2);
    assert!(run.stderr.contains("there is no code") && run.stderr.contains("lines 3 and"), "{}", run.stderr);
    let run = cupping(&folder, &["generate", "--at", "src/yard/Gate.java", "-cp", "classes"]).expect(2);
    assert!(run.stderr.contains("is not FILE:LINE"), "{}", run.stderr);
}

#[test]
fn infer_shows_the_method_at_a_line() {
    let folder = folder("places-infer");
    // In the whole text, the constructor has its own line.
    let whole = cupping(&folder, &["infer", "yard.Gate", "-cp", "classes"]).expect(0).stdout;
    assert!(whole.contains("\npass(") && whole.contains("\nGate()"), "{whole}");
    let text = cupping(&folder, &["infer", "--at", &place("return true"), "-cp", "classes"]).expect(0).stdout;
    assert!(
        text.contains("\npass(") && text.contains("\ninvariants") && !text.contains("\nGate()"),
        "{text}"
    );
}

#[test]
fn mutants_are_those_of_the_line() {
    let folder = folder("places-mutants");
    let suite = "package yard;\nimport org.junit.jupiter.api.Test;\nimport static org.junit.jupiter.api.Assertions.*;\n\
                 class LockTests {\n    @Test\n    void opens() {\n        assertEquals(1, new Gate.Lock().code(4711));\n    }\n}\n";
    fs::write(folder.join("LockTests.java"), suite).unwrap();
    let jars = ["junit-jupiter-api", "apiguardian-api", "opentest4j"];
    let jars = jars.map(|jar| format!("/usr/share/java/{jar}.jar")).join(":");
    fs::create_dir(folder.join("suite")).unwrap();
    let path = format!("{}:{jars}", folder.join("classes").display());
    compile(&[folder.join("LockTests.java")], &path, &folder.join("suite"));
    let place = place("key == 4711");
    let args = ["mutants", "--at", &place, "-cp", "classes", "--suite", "suite", "--json", "report.json"];
    cupping(&folder, &args).expect(0);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let mutants = report["results"]["mutants"].as_array().unwrap();
    assert!(!mutants.is_empty(), "{report}");
    assert!(mutants.iter().all(|it| it["line"] == line("key == 4711")), "{report}");
}
