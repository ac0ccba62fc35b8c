//! A run stays within its memory, whatever the code under test does. The figures are those of `--stats`.

mod support;

use support::{compile, cupping, files, repository, scratch};

/// Limit on Cupping's resident memory for a class, in megabytes. A booted machine takes 70.
const MOST: u64 = 300;

#[track_caller]
fn peak(class: &str) -> u64 {
    let folder = scratch(&format!("bounds-{class}"));
    compile(&files(&repository().join("fixtures/bounds")), "", &folder.join("classes"));
    let class = format!("bounds.{class}");
    let run = cupping(&folder, &["generate", "-cp", "classes", &class, "--work", "3s", "--stats"]).expect(0);
    let said = run.stdout.lines().find_map(|line| line.strip_prefix("peak memory "));
    said.and_then(|it| it.split(' ').next()?.parse().ok()).expect("--stats tells the peak")
}

#[test]
fn a_loop_that_fills_the_heap_does_not_fill_the_memory() {
    let peak = peak("Hoard");
    assert!(peak < MOST, "{peak} MB");
}

#[test]
fn texts_that_double_do_not_fill_the_memory() {
    let peak = peak("Ledger");
    assert!(peak < MOST, "{peak} MB");
}

#[test]
fn stacks_that_wait_do_not_fill_the_memory() {
    let peak = peak("Nest");
    assert!(peak < MOST, "{peak} MB");
}
