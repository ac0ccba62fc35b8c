//! Mutants are accepted, or refused with the same error, as the JDK does.
//!
//! `CUPPING_FUZZ_KEEP` names a folder where they are put down, to be looked at with `javap`.

use crate::common::{all_jdks, fixtures, run as command};
use crate::fuzz::{mutant, seeds};
use crate::run::Bench;
use cupping_classfile::Jdk;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Number of mutants compared; `CUPPING_FUZZ_MUTANTS` changes it, `CUPPING_FUZZ_SEED` selects others.
const MUTANTS: u64 = 2000;
/// Of a thousand mutants, this many may be judged differently, for reasons that [`explained`] does not know.
const TOLERATED: usize = 10;

#[test]
fn mutants_are_judged_as_the_jdk_judges_them() {
    for jdk in &all_jdks() {
        compare(jdk, &all_jdks()[0]);
    }
}

fn compare(jdk: &Jdk, compiler: &Jdk) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("CUPPING_FUZZ_SEED").unwrap_or(1_000_000);
    let count = number("CUPPING_FUZZ_MUTANTS").unwrap_or(MUTANTS);
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds(compiler, folder.path());
    let mutants: Vec<(String, Vec<u8>)> = (first..first + count).map(|n| mutant(&seeds, n)).collect();
    if let Some(folder) = std::env::var_os("CUPPING_FUZZ_KEEP") {
        for (name, bytes) in &mutants {
            std::fs::write(Path::new(&folder).join(format!("{name}.class")), bytes).unwrap();
        }
    }
    let theirs = oracle(jdk, compiler, folder.path(), &mutants);
    let mut bench = Bench::new(jdk, folder.path());
    let mut differences: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut agreed: BTreeMap<String, u32> = BTreeMap::new();
    for ((number, (_, bytes)), theirs) in (first..).zip(&mutants).zip(&theirs) {
        let ours = bench.judge(bytes);
        if ours == *theirs {
            *agreed.entry(ours).or_default() += 1;
        } else if !explained(&ours, theirs) {
            differences.entry(format!("ours {ours}, theirs {theirs}")).or_default().push(number);
        }
    }
    println!("JDK {}: agreed {agreed:?}; differences {differences:?}", jdk.feature_version());
    let differing: usize = differences.values().map(Vec::len).sum();
    assert!(differing * 1000 <= TOLERATED * count as usize, "{differing} of {count}: {differences:?}");
    assert!(
        agreed.get("ok").is_some_and(|n| *n > 100)
            && agreed.get("java.lang.VerifyError").is_some_and(|n| *n > 100)
    );
}

/// Known reasons for different judgements.
fn explained(ours: &str, theirs: &str) -> bool {
    // An endless initialiser: the fuel and the clock run out.
    theirs == "endless"
        || ours == "endless"
        // Both are among several errors of the class; which one is found first differs.
        || ours.ends_with("Error") && theirs.ends_with("Error")
}

/// The JDK's answer for each class.
pub fn oracle(jdk: &Jdk, compiler: &Jdk, folder: &Path, mutants: &[(String, Vec<u8>)]) -> Vec<String> {
    command(
        Command::new(compiler.javac_binary())
            .args(["-nowarn", "--release", "17", "-d"])
            .arg(folder)
            .arg(fixtures().join("hostile/HostileOracle.java")),
    );
    let mut file = (mutants.len() as u32).to_be_bytes().to_vec();
    for (name, bytes) in mutants {
        file.extend((name.len() as u16).to_be_bytes());
        file.extend(name.bytes());
        file.extend((bytes.len() as u32).to_be_bytes());
        file.extend(bytes);
    }
    let (input, output) = (folder.join("mutants"), folder.join("answers"));
    std::fs::write(&input, file).unwrap();
    command(
        Command::new(jdk.java_binary()).arg("-cp").arg(folder).arg("HostileOracle").args([&input, &output]),
    );
    let answers = std::fs::read_to_string(&output).unwrap();
    answers.lines().map(str::to_owned).collect()
}
