//! What people know is used: a setup, and existing tests (`fixtures/guidance`).

mod support;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use support::{compile, cupping, repository, scratch};

/// The fixture, compiled into `classes` and `tests`.
fn compiled(name: &str) -> PathBuf {
    let folder = scratch(name);
    let fixture = repository().join("fixtures/guidance");
    let (classes, tests) = (folder.join("classes"), folder.join("suite"));
    fs::create_dir(&classes).unwrap();
    fs::create_dir(&tests).unwrap();
    compile(&[fixture.join("app/Vault.java"), fixture.join("app/VaultFactory.java")], "", &classes);
    compile(&[fixture.join("VaultTest.java")], classes.to_str().unwrap(), &tests);
    folder
}

/// The source of the tests of the vault, and how many of its branches they cover.
fn generated(name: &str, options: &[&str]) -> (String, u64) {
    let folder = compiled(name);
    let args = [
        "generate",
        "-cp",
        "classes",
        "app.Vault",
        "--out",
        "tests",
        "--json",
        "report.json",
        "--budget",
        "5s",
    ];
    cupping(&folder, &[&args[..], options].concat()).expect(0);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let covered = report["classes"][0]["coverage"]["branches"]["covered"].as_u64().unwrap();
    (fs::read_to_string(folder.join("tests/app/VaultTest.java")).unwrap_or_default(), covered)
}

#[test]
fn nobody_guesses_the_word() {
    let (source, covered) = generated("guidance-none", &[]);
    assert!(!source.contains("sesame"), "{source}");
    assert!(covered < 4, "{covered}: {source}");
}

#[test]
fn factories_and_strings_of_existing_tests_are_used() {
    let (source, covered) = generated("guidance-suite", &["--suite", "suite"]);
    assert!(source.contains("VaultFactory.vault()"), "{source}");
    assert!(source.contains("open(\"open-sesame-5731\")"), "{source}");
    assert_eq!(covered, 4, "{source}");
}

#[test]
fn every_object_begins_with_the_setup() {
    let (source, _) = generated("guidance-setup", &["--setup", "app.VaultFactory.vault"]);
    let opened = source.matches(".open(").count();
    assert!(opened > 0, "{source}");
    assert_eq!(source.matches("VaultFactory.vault()").count(), opened, "{source}");
}

#[test]
fn a_setup_is_a_class_and_a_method() {
    let folder = compiled("guidance-wrong");
    let args = ["generate", "-cp", "classes", "app.Vault", "--setup", "vault"];
    let run = cupping(&folder, &args).expect(2);
    assert!(run.stderr.contains("CLASS.METHOD"), "{}", run.stderr);
}
