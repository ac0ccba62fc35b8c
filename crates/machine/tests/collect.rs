//! Garbage collection changes nothing that a program can see but how long its memory lasts.

mod common;

use common::{Corpus, all_jdks, corpus, observe};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Collect, Limits, Machine};
use std::path::Path;
use std::sync::Arc;

/// Backward jumps and calls that a program may make.
const FUEL: u64 = 200_000_000;

fn boot(jdk: &Jdk, classes: &Path, limits: Limits) -> Machine {
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).unwrap();
    Machine::boot(Arc::new(Program::new(jdk.clone(), class_path)), limits).unwrap()
}

/// Runs the whole corpus with a collection after every few thousand words of allocation.
fn stress(jdk: &Jdk, compiler: &Jdk) {
    let Corpus { classes, expected } = corpus(jdk, compiler);
    let known = std::fs::read_to_string(common::fixtures().join("java/KNOWN-FAILURES")).unwrap_or_default();
    let only = std::env::var("CUPPING_ONLY").ok();
    let mut machine = boot(jdk, &classes, Limits { collect: Collect::Every(20_000), ..Limits::default() });
    let booted = machine.snapshot();
    let mut wrong = Vec::new();
    for (name, expected) in &expected {
        let skipped = only.as_ref().is_some_and(|only| !only.split(',').any(|n| n == name));
        if skipped || known.lines().any(|line| line.split_whitespace().next() == Some(name)) {
            continue;
        }
        machine.restore(&booted);
        let actual = observe(&mut machine, name, FUEL);
        if actual != *expected {
            wrong.push(format!("{name}\n{actual}"));
        }
    }
    assert!(wrong.is_empty(), "JDK {}: {}", jdk.feature_version(), wrong.join("\n"));
}

#[test]
fn the_corpus_runs_under_constant_collection_on_the_oldest_jdk() {
    let jdks = all_jdks();
    stress(&jdks[0], &jdks[0]);
}

#[test]
fn the_corpus_runs_under_constant_collection_on_the_newest_jdk() {
    let jdks = all_jdks();
    stress(&jdks[jdks.len() - 1], &jdks[0]);
}
