//! Garbage collection changes nothing that a program can see, except how long its memory lasts.

mod common;

use common::{Corpus, all_jdks, corpus, observe};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{CollectionPolicy, Machine, RunLimits};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Backward jumps and calls that a program may make.
const FUEL: u64 = 200_000_000;

fn boot(jdk: &Jdk, classes: &Path, limits: RunLimits) -> Machine {
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).unwrap();
    Machine::boot(Arc::new(Program::new(jdk.clone(), class_path)), limits).unwrap()
}

/// Runs the whole corpus with a collection after every few hundred thousand words of allocation.
fn stress(jdk: &Jdk, compiler: &Jdk) {
    let Corpus { classes, expected } = corpus(jdk, compiler);
    let known = std::fs::read_to_string(common::fixtures().join("java/KNOWN-FAILURES")).unwrap_or_default();
    let only = std::env::var("CUPPING_ONLY").ok();
    let mut machine =
        boot(jdk, &classes, RunLimits { collect: CollectionPolicy::Every(200_000), ..RunLimits::default() });
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
    let mut machine = boot(jdk, folder.path(), RunLimits { heap_words: 1 << 21, ..RunLimits::default() });
    let expected =
        "100099900\nJava heap space main\nJava heap space main\nJava heap space main\n3\n--- exit: normal\n";
    let booted = machine.snapshot();
    for _ in 0..2 {
        assert_eq!(observe(&mut machine, "Churn", FUEL), expected);
        assert!(machine.memory().used() <= (1 << 21) + (1 << 12));
        machine.restore(&booted);
    }
}

#[test]
fn forks_of_a_large_heap_keep_their_own() {
    let jdk = &all_jdks()[0];
    let folder = schedules(jdk);
    let mut machine = boot(jdk, folder.path(), RunLimits::default());
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

/// Events between two collections.
#[derive(Clone, Debug)]
enum Event {
    /// An `int[]` of so many elements, garbage at once.
    Garbage(u32),
    /// A version that stays.
    Snapshot,
    /// Back to one of the versions.
    Restore(prop::sample::Index),
    Collect,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => prop_oneof![4 => 0u32..40, 1 => 0u32..6000].prop_map(Event::Garbage),
        1 => Just(Event::Snapshot),
        1 => any::<prop::sample::Index>().prop_map(Event::Restore),
        2 => Just(Event::Collect),
    ]
}

fn collect(machine: &mut Machine) {
    let class = machine.initialize_now("java/lang/System").unwrap();
    let gc = machine.find_method(class, "gc", "()V").unwrap();
    machine.call(gc, &[]).unwrap();
}

/// Wherever versions end, with whatever dead across the end: there is always a next collection.
#[test]
fn garbage_across_the_end_of_a_version_is_no_obstacle_to_the_next_collection() {
    let jdk = &all_jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let mut machine = boot(jdk, folder.path(), RunLimits { heap_words: 1 << 20, ..RunLimits::default() });
    let ints = machine.load("[I").unwrap();
    let booted = machine.snapshot();
    let machine = std::cell::RefCell::new(machine);
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(events in prop::collection::vec(event(), 1..60))| {
        let machine = &mut *machine.borrow_mut();
        machine.restore(&booted);
        let mut versions = vec![booted.clone()];
        for event in events {
            match event {
                Event::Garbage(length) => drop(machine.new_array(ints, length).unwrap()),
                Event::Snapshot => versions.push(machine.snapshot()),
                Event::Restore(at) => machine.restore(at.get(&versions)),
                Event::Collect => collect(machine),
            }
        }
        for _ in 0..8 {
            for _ in 0..5 {
                prop_assert!(machine.new_array(ints, 80_000).is_ok(), "garbage fills the heap");
            }
            collect(machine);
        }
    });
}
