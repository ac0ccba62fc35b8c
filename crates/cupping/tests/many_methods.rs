//! Classes of hundreds of methods: each method has its turn, however long the paths of others take.
//!
//! The sources are written here, since each method is like all others. What is expected was written down before the
//! first run.

mod support;

use std::fs;
use support::{compile, cupping, scratch};

/// Generates tests of a class of many methods with this criterion; returns how many goals are met, and those that are
/// open, with why.
fn goals(name: &str, source: &str, criterion: &str, work: &str) -> (u64, Vec<(String, String)>) {
    let folder = scratch(&format!("many-{name}"));
    fs::write(folder.join(format!("{name}.java")), source).unwrap();
    compile(&[folder.join(format!("{name}.java"))], "", &folder.join("classes"));
    let arguments = ["generate", "-cp", "classes", name, "--work", work, "--criterion", criterion];
    let output = ["--json", "report.json", "--out", "tests"];
    cupping(&folder, &[&arguments[..], &output].concat()).expect(0);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let criteria = report["results"]["classes"][0]["criteria"].as_array().unwrap().clone();
    let judged = criteria.into_iter().find(|it| it["criterion"] == criterion).unwrap();
    let text = |goal: &serde_json::Value, key: &str| goal[key].as_str().unwrap_or_default().to_owned();
    let open = judged["open"].as_array().unwrap().iter();
    (judged["met"].as_u64().unwrap(), open.map(|it| (text(it, "place"), text(it, "why"))).collect())
}

/// A class with so many methods, each with its number in the place of `#`.
fn class(name: &str, rest: &str, methods: usize, method: &str) -> String {
    let all: Vec<String> = (0..methods).map(|at| method.replace('#', &at.to_string())).collect();
    format!("public class {name} {{\n{rest}\n{}\n}}\n", all.join("\n"))
}

fn untried(open: &[(String, String)]) -> usize {
    open.iter().filter(|(_, why)| why.contains("before it was tried")).count()
}

#[test]
fn mutants_of_many_static_methods_are_judged() {
    let method = "public static int price#(int count) { calls++; return count > # ? count * 3 : count + #; }";
    let source = class("Tariff", "static int calls;", 300, method);
    let (met, open) = goals("Tariff", &source, "mutation", "1s");
    assert_eq!(untried(&open), 0);
    assert!(met > 2000, "{met}");
}

#[test]
fn the_same_for_methods_of_an_object() {
    let method = "public int cell#(int row) { return row < # ? base - row : base + row + #; }";
    let rest = "private int base; public void rise(int by) { base += by; }";
    let source = class("Sheet", rest, 300, method);
    // At 1 s, two of the 1,500 mutants are left: a test is written down only if it infects one, which takes a run.
    let (met, open) = goals("Sheet", &source, "mutation", "1.5s");
    assert_eq!(untried(&open), 0);
    assert!(met > 1000, "{met}");
}
