//! Linked structures and protocols (`fixtures/dataflow/chase`): pairs that take long sequences, or many states.

mod lab;

use cupping_dataflow::{DataflowOptions, analyse, open};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// The verdicts on a class with this budget.
fn found(name: &str, budget: Duration) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dataflow/chase");
    let (_classes, mut session) = lab::compiled(&[folder.join(format!("{name}.java"))]);
    let base = lab::options();
    let search = cupping_generate::GenerateOptions { budget, ..base.search.clone() };
    let options = DataflowOptions { forward: true, budget, search, ..base };
    let mut bench = open(&mut session, &format!("chase/{name}"), &options).expect("it loads");
    let analysis = analyse(&mut bench, &options, &mut |_| true);
    assert_eq!(analysis.refuted, Vec::new());
    let mut text = String::new();
    for row in analysis.rows(bench.machine()) {
        let _ = writeln!(text, "{} {} -> {}: {}", row.variable, row.definition, row.usage, row.kind);
    }
    text
}

fn expected(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dataflow/chase");
    std::fs::read_to_string(folder.join(format!("{name}.expected"))).expect("it is there")
}

/// The budget of a class, unless the user names another.
const BUDGET: Duration = Duration::from_secs(10);

#[test]
fn linked_structures_take_a_tenth_of_the_budget() {
    for name in ["Cells", "Line"] {
        assert_eq!(found(name, BUDGET / 10), expected(name), "{name}");
    }
}

#[test]
fn protocols_of_many_calls_are_found() {
    for name in ["Countdown", "Handshake"] {
        assert_eq!(found(name, BUDGET), expected(name), "{name}");
    }
}

#[test]
fn sequences_turn_to_other_objects() {
    for name in ["Bag", "Links", "Pokes"] {
        assert_eq!(found(name, BUDGET / 2), expected(name), "{name}");
    }
}

#[test]
fn objects_may_take_long_to_make_or_be_large() {
    for name in ["Vault", "Ward"] {
        assert_eq!(found(name, BUDGET / 5), expected(name), "{name}");
    }
}

#[test]
fn objects_of_abstract_classes_are_made_by_anonymous_subclasses() {
    for name in ["Dial", "Post"] {
        assert_eq!(found(name, BUDGET / 5), expected(name), "{name}");
    }
}

#[test]
fn interfaces_with_many_methods_have_stubs() {
    assert_eq!(found("Panel", BUDGET / 5), expected("Panel"));
}

#[test]
fn texts_and_constants_select_calls() {
    for name in ["Commands", "Signals"] {
        assert_eq!(found(name, BUDGET / 5), expected(name), "{name}");
    }
}
