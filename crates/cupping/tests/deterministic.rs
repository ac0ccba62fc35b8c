//! The same input and seed give the same bytes, whatever the number of threads.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::panic;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use support::{contents, cupping, generate, scratch};

/// All output of a run on the papers' programs, without times.
fn left(name: &str, args: &[&str]) -> (BTreeMap<PathBuf, String>, serde_json::Value) {
    let folder = scratch(name);
    generate(&folder, &[args, &["--preconditions", "papers.*"]].concat()).expect(0);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let mut report: serde_json::Value = serde_json::from_str(&report).unwrap();
    for class in report["results"]["classes"].as_array_mut().unwrap() {
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

/// The budget is too small to find everything, so that the clock would decide if it were consulted.
#[test]
fn a_busy_machine_writes_the_same_tests_if_only_work_counts() {
    let left = |name: &str| {
        let folder = scratch(name);
        let jar = "/usr/share/java/commons-lang3.jar";
        let class = "org.apache.commons.lang3.math.Fraction";
        cupping(&folder, &["generate", "-cp", jar, class, "--work", "300ms", "--out", "tests"]).expect(0);
        contents(&folder.join("tests"))
    };
    let idle = left("work-idle");
    assert!(!idle.is_empty());
    let is_over = AtomicBool::new(false);
    let busy = thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let busy = panic::catch_unwind(|| left("work-busy"));
        is_over.store(true, Ordering::Relaxed);
        busy.unwrap()
    });
    assert_eq!(idle, busy);
}

#[test]
fn classes_of_a_library_get_the_same_tests_in_whatever_company() {
    let jar = "/usr/share/java/commons-lang3.jar";
    let prefix = "org.apache.commons.lang3";
    let names =
        ["BitField", "CharUtils", "tuple.MutablePair", "tuple.ImmutablePair", "mutable.MutableBoolean"];
    let all: Vec<String> = names.iter().map(|name| format!("{prefix}.{name}")).collect();
    let left = |name: &str, runs: &[&[String]], jobs: &str| {
        let folder = scratch(name);
        for classes in runs {
            let mut args = vec!["generate", "-cp", jar, "--budget", "30s", "--out", "tests", "--jobs", jobs];
            args.extend(classes.iter().map(String::as_str));
            cupping(&folder, &args).expect(0);
        }
        contents(&folder.join("tests"))
    };
    let together = left("library-two", &[&all], "2");
    let one_by_one: Vec<&[String]> = all.chunks(1).rev().collect();
    let alone = left("library-alone", &one_by_one, "1");
    assert!(together.len() >= names.len(), "{:?}", together.keys());
    assert_eq!(together, alone);
}
