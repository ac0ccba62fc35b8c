//! Every program of the fidelity corpus prints on the machine what it prints on the JDK.
//!
//! `CUPPING_ONLY=Name,Name` runs these alone. `fixtures/java/KNOWN-FAILURES` lists expected failures, one per
//! line: name, feature version of the JDK or `*`, reason. Every listed program must fail.

mod common;

use common::{Corpus, all_jdks, boot, corpus, fixtures, observe};
use cupping_classfile::Jdk;
use std::fmt::Write;

/// Backward jumps and calls that a program may make.
const FUEL: u64 = 200_000_000;

#[test]
fn programs_print_what_they_print_on_the_oldest_jdk() {
    let jdks = all_jdks();
    check(&jdks[0], &jdks[0]);
}

#[test]
fn programs_print_what_they_print_on_the_newest_jdk() {
    let jdks = all_jdks();
    if jdks.len() > 1 {
        check(&jdks[jdks.len() - 1], &jdks[0]);
    }
}

fn known_failures(jdk: &Jdk) -> Vec<String> {
    let text = std::fs::read_to_string(fixtures().join("java/KNOWN-FAILURES")).unwrap_or_default();
    let version = jdk.feature_version().to_string();
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (name, on) = (words.next()?, words.next()?);
            (on == "*" || on == version).then(|| name.to_owned())
        })
        .collect()
}

fn check(jdk: &Jdk, compiler: &Jdk) {
    let Corpus { classes, expected } = corpus(jdk, compiler);
    let mut machine = boot(jdk, &classes);
    let booted = machine.snapshot();
    let only = std::env::var("CUPPING_ONLY").ok();
    let known = known_failures(jdk);
    let (mut report, mut passed, mut failed) = (String::new(), 0, 0);
    for (name, expected) in &expected {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|n| n == name)) {
            continue;
        }
        machine.restore(&booted);
        let actual = observe(&mut machine, name, FUEL);
        match (actual == *expected, known.contains(name)) {
            (true, false) => passed += 1,
            (false, true) => {}
            (true, true) => {
                failed += 1;
                let _ = writeln!(report, "== {name} is listed in KNOWN-FAILURES, but passes");
            }
            (false, false) => {
                failed += 1;
                let _ = writeln!(report, "== {name}\n{}", difference(expected, &actual));
            }
        }
    }
    let missing: Vec<&String> = machine.missing_natives().iter().collect();
    println!(
        "JDK {}: {passed} pass, {} known to fail, {failed} wrong; missing natives: {missing:?}",
        jdk.feature_version(),
        known.len()
    );
    assert!(report.is_empty(), "JDK {}\n{report}", jdk.feature_version());
}

/// The first lines that differ, with the last one before them.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let first = expected.iter().zip(&actual).take_while(|(e, a)| e == a).count();
    let mut text = format!("  line {} of {}\n", first + 1, expected.len());
    for (sign, lines) in [("- ", &expected), ("+ ", &actual)] {
        for line in lines.iter().skip(first).take(4) {
            let _ = writeln!(text, "{sign}{line}");
        }
    }
    text
}
