//! Files with symbolic bytes: written data keeps its terms until it is read, through any API.

mod lab;

use lab::{Lab, Outcome, Setup};
use std::collections::BTreeSet;

/// Methods with all their results.
const METHODS: [(&str, &str); 22] = [
    ("inputStream", "1 2 3"),
    ("outputStream", "1 2 3"),
    ("lengths", "1 2 3"),
    ("allBytes", "1 2"),
    ("appended", "1 2"),
    ("copied", "1 2"),
    ("overwritten", "1"),
    ("reader", "1 2 3"),
    ("lines", "1 2 x"),
    ("stream", "1 2"),
    ("text", "1 2 3 x"),
    ("randomAccess", "1 2 3"),
    ("channel", "1 2 3"),
    ("gathered", "1 2"),
    ("mapped", "1 2"),
    ("scanner", "1 2 3"),
    ("properties", "1 2 3"),
    ("data", "1 2 3"),
    ("zipped", "1 2 3"),
    ("deflated", "1 2"),
    ("named", "1 3"),
    ("integers", "1 2"),
];

#[test]
fn both_sides_of_branches_on_what_files_hold_are_found() {
    let mut lab = Lab::new();
    let mut wrong = Vec::new();
    for (method, expected) in METHODS {
        let explored = lab.explore(&Setup { most_paths: 400, ..Setup::of("samples/FileContents", method) });
        let found: BTreeSet<String> = explored.outcomes().iter().map(show).collect();
        let found = found.into_iter().collect::<Vec<_>>().join(" ");
        if found != expected {
            wrong.push(format!("{method}: {found}, expected {expected}"));
        }
        assert!(explored.is_complete, "{method}: {:?}", explored.counters);
        lab.sample(&explored, 50);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Bits(bits) => (*bits as u32 as i32).to_string(),
        Outcome::Threw(_) => "x".into(),
        other => format!("{other:?}"),
    }
}
