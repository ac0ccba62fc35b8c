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

/// Runs the whole corpus with a collection after every few hundred thousand words of allocation.
fn stress(jdk: &Jdk, compiler: &Jdk) {
    let Corpus { classes, expected } = corpus(jdk, compiler);
    let known = std::fs::read_to_string(common::fixtures().join("java/KNOWN-FAILURES")).unwrap_or_default();
    let only = std::env::var("CUPPING_ONLY").ok();
    let mut machine = boot(jdk, &classes, Limits { collect: Collect::Every(200_000), ..Limits::default() });
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

/// The compiled programs of `fixtures/schedules`.
fn schedules(jdk: &Jdk) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sources =
        ["Churn", "MillionObjects"].map(|name| common::fixtures().join(format!("schedules/{name}.java")));
    let javac =
        std::process::Command::new(jdk.javac_binary()).arg("-d").arg(folder.path()).args(sources).status();
    assert!(javac.unwrap().success());
    folder
}

#[test]
fn many_times_the_memory_can_be_allocated_and_a_full_heap_is_an_error_of_java() {
    let jdk = &all_jdks()[0];
    let folder = schedules(jdk);
    // 16 MiB, of which the program allocates 400, with and without a version to go back to.
    let mut machine = boot(jdk, folder.path(), Limits { heap_words: 1 << 21, ..Limits::default() });
    let expected =
        "100099900\nJava heap space main\nJava heap space main\nJava heap space main\n3\n--- exit: normal\n";
    let booted = machine.snapshot();
    for _ in 0..2 {
        assert_eq!(observe(&mut machine, "Churn", FUEL), expected);
        assert!(machine.memory.used() <= (1 << 21) + (1 << 12));
        machine.restore(&booted);
    }
}

#[test]
fn forks_of_a_large_heap_keep_their_own() {
    let jdk = &all_jdks()[0];
    let folder = schedules(jdk);
    let mut machine = boot(jdk, folder.path(), Limits::default());
    assert_eq!(observe(&mut machine, "MillionObjects", FUEL), "499999500000\n--- exit: normal\n");
    let full = machine.snapshot();
    let class = machine.load("MillionObjects").unwrap();
    let list = machine.static_field(class, "list").unwrap() as u32;
    let value = machine.field_offset(class, "value").unwrap();
    let forks: Vec<_> = (0..1000)
        .map(|i| {
            machine.restore(&full);
            machine.set_field(list, value, i);
            machine.snapshot()
        })
        .collect();
    for (i, fork) in forks.iter().enumerate().rev() {
        machine.restore(fork);
        assert_eq!(machine.field(list, value), i as u64);
    }
    machine.restore(&full);
    assert_eq!(machine.field(list, value), 999_999);
}
