//! Tests that are aimed at mutants: all mutants are detected, except for those in the expected file.
//!
//! The classes are in `fixtures/mutation`; the undetectable mutants were written down before the first run.

mod support;

use std::fs;
use support::{compile, cupping, repository, scratch};

/// Generates tests with mutants as a criterion and compares the open mutants with the expected ones.
fn check(name: &str) {
    let folder = scratch(&format!("mutation-{name}"));
    let fixtures = repository().join("fixtures/mutation");
    compile(&[fixtures.join(format!("{name}.java"))], "", &folder.join("classes"));
    let class = format!("mutation.{name}");
    let criterion = ["--criterion", "mutation", "--json", "report.json", "--out", "tests"];
    let arguments = [&["generate", "-cp", "classes", &class][..], &criterion].concat();
    cupping(&folder, &arguments).expect(0);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let criteria = &report["results"]["classes"][0]["criteria"];
    let judged = criteria.as_array().unwrap().iter().find(|it| it["criterion"] == "mutation").unwrap();
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut open: Vec<String> = judged["open"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["standing", "place", "line", "goal"].map(|key| text(&it[key])).join(" "))
        .collect();
    open.sort();
    let expected = fs::read_to_string(fixtures.join(format!("{name}.expected"))).unwrap();
    let expected: Vec<&str> = expected.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(open, expected);
    assert!(judged["met"].as_u64().unwrap() > 10);
}

#[test]
fn mutants_are_infected_propagated_and_observed() {
    check("Gauge");
}

#[test]
fn the_same_behind_tables_texts_and_attempts() {
    check("Vault");
}

#[test]
fn long_inputs_show_what_short_ones_hide() {
    check("Ribbon");
}

#[test]
fn the_same_behind_many_calls_and_a_key_that_is_asked_for_again() {
    check("Shelf");
}

#[test]
fn each_entry_of_a_table_is_looked_up() {
    check("Alphabet");
}

#[test]
fn each_constant_shows_what_the_initialiser_gave_it() {
    check("Grade");
}

#[test]
fn listeners_are_told_what_they_should_be() {
    check("Sentry");
}

#[test]
fn the_same_of_subclasses_and_of_those_who_are_asked() {
    check("Ferry");
}

#[test]
fn objects_that_are_passed_on_show_what_they_hold() {
    check("Postmaster");
}

#[test]
fn the_same_of_those_that_others_change() {
    check("Relay");
}

#[test]
fn objects_in_a_list_show_what_was_computed_for_them() {
    check("Itinerary");
}

#[test]
fn the_same_in_a_map_behind_a_getter() {
    check("Register");
}

#[test]
fn lists_are_longer_than_any_path_needs() {
    check("Ledger");
}

#[test]
fn elements_of_collections_are_equal_at_times() {
    check("Convoy");
}

#[test]
fn texts_match_the_patterns_of_the_code_in_several_ways() {
    check("Postage");
}

#[test]
fn the_same_in_a_list_and_with_a_pattern_that_a_library_method_takes() {
    check("Docket");
}

#[test]
fn elements_without_a_text_show_it_through_getters() {
    check("Fleet");
}

#[test]
fn the_same_for_values_of_maps_and_what_is_present() {
    check("Roster");
}

#[test]
fn what_only_initialisers_run_shows_in_constants() {
    check("Shade");
}

#[test]
fn the_same_with_methods_that_tests_can_call_too() {
    check("Fare");
}

#[test]
fn constants_whose_methods_might_change_them_are_called() {
    check("Pen");
}

#[test]
fn the_same_where_the_change_is_two_calls_away() {
    check("Clerk");
}
