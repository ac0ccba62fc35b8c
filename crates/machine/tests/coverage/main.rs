//! Coverage figures must be those of JaCoCo itself, line by line: of real libraries with made-up hits, and of a
//! program run here and on the JDK.

mod oracle;
mod run;
mod text;

use oracle::{Figures, Oracle};
use std::path::{Path, PathBuf};

/// Real code by several compilers: Java 7 (Guava's Debian build) to 11.
const JARS: [&str; 5] = ["commons-lang3", "commons-collections4", "commons-codec", "commons-io", "guava"];

fn debian_jar(name: &str) -> PathBuf {
    Path::new("/usr/share/java").join(name).with_extension("jar")
}

fn assert_same(figures: &[Figures]) {
    assert!(!figures.is_empty());
    let mut differences = Vec::new();
    for class in figures {
        let ours = text::figures(&class.file, &class.hits);
        differences.extend(text::first_difference(&class.name, &class.text, &ours));
    }
    let count = differences.len();
    differences.truncate(10);
    assert!(
        differences.is_empty(),
        "{count} of {} classes differ:\n{}",
        figures.len(),
        differences.join("\n")
    );
}

#[test]
fn made_up_hits_of_libraries_give_jacocos_figures() {
    let oracle = Oracle::new();
    for (seed, jar) in JARS.iter().enumerate() {
        assert_same(&oracle.made_up(seed as u64, &debian_jar(jar)));
    }
}

#[test]
fn made_up_hits_of_fixtures_give_jacocos_figures() {
    let oracle = Oracle::new();
    for (seed, options) in [
        ["--release=8", "-g"].as_slice(),
        &["--release=11", "-g"],
        &["--release=11"],
        &["--release=11", "-g:none"],
        &["--release=16", "-g"],
    ]
    .iter()
    .enumerate()
    {
        let classes = oracle.compile("Shapes.java", options);
        assert_same(&oracle.made_up(seed as u64, classes.path()));
    }
}

#[test]
fn a_run_on_the_machine_gives_jacocos_figures() {
    let oracle = Oracle::new();
    let classes = oracle.compile("Shapes.java", &["--release=11", "-g"]);
    let jacoco = oracle.run("Shapes", classes.path());
    let names: Vec<String> = jacoco.iter().map(|class| class.name.clone()).collect();
    let (map, hits) = run::hits("Shapes", classes.path(), &names);
    let differences: Vec<String> = jacoco
        .iter()
        .filter_map(|class| {
            let (place, _) = map.class(&class.name).unwrap();
            let ours = text::render(&map.coverage(place, &hits).unwrap());
            text::first_difference(&class.name, &class.text, &ours)
        })
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let all = map.coverage(map.class("Shapes").unwrap().0, &hits).unwrap().counters;
    assert!(
        all.lines.missed > 10 && all.lines.covered > 100,
        "the run covers too little or too much: {all:?}"
    );
}
