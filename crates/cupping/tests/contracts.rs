//! Contracts of `Object` and `Comparable` are tried on the objects that tests reach. A violation is a likely defect
//! with its own test, which is certified on the JDK.
//!
//! The classes are in `fixtures/contracts`. The expected violations were written down before the first run: the
//! method that the test calls last, and the rule.

mod support;

use std::fs;
use support::{compile, cupping, repository, scratch};

fn check(name: &str) {
    let folder = scratch(&format!("contracts-{name}"));
    let fixtures = repository().join("fixtures/contracts");
    compile(&[fixtures.join(format!("{name}.java"))], "", &folder.join("classes"));
    let class = format!("contracts.{name}");
    let arguments =
        ["generate", "-cp", "classes", &class, "--work", "5s", "--json", "report.json", "--out", "tests"];
    cupping(&folder, &arguments).expect(0);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let failing = report["results"]["classes"][0]["failing"].as_array().unwrap();
    let broken = failing.iter().filter(|it| it["thrown"].is_null());
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let line =
        |it: &serde_json::Value| format!("{} {}", text(&it["method"]["name"]), text(&it["cause"]["what"]));
    let mut found: Vec<String> = broken.map(line).collect();
    found.sort();
    let expected = fs::read_to_string(fixtures.join(format!("{name}.expected"))).unwrap();
    assert_eq!(found, expected.lines().collect::<Vec<_>>());
}

#[test]
fn hash_codes_orders_and_texts() {
    check("Bond");
}

#[test]
fn equality() {
    check("Span");
}

#[test]
fn classes_that_keep_the_contracts_are_not_reported() {
    check("Coin");
}
