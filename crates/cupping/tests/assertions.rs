//! The assertions of generated tests: each type of result by its value, and nothing that differs from run to run.
//!
//! The classes are in `fixtures/assertions`, next to the pieces of text that the tests must and must not contain.

mod support;

use std::fs;
use support::{compile, cupping, repository, scratch};

/// Generates tests for a class and compares them with the expected pieces. All tests are certified on the JDK.
fn check(name: &str) {
    let folder = scratch(&format!("assertions-{name}"));
    let fixtures = repository().join("fixtures/assertions");
    compile(&[fixtures.join(format!("{name}.java"))], "", &folder.join("classes"));
    cupping(&folder, &["generate", "-cp", "classes", &format!("values.{name}"), "--out", "tests"]).expect(0);
    let written = fs::read_to_string(folder.join(format!("tests/values/{name}Test.java"))).unwrap();
    let failing = folder.join(format!("tests/values/{name}FailingTest.java"));
    let written = written + &fs::read_to_string(failing).unwrap_or_default();
    let expected = fs::read_to_string(fixtures.join(format!("{name}.expected"))).unwrap();
    let mut wrong = Vec::new();
    for line in expected.lines() {
        let holds = match line.split_once(' ') {
            Some(("+", piece)) => written.contains(piece),
            Some(("-", piece)) => !written.contains(piece),
            _ => true,
        };
        if !holds {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{}\n--- in\n{written}", wrong.join("\n"));
}

#[test]
fn results_are_asserted_by_value() {
    check("Values");
}

#[test]
fn colours_and_their_like_are_values() {
    check("Drawn");
}

#[test]
fn values_that_differ_from_run_to_run_are_not_asserted() {
    check("Volatile");
}

#[test]
fn values_of_the_computer_are_not_asserted() {
    check("Computer");
}

#[test]
fn calls_that_are_not_all_recorded_are_not_asserted() {
    check("Tap");
}

#[test]
fn what_threads_do_at_the_same_time_is_not_asserted() {
    check("Threads");
    check("Pools");
}

#[test]
fn output_is_read_from_the_stream_that_objects_keep() {
    check("Tracer");
    check("Echo");
}

#[test]
fn what_a_jvm_numbers_over_its_life_is_not_asserted() {
    check("Numbering");
}

#[test]
fn public_methods_of_hidden_superclasses_are_observers() {
    check("Inherited");
}

#[test]
fn clocks_and_random_numbers_that_are_passed_are_fixed() {
    check("Shift");
}

#[test]
fn values_that_libraries_read_from_the_computer_are_not_asserted() {
    check("Desk");
}

#[test]
fn a_changed_copy_shows_what_was_changed() {
    check("Copies");
}

#[test]
fn changes_show_in_fields_and_behind_getters() {
    check("Further");
    check("Chain");
}

#[test]
fn changes_of_static_state_are_asserted() {
    check("Settings");
    check("Modes");
}

#[test]
fn one_more_call_shows_what_nothing_else_does() {
    check("Dispenser");
    check("Spool");
}

#[test]
fn a_test_that_can_assert_nothing_says_so() {
    check("Idle");
}

#[test]
fn objects_without_observers_are_compared_with_equal_ones_or_by_class() {
    check("Shades");
    check("Sieves");
}

#[test]
fn a_stub_that_several_tests_need_is_written_once() {
    check("Frames");
}
