//! Mutants of valid classes are run to an end: no panic, no hang, no more memory than the limit.
//!
//! `CUPPING_FUZZ_SECONDS` makes it a long run, `CUPPING_FUZZ_SEED` another one; `./x fuzz` sets both.

use crate::common::{all_jdks, fixtures, run as command};
use crate::mutate::{Random, mutate, rename};
use crate::run::Bench;
use cupping_classfile::{ClassFile, Jdk, Origin};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Mutants in a bounded run.
const MUTANTS: u64 = 6000;

/// A compiled class to be mutated.
pub struct Seed {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// Compiles the seeds and their helpers into a folder. Mutants of versions before 50 are inferred, the others
/// checked.
pub fn seeds(jdk: &Jdk, to: &Path) -> Vec<Seed> {
    let folder = fixtures().join("hostile");
    let source = |name: &str| folder.join(name).with_extension("java");
    let javac = |release: &str, sources: &[&str]| {
        command(
            Command::new(jdk.javac_binary())
                .args(["-nowarn", "-Xlint:-options", "-XDstringConcat=inline", "--release", release, "-cp"])
                .arg(to)
                .arg("-d")
                .arg(to)
                .args(sources.iter().map(|name| source(name))),
        )
    };
    javac("17", &["N0000000"]);
    let newest = std::fs::read(to.join("N0000000.class")).unwrap();
    javac("17", &["M0000000", "HostileBase", "HostileShape"]);
    let new = std::fs::read(to.join("M0000000.class")).unwrap();
    javac("8", &["M0000000", "HostileBase", "HostileShape"]);
    let mut old = std::fs::read(to.join("M0000000.class")).unwrap();
    old[7] = 49;
    vec![
        Seed { name: "M0000000", bytes: new },
        Seed { name: "N0000000", bytes: newest },
        Seed { name: "M0000000", bytes: old },
    ]
}

/// The mutant of a number, and its name.
pub fn mutant(seeds: &[Seed], number: u64) -> (String, Vec<u8>) {
    let mut random = Random::new(number);
    let seed = &seeds[number as usize % seeds.len()];
    let mut bytes = seed.bytes.clone();
    mutate(&mut bytes, &mut random);
    let name = format!("{}{:07}", &seed.name[..1], 1 + number % 9_999_999);
    rename(&mut bytes, seed.name, &name);
    (name, bytes)
}

fn budget() -> (u64, Option<Instant>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let deadline = number("CUPPING_FUZZ_SECONDS").map(|s| Instant::now() + Duration::from_secs(s));
    (number("CUPPING_FUZZ_SEED").unwrap_or(0), deadline)
}

fn numbers() -> impl Iterator<Item = u64> {
    let (first, deadline) = budget();
    (first..)
        .enumerate()
        .take_while(move |(done, _)| match deadline {
            Some(deadline) => Instant::now() < deadline,
            None => *done < MUTANTS as usize,
        })
        .map(|(_, number)| number)
}

#[test]
fn mutants_are_run_to_an_end() {
    let jdk = &all_jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds(jdk, folder.path());
    let mut bench = Bench::new(jdk, folder.path());
    for seed in &seeds {
        let outcomes = bench.run(&seed.bytes);
        assert!(outcomes.iter().filter(|o| o.ends_with(": returned")).count() >= 5, "{outcomes:?}");
        bench.reboot();
    }
    let (mut accepted, mut total) = (0, 0);
    let mut findings = Vec::new();
    for number in numbers() {
        let (_, bytes) = mutant(&seeds, number);
        total += 1;
        let started = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| bench.run(&bytes))) {
            Ok(outcomes) => accepted += (outcomes.len() > 1) as u32,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                findings.push(format!("mutant {number}: {text}"));
                bench.reboot();
            }
        }
        if started.elapsed() > Duration::from_secs(20) {
            findings.push(format!("mutant {number}: took {:?}", started.elapsed()));
        }
    }
    println!("{total} mutants, {accepted} of them linked");
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
    assert!(accepted * 10 > total, "of {total} mutants only {accepted} were linked: they test little");
}

#[test]
fn mutants_are_read_or_refused() {
    let jdk = &all_jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds(jdk, folder.path());
    let mut read = 0;
    for number in numbers() {
        let (_, bytes) = mutant(&seeds, number);
        let Ok(file) = ClassFile::parse(Arc::from(bytes), "mutant", Origin::Made) else { continue };
        read += 1;
        for index in 0..file.constant_count() {
            let _ = file.constant(index);
        }
        for method in &file.methods {
            let Ok(Some(code)) = file.code(method) else { continue };
            let _ = cupping_classfile::instructions::check_targets(&code.bytecode);
        }
    }
    assert!(read > 0);
}
