//! Classes of hundreds of methods: each method has its turn, however long the paths of others take.
//!
//! The sources are written here, since each method is like all others. What is expected was written down before the
//! first run.

mod support;

use std::fs;
use support::{compile, cupping, scratch};

/// Generates tests of a class of many methods with this criterion; returns the goals that are open, with why.
fn open(name: &str, source: &str, criterion: &str, work: &str) -> Vec<(String, String)> {
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
    judged["open"].as_array().unwrap().iter().map(|it| (text(it, "place"), text(it, "why"))).collect()
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
    assert_eq!(untried(&open("Tariff", &source, "mutation", "3s")), 0);
}

#[test]
fn the_same_for_methods_of_an_object() {
    let method = "public int cell#(int row) { return row < # ? base - row : base + row + #; }";
    let rest = "private int base; public void rise(int by) { base += by; }";
    let source = class("Sheet", rest, 300, method);
    assert_eq!(untried(&open("Sheet", &source, "mutation", "3s")), 0);
}

/// What a method does with a text takes many paths.
const WORDS: &str = "private static int words(CharSequence text) {
    int words = 0;
    for (int at = 0; at < text.length(); at++) {
        char c = text.charAt(at);
        if (c == ' ' || c == '-' || c == '_') { words += 2; } else if (c > 'm' && c < 'z') { words++; }
    }
    return words;
}";

#[test]
fn null_has_its_turn_where_the_code_asks_for_it() {
    let method = "public static int count#(String text, String more) {
        if (text == null) { return #; }
        return words(text) + words(more) > # ? 1 : 0;
    }";
    let open = open("Phrase", &class("Phrase", WORDS, 120, method), "line", "3s");
    assert_eq!(open, []);
}

#[test]
fn the_same_behind_a_private_method() {
    let helper = "private static int measure(CharSequence text, Object unit, int wanted) {
        if (unit == null) { return wanted; }
        return words(text) > wanted ? 1 : 0;
    }";
    let method = "public static String span#(String text, StringBuilder unit) {
        int found = measure(text, unit, #);
        if (found == # && unit == null) { return \"none\"; }
        return text + found;
    }";
    let open = open("Measure", &class("Measure", &[WORDS, helper].concat(), 120, method), "line", "3s");
    assert_eq!(open, []);
}
