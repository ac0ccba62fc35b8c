//! Output of compilers passes the verifier with both methods of verification.

use crate::common::{all_jdks, boot, corpus};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Machine, RunLimits, Verification};
use std::sync::Arc;

/// Jars of Debian with classes of many compilers and versions.
const JARS: &[&str] = &[
    "commons-lang3",
    "commons-collections4",
    "commons-codec",
    "commons-io",
    "commons-cli",
    "asm-commons",
    "junit4",
    "junit-jupiter-engine",
    "junit-platform-console",
    "org.jacoco.core",
    "org.jacoco.report",
];

/// Verifies classes with both methods; returns the complaints. Classes that need missing classes are skipped.
fn complaints(machine: &mut Machine, names: &[String]) -> (usize, Vec<String>) {
    let (mut verified, mut complaints) = (0, Vec::new());
    for name in names {
        let Ok(class) = machine.load(name) else { continue };
        for how in [Verification::ByVersion, Verification::Inference] {
            match machine.verify_class(class, how) {
                Ok(()) => verified += 1,
                Err(cupping_machine::Trap::Missing(_)) => {}
                Err(trap) => complaints.push(format!("{name} {how:?}: {}", machine.describe_trap(&trap))),
            }
        }
    }
    (verified, complaints)
}

fn check(machine: &mut Machine, names: &[String], at_least: usize) {
    let started = std::time::Instant::now();
    let (verified, complaints) = complaints(machine, names);
    println!("{verified} verifications in {:?}", started.elapsed());
    assert!(
        complaints.is_empty(),
        "{} complaints\n{}",
        complaints.len(),
        complaints[..complaints.len().min(20)].join("\n")
    );
    assert!(verified >= at_least, "only {verified} verifications");
}

fn program(jdk: &Jdk, class_path: &str) -> Arc<Program> {
    Arc::new(Program::new(jdk.clone(), ClassPath::open(class_path, jdk.feature_version()).unwrap()))
}

#[test]
fn classes_of_libraries_pass() {
    let jars: Vec<String> = JARS
        .iter()
        .map(|jar| format!("/usr/share/java/{jar}.jar"))
        .filter(|jar| std::fs::exists(jar).unwrap_or(false))
        .collect();
    if jars.is_empty() {
        println!("skipped: no jars in /usr/share/java");
        return;
    }
    let jdk = &all_jdks()[0];
    let program = program(jdk, &jars.join(":"));
    let mut names: Vec<String> =
        program.class_path().entries().flat_map(|entry| entry.class_names().unwrap()).collect();
    names.sort();
    names.dedup();
    let mut machine = Machine::boot(program, RunLimits::default()).unwrap();
    check(&mut machine, &names, 500 * jars.len().min(2));
}

#[test]
fn classes_of_the_corpus_pass() {
    let jdk = &all_jdks()[0];
    let corpus = corpus(jdk, jdk);
    let mut machine = boot(jdk, &corpus.classes);
    let mut names: Vec<String> = std::fs::read_dir(&corpus.classes)
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().strip_suffix(".class").map(str::to_owned))
        .collect();
    names.sort();
    check(&mut machine, &names, 800);
}

#[test]
fn classes_of_the_jdk_pass() {
    for jdk in &all_jdks() {
        let program = program(jdk, ".");
        let packages = ["java/lang", "java/util", "java/time", "java/math", "sun/security", "jdk/internal"];
        let mut names = Vec::new();
        for package in packages {
            names.extend_from_slice(&program.classes_of_package(package, true).unwrap());
        }
        let mut machine = Machine::boot(program, RunLimits::default()).unwrap();
        check(&mut machine, &names, 2000);
    }
}
