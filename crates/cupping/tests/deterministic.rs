//! The same input and seed give the same bytes, whatever the number of threads.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use support::{contents, generate, scratch};

/// Everything that a run on all the papers' programs leaves, times taken out.
fn left(name: &str, args: &[&str]) -> (BTreeMap<PathBuf, String>, serde_json::Value) {
    let folder = scratch(name);
    generate(&folder, &[args, &["papers.*"]].concat()).expect(0);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let mut report: serde_json::Value = serde_json::from_str(&report).unwrap();
    for class in report["classes"].as_array_mut().unwrap() {
        assert!(class["time_ms"].take().is_u64());
        assert!(class["error"].is_null(), "{class}");
    }
    (contents(&folder.join("tests")), report)
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes() {
    let one = left("jobs-1", &["--jobs", "1"]);
    let two = left("jobs-2", &["--jobs", "2"]);
    let eight = left("jobs-8", &["--jobs", "8"]);
    assert!(one.0.len() > 8, "every program has tests: {:?}", one.0.keys());
    assert_eq!(one, two);
    assert_eq!(one, eight);
}

#[test]
fn any_run_with_the_same_seed_gives_the_same_bytes() {
    let first = left("seed-first", &["--seed", "7"]);
    let second = left("seed-second", &["--seed", "7"]);
    assert_eq!(first, second);
}
