//! Failing inputs are distinguished by the origin of the value that the code fails on, and only likely defects are
//! written.
//!
//! The classes are in `fixtures/failures`; their failures were written down before the first run.

mod support;

use std::fs;
use support::{compile, cupping, repository, scratch};

fn check(name: &str) {
    let folder = scratch(&format!("failures-{name}"));
    let fixtures = repository().join("fixtures/failures");
    compile(&[fixtures.join(format!("{name}.java"))], "", &folder.join("classes"));
    let class = format!("failures.{name}");
    let run = |more: &[&str]| {
        // Twice the usual budget: late finds should not depend on the load of the computer.
        let arguments = [
            "generate",
            "-cp",
            "classes",
            &class,
            "--budget",
            "20s",
            "--json",
            "report.json",
            "--out",
            "tests",
        ];
        cupping(&folder, &[&arguments[..], more].concat()).expect(0);
        let report = fs::read_to_string(folder.join("report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        report["results"]["classes"][0].clone()
    };
    let line = |it: &serde_json::Value| {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        [text(&it["cause"]["blame"]), text(&it["method"]["name"]), text(&it["thrown"]["class"])].join(" ")
    };
    let lines = |all: &serde_json::Value| all.as_array().unwrap().iter().map(line).collect::<Vec<_>>();
    let result = run(&[]);
    let mut found = lines(&result["failing"]);
    assert!(found.iter().all(|it| it.starts_with("defect")), "only defects are written: {found:?}");
    found.extend(lines(&result["preconditions"]));
    found.sort();
    let expected = fs::read_to_string(fixtures.join(format!("{name}.expected"))).unwrap();
    assert_eq!(found, expected.lines().collect::<Vec<_>>());

    let result = run(&["--preconditions"]);
    let mut written = lines(&result["failing"]);
    written.sort();
    assert_eq!(written, found, "--preconditions writes them all");
    assert!(result["preconditions"].as_array().unwrap().is_empty());
}

#[test]
fn failures_are_traced_to_code_or_test() {
    check("Stock");
}

#[test]
fn failures_name_places_in_the_code() {
    check("Crossing");
}

#[test]
fn constructors_and_texts() {
    check("Plot");
}

#[test]
fn failures_behind_calls_and_collections_are_classified() {
    check("Route");
}

#[test]
fn places_in_arguments_and_nulls_from_elsewhere_are_of_the_test() {
    check("Window");
}

#[test]
fn objects_that_a_hidden_constructor_leaves_incomplete_are_of_the_test() {
    check("Shell");
}

#[test]
fn what_a_public_constructor_forgets_is_a_defect() {
    check("Crate");
}

#[test]
fn what_a_hidden_constructor_leaves_to_a_method_is_of_the_test() {
    check("Rope");
}

#[test]
fn sizes_that_are_too_small_are_of_the_test() {
    check("Raster");
    check("Ration");
}

#[test]
fn objects_that_the_test_puts_in_and_the_code_casts_are_of_the_test() {
    check("Ticket");
}

#[test]
fn numbers_are_not_taken_for_objects() {
    check("Parcel");
}

#[test]
fn what_only_a_factory_sets_is_missing_because_of_the_test() {
    check("Printer");
}

#[test]
fn fields_that_only_other_classes_of_the_package_set_are_of_the_test() {
    check("Loom");
    check("Gauge");
}

#[test]
fn recursion_that_an_answer_of_the_test_keeps_going_is_of_the_test() {
    check("Burrow");
    check("Ladder");
}

#[test]
fn keys_that_the_test_passes_and_setters_that_it_does_not_call() {
    check("Register");
    check("Meter");
}
