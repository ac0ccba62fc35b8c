//! Tests are kept from run to run (`--corpus`; `fixtures/corpus` has a class and its next version).

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, compile, cupping, repository, scratch};

/// The class in its two versions, compiled.
fn compiled(name: &str) -> PathBuf {
    let folder = scratch(name);
    for version in ["before", "after"] {
        let classes = folder.join(version);
        fs::create_dir(&classes).unwrap();
        compile(&[repository().join(format!("fixtures/corpus/{version}/app/Locker.java"))], "", &classes);
    }
    folder
}

fn generate(folder: &Path, version: &str, out: &str, more: &[&str]) -> Run {
    let args = ["generate", "-cp", version, "app.Locker", "--corpus", "kept", "--out", out, "--work", "3s"];
    cupping(folder, &[&args[..], more].concat()).expect(0)
}

fn source(folder: &Path, out: &str) -> String {
    fs::read_to_string(folder.join(out).join("app/LockerTest.java")).unwrap()
}

/// Each test, from its name to the end of its body.
fn tests(source: &str) -> BTreeSet<String> {
    source.split("    @Test\n").skip(1).map(|it| it.trim_end_matches(['}', '\n', ' ']).to_owned()).collect()
}

#[test]
fn the_same_class_keeps_all_its_tests() {
    let folder = compiled("corpus-same");
    generate(&folder, "before", "first", &[]);
    let first = source(&folder, "first");
    let count = tests(&first).len();
    let again = generate(&folder, "before", "second", &[]);
    assert!(
        again.stdout.contains(&format!("{count} of {count} tests of the corpus still hold")),
        "{}",
        again.stdout
    );
    assert_eq!(first, source(&folder, "second"));
}

#[test]
fn the_next_version_keeps_what_still_holds() {
    let folder = compiled("corpus-next");
    generate(&folder, "before", "first", &[]);
    let next = generate(&folder, "after", "second", &["--json", "report.json"]);
    let (first, second) = (source(&folder, "first"), source(&folder, "second"));
    let holds = |it: &&String| !it.contains("shut") && !it.contains("label(null)");
    for test in tests(&first).iter().filter(holds) {
        assert!(tests(&second).contains(test), "{test}\nis not in\n{second}");
    }
    assert!(second.contains("assertEquals(\"empty\", Locker.label(null))"), "{second}");
    assert!(second.contains("Locker.digits("), "{second}");
    assert!(next.stdout.contains("now has another outcome: label_null"), "{}", next.stdout);
    assert!(next.stdout.contains("app.Locker.shut that a test can call"), "{}", next.stdout);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let corpus = &report["results"]["classes"][0]["corpus"];
    assert!(corpus["lost"][0]["name"].as_str().unwrap().to_lowercase().contains("shut"), "{corpus}");
    // The tests of the next version are the start of the following run.
    let third = generate(&folder, "after", "third", &[]);
    assert!(!third.stdout.contains("gone"), "{}", third.stdout);
    assert_eq!(second, source(&folder, "third"));
}

#[test]
fn other_methods_tests_are_left_alone() {
    let folder = compiled("corpus-method");
    generate(&folder, "before", "first", &[]);
    generate(&folder, "before", "label", &["--method", "label"]);
    assert!(!source(&folder, "label").contains(".open("));
    let all = generate(&folder, "before", "all", &[]);
    assert!(!all.stdout.contains("gone"), "{}", all.stdout);
    assert_eq!(tests(&source(&folder, "first")), tests(&source(&folder, "all")));
}

#[test]
fn a_damaged_corpus_is_named_and_does_no_harm() {
    let folder = compiled("corpus-damaged");
    fs::create_dir(folder.join("kept")).unwrap();
    fs::write(folder.join("kept/app.Locker.json"), "{\"schema\": 1, \"class\"").unwrap();
    let args = ["generate", "-cp", "before", "app.Locker", "--corpus", "kept", "--work", "3s"];
    let run = cupping(&folder, &args).expect(2);
    assert!(run.stderr.contains("kept/app.Locker.json: not a corpus"), "{}", run.stderr);
    assert!(run.stderr.contains("delete it"), "{}", run.stderr);
    assert!(folder.join("cupping-tests/app/LockerTest.java").is_file());
}
