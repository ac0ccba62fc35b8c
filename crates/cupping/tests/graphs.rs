//! Objects that need other objects: builders, factories, objects that are linked and change each other.
//!
//! The classes are in `fixtures/graphs`, `harbour`, `outlines`, `reach`, `answers`, `sentences`, `makers`, `results`,
//! `roles`, `exits`, `parts`, `settings`, `values`, `wildcards`, `callbacks` and `offices`; the reachable branches were
//! counted by hand (`EXPECTED`).

mod support;

use std::fs;
use std::path::PathBuf;
use support::{compile, cupping, files, repository, scratch};

#[test]
fn objects_are_made_of_objects() {
    check("graphs");
}

/// A disguised variant: three classes link the objects under test, and a text must match a pattern.
#[test]
fn objects_are_linked_before_they_are_asked() {
    // The first seed misses a branch of `Harbour` if all classes are tested at once.
    check_with("harbour", &["--seed", "1"]);
}

/// Subclasses decide the results of an abstract class: anonymous classes, under test and as arguments.
#[test]
fn abstract_methods_return_inputs() {
    check("outlines");
}

/// Inputs that comparisons require, and objects that only other objects create.
#[test]
fn inputs_are_what_comparisons_wait_for() {
    check("reach");
}

/// Lambda expressions and objects of classes that no test can name do something only when someone calls them.
#[test]
fn results_are_called() {
    check("results");
}

/// A collaborator's result has the type of its signature, including its contents.
#[test]
fn answers_hold_what_their_types_say() {
    check("answers");
}

/// Collaborators give something back through their parameters: they fill a list, or call a function.
#[test]
fn collaborators_call_back() {
    check("callbacks");
}

/// Interfaces with more methods than anybody implements by hand: what is asked is answered, down to lists of objects
/// that hold lists.
#[test]
fn large_interfaces_answer_what_is_asked() {
    let folder = check("offices");
    let tests = fs::read_to_string(folder.join("tests/offices/RegistryTest.java")).unwrap();
    assert_eq!(tests.matches("implements Registry.Office").count(), 1, "{tests}");
    let (before, _) = tests.split_once("class PlainOffice").expect("a class with all methods");
    assert!(before.contains("new PlainOffice() {") && !before.contains("size1()"), "{before}");
    // The test passed the null that the code met.
    assert!(!folder.join("tests/offices/TimetableFailingTest.java").exists());
}

/// Objects that other classes make, by chains of calls, and members of classes that carry annotations.
#[test]
fn objects_come_from_whoever_makes_them() {
    check("makers");
}

/// Collaborators answer in turn, throw what they declare, and are set by containers.
#[test]
fn collaborators_change_and_fail() {
    check("roles");
}

/// What was lost on the way to a test: causes of exceptions, odd names, arrays that are too short, messages that are
/// not what was stored, and runs that fail where another has failed before.
#[test]
fn nothing_is_lost_on_the_way_out() {
    check_with("exits", &["--preconditions"]);
}

/// Values are within the bounds of wildcards, and source calls no bridge.
#[test]
fn values_are_within_the_bounds_of_wildcards() {
    check("wildcards");
}

/// Objects that take several calls in the right order, with texts that are only looked at by the last of them; and
/// objects that all of thirty classes need.
#[test]
fn objects_are_built_bottom_up() {
    check("parts");
}

/// Objects that hold settings: copies by withers, a builder, a bean. What they are passed to asks for each setting, and
/// for some only together.
#[test]
fn arguments_differ_in_their_settings() {
    check("settings");
}

/// Texts with a grammar: behind a constructor, in a reader, as arguments of a command, as bytes.
#[test]
fn texts_become_sentences() {
    // Other seeds miss up to four branches of `Settings`, or one of `Weather`.
    check_with("sentences", &["--seed", "3"]);
}

/// Statements are words in an order. What a parser refuses at its end goes on with the next word.
#[test]
fn sentences_grow_by_words() {
    for (class, branches) in [("phrases.Script", 24), ("phrases.Formula", 22)] {
        let reached = coverage("phrases", class, &["--work", "3s"]);
        assert!(reached["branches"]["covered"].as_u64() >= Some(branches), "{class}: {reached}");
    }
}

/// Each refusal of an operation names another object that is not ready.
#[test]
fn refused_operations_are_repaired() {
    // All but those of assertions that are off, and a second launch.
    for (class, work, branches) in [("refusals.LoanDesk", "2s", 12), ("refusals.Launch", "1s", 9)] {
        let reached = coverage("refusals", class, &["--work", work]);
        assert!(reached["branches"]["covered"].as_u64() >= Some(branches), "{class}: {reached}");
    }
}

/// A service refuses an order for an empty cart, then since the catalogue lacks the product, then since nothing is in
/// stock.
#[test]
fn services_of_many_objects_are_brought_to_work() {
    let reached = coverage("apps/shop/src", "store.OrderService", &["--work", "5s"]);
    assert!(reached["lines"]["covered"].as_u64() >= Some(60), "{reached}");
}

/// Automata in tables: a class for each character, a row for each state.
#[test]
fn tables_of_scanners_are_read() {
    check("scanners");
}

/// Dates, amounts and languages as a person writes them.
#[test]
fn values_are_those_that_a_person_writes() {
    check("values");
}

/// An order of a shop checks all that it is made of. No single argument leads to one: those that led on are combined.
#[test]
fn arguments_that_lead_on_are_combined() {
    // Not every seed finds such a combination in this time.
    let reached = coverage("apps/shop/src", "store.Order", &["--work", "5s", "--seed", "1"]);
    // Without an order, tests reach the 6 lines of its constructor that refuse one.
    assert!(reached["lines"]["covered"].as_u64() > Some(30), "{reached}");
}

/// What a library or the class itself takes long to initialise is not charged, and not run, for each object anew.
/// A getter that returns null has made nothing: it is not called again and again for what it might return.
#[test]
fn getters_that_return_null_make_nothing() {
    let reached = coverage("builders", "builders.Courier", &["--work", "1s"]);
    assert_eq!(reached["branches"]["covered"], 16, "{reached}");
}

/// A maker refuses texts that earlier calls have kept, and no method that takes a text is on the way to its exception.
#[test]
fn makers_accept_texts_of_earlier_calls() {
    for (class, branches) in [("drafts.Doorman", 5), ("drafts.Wharf", 2)] {
        let reached = coverage("drafts", class, &["--work", "3s"]);
        assert!(reached["branches"]["covered"].as_u64() >= Some(branches), "{class}: {reached}");
    }
}

/// Default methods are called on stubs where nobody implements their interface.
#[test]
fn default_methods_are_called_on_stubs() {
    for (class, branches) in [("defaults.Greeter", 6), ("defaults.Step", 6)] {
        let reached = coverage("defaults", class, &["--work", "2s"]);
        assert_eq!(reached["branches"]["covered"].as_u64(), Some(branches), "{class}: {reached}");
    }
}

/// The code looks at a text only after other calls. Sequences without these calls are given up.
#[test]
fn texts_are_varied_where_code_looks_at_them() {
    for (class, branches) in [("talks.Console", 25), ("talks.Radio", 16)] {
        let reached = coverage("talks", class, &["--work", "3s"]);
        assert!(reached["branches"]["covered"].as_u64() >= Some(branches), "{class}: {reached}");
    }
}

#[test]
fn slow_initialisers_leave_work_for_the_search() {
    for (class, work, branches) in [("heavy.Basket", "2s", 28), ("heavy.Codecs", "1s", 10)] {
        let reached = coverage("heavy", class, &["--work", work]);
        assert_eq!(reached["branches"]["covered"].as_u64(), Some(branches), "{class}: {reached}");
    }
}

/// What tests of a class of this folder of fixtures cover with these options.
fn coverage(fixtures: &str, class: &str, options: &[&str]) -> serde_json::Value {
    let folder = scratch(class);
    let mut sources = files(&repository().join("fixtures").join(fixtures));
    sources.retain(|it| it.extension().is_some_and(|it| it == "java"));
    compile(&sources, "", &folder.join("classes"));
    let arguments = ["generate", "-cp", "classes", class, "--out", "tests", "--json", "report.json"];
    cupping(&folder, &[&arguments[..], options].concat()).expect(0);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    report["results"]["classes"][0]["coverage"].clone()
}

fn check(name: &str) -> PathBuf {
    check_with(name, &[])
}

/// Compares what tests of a folder of fixtures cover with what is expected. Returns the folder of the run.
fn check_with(name: &str, options: &[&str]) -> PathBuf {
    let folder = scratch(name);
    let fixtures = repository().join("fixtures").join(name);
    let mut sources = files(&fixtures);
    sources.retain(|it| it.extension().is_some_and(|it| it == "java"));
    compile(&sources, "", &folder.join("classes"));
    let classes = format!("{name}.*");
    let arguments = ["generate", "-cp", "classes", &classes, "--work", "40s", "--out", "tests"];
    cupping(&folder, &[&arguments[..], options, &["--json", "report.json"]].concat()).expect(0);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let of = |class: &serde_json::Value| {
        let branches = &class["coverage"]["branches"];
        format!("{} {} {}", class["class"].as_str().unwrap(), branches["covered"], branches["total"])
    };
    let has_branches = |class: &&serde_json::Value| class["coverage"]["branches"]["total"] != 0;
    let mut found: Vec<String> =
        report["results"]["classes"].as_array().unwrap().iter().filter(has_branches).map(of).collect();
    found.sort();
    let expected = fs::read_to_string(fixtures.join("EXPECTED")).unwrap();
    assert_eq!(found, expected.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>());
    folder
}
