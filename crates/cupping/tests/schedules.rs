//! Schedules and seeds of `cupping run`: races show under `--schedule race` and are reproduced by their seed,
//! programs without races stay correct, and random numbers follow `--seed`. The programs are `fixtures/races`.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use support::{compile, cupping, files, repository, scratch};

/// Seeds of which one has to show a race.
const SEEDS: u64 = 8;

/// The compiled programs.
fn classes() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = scratch("schedules");
        compile(&files(&repository().join("fixtures/races")), "", &folder);
        folder
    })
}

/// The output of a program.
fn printed(options: &[&str], program: &str) -> String {
    cupping(classes(), &[&["run"], options, &[program]].concat()).expect(0).stdout
}

fn raced(program: &str, seed: u64) -> String {
    printed(&["--schedule", "race", "--schedule-seed", &seed.to_string()], program)
}

/// Under some seed, each line differs from the result without lost updates, and the seed reproduces it.
fn shows(program: &str, right: &str) {
    let outputs: Vec<String> = (0..SEEDS).map(|seed| raced(program, seed)).collect();
    for (at, line) in right.lines().enumerate() {
        let differs = |output: &String| output.lines().nth(at) != Some(line);
        let seed = outputs.iter().position(differs);
        let Some(seed) = seed else { panic!("{program}: no seed shows the race in line {at}: {outputs:?}") };
        assert_eq!(raced(program, seed as u64), outputs[seed], "{program}: seed {seed} is not replayed");
    }
}

#[test]
fn an_update_of_a_field_is_lost() {
    shows("LostField", "4\n");
}

#[test]
fn an_update_of_an_element_is_lost() {
    shows("LostElement", "6\n");
}

#[test]
fn two_threads_find_a_key_missing() {
    shows("MadeTwice", "1\n1\n");
}

#[test]
fn an_update_of_an_atomic_variable_is_lost() {
    shows("LostCount", "3\n3\n");
}

#[test]
fn a_race_is_looked_for_without_a_seed() {
    assert_eq!(printed(&["--schedule", "race"], "LostElement"), raced("LostElement", 0));
}

#[test]
fn a_program_without_a_race_stays_right() {
    let right = "80 80 80\n44281\n3 3 3 made.........\n";
    for seed in 0..50 {
        assert_eq!(raced("NoRace", seed), right, "seed {seed}");
    }
}

#[test]
fn random_numbers_follow_the_seed() {
    let outputs = ["0", "1", "2", "18446744073709551615"].map(|seed| printed(&["--seed", seed], "Draws"));
    assert_eq!(printed(&[], "Draws"), outputs[0]);
    assert_eq!(printed(&["--seed", "2"], "Draws"), outputs[2]);
    let lines = outputs.each_ref().map(|output| output.lines().collect::<Vec<_>>());
    for at in 0..7 {
        let different: BTreeSet<&str> = lines.iter().map(|lines| lines[at]).collect();
        // A generator that the program seeds itself is unaffected.
        let expected = if lines[0][at].starts_with("seeded") { 1 } else { lines.len() };
        assert_eq!(different.len(), expected, "{different:?}");
    }
}
