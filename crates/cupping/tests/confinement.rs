//! The commands if the kernel can confine the JVM that certifies, and if it cannot.

#![cfg(target_os = "linux")]

mod support;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, compile, cupping, repository, scratch};

/// Runs the binary on a kernel that seems to have no Landlock, by a filter that answers in its place.
fn without_landlock(folder: &Path, args: &[&str]) -> Run {
    // SYS_landlock_create_ruleset is the same number on all architectures, ENOSYS that of Linux.
    const LANDLOCK_CREATE_RULESET: i64 = 444;
    const ENOSYS: u32 = 38;
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let rules = [(LANDLOCK_CREATE_RULESET, Vec::new())].into_iter().collect();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(ENOSYS), architecture);
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    // A filter applies to a thread and the processes that it starts.
    let run = || {
        seccompiler::apply_filter(&filter).unwrap();
        cupping(folder, args)
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}

/// A folder to run in, and the class path of the fixture.
fn mixed(name: &str) -> (PathBuf, String) {
    let folder = scratch(name);
    let classes = folder.join("classes");
    fs::create_dir(&classes).unwrap();
    compile(&[repository().join("fixtures/confinement/Mixed.java")], "", &classes);
    (folder, classes.to_str().unwrap().to_owned())
}

fn written(folder: &Path) -> String {
    fs::read_to_string(folder.join("out/confinement/MixedTest.java")).unwrap_or_default()
}

fn generate(class_path: &str) -> [&str; 6] {
    ["generate", "-cp", class_path, "confinement.Mixed", "--out", "out"]
}

#[test]
fn all_tests_are_certified_where_the_kernel_confines() {
    let (folder, classes) = mixed("confined");
    let run = cupping(&folder, &generate(&classes)).expect(0);
    assert!(!run.stderr.contains("confinement"), "{}", run.stderr);
    let test = written(&folder);
    for method in ["add(", "announce(", "note("] {
        assert!(test.contains(method), "{method} in {test}");
    }
}

#[test]
fn without_confinement_only_tests_without_effects_run() {
    let (folder, classes) = mixed("partial");
    let run = without_landlock(&folder, &generate(&classes)).expect(0);
    assert_eq!(run.stderr.matches("does not offer Landlock").count(), 1, "{}", run.stderr);
    let test = written(&folder);
    assert!(test.contains("add(") && !test.contains("announce(") && !test.contains("note("), "{test}");
    // The others are listed.
    assert!(run.stdout.contains("not-run") && run.stdout.contains("note_"), "{}", run.stdout);
}

#[test]
fn only_the_user_can_request_unconfined_runs() {
    let (folder, classes) = mixed("unconfined");
    let args = [&generate(&classes)[..], &["--unconfined"]].concat();
    let run = without_landlock(&folder, &args).expect(0);
    assert!(!run.stderr.contains("Landlock"), "{}", run.stderr);
    assert!(written(&folder).contains("note("), "{}", written(&folder));
}

#[test]
fn doctor_shows_the_level() {
    let folder = scratch("doctor");
    let full = cupping(&folder, &["doctor"]).expect(0).stdout;
    assert!(full.contains("confined full (Landlock ABI "), "{full}");
    let partial = without_landlock(&folder, &["doctor"]).expect(0).stdout;
    assert!(partial.contains("confined") && partial.contains("does not offer Landlock"), "{partial}");
}
