//! Verdicts on random classes, held against an explorer in Java that runs sequences on the JDK: a pair that a sequence
//! exercises is never *infeasible*. `./x fuzz dataflow` does the same for as long as one likes.

mod generator;

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_dataflow::{Analysis, DataflowOptions, Verdict, analyse, open};
use cupping_generate::{Options, Session};
use cupping_machine::Machine;
use generator::{Classes, class};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Classes of the bounded run.
const CLASSES: u64 = 16;
/// Classes that one call of `javac` compiles.
const AT_ONCE: u64 = 60;

/// A variable, and the places of a definition and a use as `CLASS:LINE`.
type Key = (String, String, String);

#[test]
fn no_exercised_pair_is_infeasible() {
    let counts = compare(1, CLASSES, false).unwrap_or_else(|wrong| panic!("{wrong}"));
    // The comparison has something to compare.
    assert!(counts.exercised > 100 && counts.infeasible > 0, "{counts:?}");
}

/// For `./x fuzz dataflow [SECONDS] [SEED]`.
#[test]
#[ignore = "runs as long as one likes"]
fn for_long() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let limit = Duration::from_secs(number("CUPPING_FUZZ_SECONDS").unwrap_or(60));
    let mut seed = number("CUPPING_FUZZ_SEED").unwrap_or(1_000);
    let (started, mut wrong, mut classes) = (Instant::now(), Vec::new(), 0);
    while started.elapsed() < limit {
        match compare(seed, AT_ONCE, true) {
            Ok(counts) => println!("classes {seed} to {}: {counts:?}", seed + AT_ONCE - 1),
            Err(text) => {
                println!("{text}");
                wrong.push(text);
            }
        }
        (seed, classes) = (seed + AT_ONCE, classes + AT_ONCE);
    }
    println!("{classes} classes, {} groups with wrong verdicts", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[derive(Debug, Default)]
struct Counts {
    pairs: usize,
    exercised: usize,
    covered: usize,
    infeasible: usize,
    inconclusive: usize,
}

/// Compares the verdicts on classes with these seeds; what is wrong, if anything is. The forward search, if wanted, may
/// refute a verdict too.
fn compare(first: u64, count: u64, forward: bool) -> Result<Counts, String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let all: Vec<Classes> = (first..first + count).map(class).collect();
    let [plain, watched] = ["plain", "watched"].map(|package| folder.path().join(package));
    for classes in &all {
        write(&plain, "plain", &classes.plain);
        write(&watched, "watched", &classes.watched);
    }
    javac(&jdk, folder.path(), &[&plain], &[]);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dataflow/differential");
    javac(&jdk, folder.path(), &[&watched, &fixtures], &[]);
    let exercised = explored(&jdk, folder.path(), &all);
    let version = jdk.feature_version();
    let class_path = ClassPath::open(&folder.path().to_string_lossy(), version).expect("a folder");
    let mut session = Session::new(Arc::new(Program::new(jdk, class_path))).expect("the JDK boots");
    let options = DataflowOptions {
        search: Options { budget: Duration::from_secs(2), pairs_are_goals: true, ..Options::default() },
        budget: Duration::from_secs(3),
        forward,
        ..DataflowOptions::default()
    };
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for classes in &all {
        let name = format!("plain/{}", classes.name);
        let mut bench = open(&mut session, &name, &options).expect("it loads");
        let analysis = analyse(&mut bench, &options, &mut |_| true);
        let verdicts = verdicts(&analysis, bench.machine());
        let none = BTreeSet::new();
        let exercised = exercised.get(&classes.name).unwrap_or(&none);
        counts.exercised += exercised.len();
        counts.pairs += verdicts.len();
        for (key, of) in &verdicts {
            let is_infeasible = of.iter().all(|verdict| matches!(verdict, Verdict::Infeasible(_)));
            let is_covered = of.iter().any(|verdict| matches!(verdict, Verdict::Covered { .. }));
            counts.covered += usize::from(is_covered);
            counts.infeasible += usize::from(is_infeasible);
            counts.inconclusive += usize::from(!is_covered && !is_infeasible);
            if is_infeasible && exercised.contains(key) {
                wrong.push(format!("{}: {key:?} is exercised, and {:?}", classes.name, of[0]));
            }
        }
        for key in exercised.iter().filter(|key| !verdicts.contains_key(*key)) {
            wrong.push(format!("{}: {key:?} is exercised, and no pair", classes.name));
        }
        for (pair, calls) in &analysis.refuted {
            wrong.push(format!(
                "{}: pair {} was infeasible, and {calls:?} exercises it",
                classes.name,
                pair + 1
            ));
        }
    }
    if wrong.is_empty() { Ok(counts) } else { Err(format!("{counts:?}\n{}", wrong.join("\n"))) }
}

fn write(folder: &Path, package: &str, files: &[(String, String)]) {
    std::fs::create_dir_all(folder).expect("a folder can be made");
    for (name, text) in files {
        assert!(text.starts_with(&format!("package {package};")));
        std::fs::write(folder.join(format!("{name}.java")), text).expect("a file can be written");
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|it| it == "java")).collect();
    files.sort();
    files
}

fn javac(jdk: &Jdk, into: &Path, folders: &[&Path], more: &[&str]) {
    let files = folders.iter().flat_map(|folder| sources(folder));
    let mut command = Command::new(jdk.javac_binary());
    command.args(["-g", "-nowarn", "-Xlint:none", "--release", "17", "-d"]).arg(into).args(more).args(files);
    succeed(&mut command);
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("it can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The pairs that the explorer exercises, by class.
fn explored(jdk: &Jdk, folder: &Path, all: &[Classes]) -> BTreeMap<String, BTreeSet<Key>> {
    let mut command = Command::new(jdk.home().join("bin/java"));
    command.args(["-ea", "-Xshare:auto", "-XX:+UseSerialGC", "-cp"]).arg(folder).arg("watched.Explorer");
    let output = succeed(command.args(all.iter().map(|classes| &classes.name)));
    let mut found: BTreeMap<String, BTreeSet<Key>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let [class, variable, definition, usage] = <[String; 4]>::try_from(words).expect("four words");
        found.entry(class).or_default().insert((variable, definition, usage));
    }
    found
}

/// The verdicts by lines. Copies of a `finally` block have equal lines.
fn verdicts<'a>(analysis: &'a Analysis, machine: &Machine) -> BTreeMap<Key, Vec<&'a Verdict>> {
    let place = |access: usize| {
        let access = &analysis.accesses.all[access];
        let body = &analysis.flat.methods[access.method];
        let class = machine.class(body.class).name.replace("plain/", "");
        format!("{class}:{}", body.line(access.at).unwrap_or(0))
    };
    let mut found: BTreeMap<Key, Vec<&Verdict>> = BTreeMap::new();
    for (pair, verdict) in analysis.pairs.iter().zip(&analysis.verdicts) {
        let variable = analysis.flat.variables[pair.variable].name.to_string();
        found.entry((variable, place(pair.definition), place(pair.usage))).or_default().push(verdict);
    }
    found
}
