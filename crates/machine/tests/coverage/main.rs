//! Coverage figures must be those of JaCoCo itself, line by line: of real libraries with made-up hits, and of a
//! program run here and on the JDK.

mod goals;
mod oracle;
mod run;
mod text;

use cupping_coverage::Counters;
use oracle::{Figures, Oracle};
use std::path::{Path, PathBuf};

/// Libraries of Debian, 669 classes.
const JARS: [&str; 3] = ["commons-lang3", "commons-codec", "commons-io"];

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
    let shapes = assert_same_runs(&oracle, &["Shapes".to_owned()], classes.path());
    let lines = shapes.lines;
    assert!(lines.missed > 10 && lines.covered > 100, "the run covers too little or too much: {lines:?}");
}

/// Probes are numbered by map: those of classes that are no longer measured must not hit those of others.
#[test]
fn consecutive_measurements_are_independent() {
    let oracle = Oracle::new();
    let classes = oracle.compile("Shapes.java", &["--release=11", "-g"]);
    let (all, nested) = (["Shapes".to_owned()], ["Shapes$Resource".to_owned()]);
    let alone = run::hits_in_turn("Shapes", classes.path(), &[&nested]);
    let after = run::hits_in_turn("Shapes", classes.path(), &[&all, &nested]);
    assert!(alone[0].iter().any(|word| *word != 0), "the nested class runs");
    assert_eq!(after[1], alone[0]);
}

/// Topics of the corpus that are about control flow. JaCoCo 0.8.6 reads class files up to Java 16.
const TOPICS: [&str; 5] = ["classes", "control", "exceptions", "lambdas", "opcodes"];
const SINCE_JAVA_17: [&str; 4] = ["SealedShapes", "MissingMembers", "ReflectMembers", "ReflectDeep"];
/// Counts the frames below `main`, of which the oracle has more.
const COUNTS_FRAMES: &str = "StackTraceMethods";

#[test]
fn runs_of_the_corpus_give_jacocos_figures() {
    let oracle = Oracle::new();
    let sources = corpus();
    let classes = oracle.compile_all(&sources, &["--release=16", "-g", "-encoding", "UTF-8"]);
    let mains: Vec<String> = sources.iter().map(|source| stem(source)).collect();
    let figures = assert_same_runs(&oracle, &mains, classes.path());
    assert!(figures.branches.covered > 100 && figures.branches.missed > 100, "{figures:?}");
}

/// Compares the figures of the classes of a folder after running these programs; returns our total. Programs
/// that do not print here what they print on the JDK are excluded: other tests report those.
fn assert_same_runs(oracle: &Oracle, mains: &[String], folder: &Path) -> Counters {
    let (outputs, jacoco) = oracle.run(mains, folder);
    let names: Vec<String> = jacoco.iter().map(|class| class.name.clone()).collect();
    let runs = run::runs(mains, folder, &names);
    let astray: Vec<&String> =
        mains.iter().filter(|main| outputs.get(*main) != runs.outputs.get(*main)).collect();
    assert!(astray.len() * 10 <= mains.len(), "too many programs do not run as on the JDK: {astray:?}");
    let mut differences = Vec::new();
    let mut all = Counters::default();
    for class in &jacoco {
        let program = class.name.split('$').next().unwrap_or_default();
        if astray.iter().any(|main| *main == program) {
            continue;
        }
        let (place, _) = runs.map.class(&class.name).unwrap();
        let ours = runs.map.coverage(place, &runs.hits).unwrap();
        all += ours.counters;
        differences.extend(text::first_difference(&class.name, &class.text, &text::render(&ours)));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    all
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/java");
    let mut sources = Vec::new();
    for topic in TOPICS {
        let files = std::fs::read_dir(root.join(topic)).unwrap().map(|file| file.unwrap().path());
        sources.extend(files.filter(|file| {
            let name = stem(file);
            name != COUNTS_FRAMES && !SINCE_JAVA_17.contains(&name.as_str())
        }));
    }
    sources.sort();
    sources
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}
