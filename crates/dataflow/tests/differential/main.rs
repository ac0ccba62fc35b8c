//! Verdicts on random classes, checked against an explorer in Java that runs sequences on the JDK: a pair that a
//! sequence exercises is never *infeasible*, and the sequence of a *covered* pair exercises it there. `./x fuzz
//! dataflow` runs the same test for any length of time.

mod generator;
mod random;
mod text;

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_dataflow::{Analysis, DataflowOptions, PairVerdict, analyse, open};
use cupping_generate::{GenerateOptions, NO_CLOCK, Session};
use cupping_machine::Machine;
use generator::{Classes, class};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Classes of the bounded run.
const CLASSES: u64 = 16;
/// Classes that one call of `javac` compiles.
const AT_ONCE: u64 = 60;
/// The budget of a class.
const BUDGET: Duration = Duration::from_secs(3);

/// A variable, and the locations of a definition and a use as `CLASS:LINE`.
type Key = (String, String, String);

#[test]
fn no_exercised_pair_is_infeasible() {
    let counts = compare(1, CLASSES, false, BUDGET).unwrap_or_else(|wrong| panic!("{wrong}"));
    // The comparison has something to compare.
    assert!(counts.exercised > 100 && counts.infeasible > 0 && counts.judged > 100, "{counts:?}");
}

/// For `./x fuzz dataflow [SECONDS] [SEED]`. `CUPPING_FUZZ_BUDGET` is the budget of a class in milliseconds,
/// `CUPPING_FUZZ_KEEP` a folder for the classes.
#[test]
#[ignore = "runs as long as one likes"]
fn verdicts_hold_on_random_classes_for_a_given_time() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let limit = Duration::from_secs(number("CUPPING_FUZZ_SECONDS").unwrap_or(60));
    let mut seed = number("CUPPING_FUZZ_SEED").unwrap_or(1_000);
    let budget = number("CUPPING_FUZZ_BUDGET").map_or(BUDGET, Duration::from_millis);
    let (started, mut wrong, mut classes) = (Instant::now(), Vec::new(), 0);
    while started.elapsed() < limit {
        match compare(seed, AT_ONCE, true, budget) {
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
    judged: usize,
    exercised: usize,
    covered: usize,
    infeasible: usize,
    inconclusive: usize,
}

/// Compares the verdicts on classes with these seeds; returns the errors. The forward search, if wanted, may also
/// refute a verdict.
fn compare(first: u64, count: u64, forward: bool, budget: Duration) -> Result<Counts, String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let all: Vec<Classes> = (first..first + count).map(class).collect();
    let [plain, watched] = ["plain", "watched"].map(|package| folder.path().join(package));
    for classes in &all {
        write(&plain, "plain", &classes.plain);
        write(&watched, "watched", &classes.watched);
    }
    // To look at what was found.
    if let Some(kept) = std::env::var_os("CUPPING_FUZZ_KEEP") {
        for classes in &all {
            write(&Path::new(&kept).join("plain"), "plain", &classes.plain);
            write(&Path::new(&kept).join("watched"), "watched", &classes.watched);
        }
    }
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dataflow/differential");
    javac(&jdk, folder.path(), &[&plain, &watched, &fixtures]);
    let java = jdk.home().join("bin/java");
    let version = jdk.feature_version();
    let class_path = ClassPath::open(&folder.path().to_string_lossy(), version).expect("a folder");
    let mut session = Session::new(Arc::new(Program::new(jdk, class_path))).expect("the JDK boots");
    let options = DataflowOptions {
        // Only work counts, so that the load of the machine does not matter.
        search: GenerateOptions {
            budget,
            clock: Some(NO_CLOCK),
            pairs_are_goals: true,
            ..GenerateOptions::default()
        },
        budget,
        forward,
        ..DataflowOptions::default()
    };
    let (mut found, mut wrong, mut sequences) = (Vec::new(), Vec::new(), String::new());
    for classes in &all {
        let name = format!("plain/{}", classes.name);
        let mut bench = open(&mut session, &name, &options).expect("it loads");
        let analysis = analyse(&mut bench, &options, &mut |_| true);
        for (pair, calls) in &analysis.refuted {
            wrong.push(format!(
                "{}: pair {} was infeasible, and {calls:?} exercises it",
                classes.name,
                pair + 1
            ));
        }
        let verdicts = verdicts(&analysis, bench.machine());
        for ((variable, definition, usage), of) in &verdicts {
            for verdict in of {
                if let PairVerdict::Covered { calls, .. } = verdict {
                    let calls = calls.join("\t");
                    let _ = writeln!(sequences, "{}\t{variable} {definition} {usage}\t{calls}", classes.name);
                }
            }
        }
        found.push((classes.name.clone(), verdicts));
    }
    let said = explored(&java, folder.path(), &all, sequences);
    wrong.extend(said.wrong);
    let mut counts = Counts { judged: said.judged, ..Counts::default() };
    for (name, verdicts) in found {
        let none = BTreeSet::new();
        let exercised = said.exercised.get(&name).unwrap_or(&none);
        counts.exercised += exercised.len();
        counts.pairs += verdicts.len();
        for (key, of) in &verdicts {
            let is_infeasible = of.iter().all(|verdict| matches!(verdict, PairVerdict::Infeasible(_)));
            let is_covered = of.iter().any(|verdict| matches!(verdict, PairVerdict::Covered { .. }));
            counts.covered += usize::from(is_covered);
            counts.infeasible += usize::from(is_infeasible);
            counts.inconclusive += usize::from(!is_covered && !is_infeasible);
            if is_infeasible && exercised.contains(key) {
                wrong.push(format!("{name}: {key:?} is exercised, and {:?}", of[0]));
            }
        }
        for key in exercised.iter().filter(|key| !verdicts.contains_key(*key)) {
            wrong.push(format!("{name}: {key:?} is exercised, and no pair"));
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

fn javac(jdk: &Jdk, into: &Path, folders: &[&Path]) {
    let files = folders.iter().flat_map(|folder| sources(folder));
    let mut command = Command::new(jdk.javac_binary());
    command.args(["-g", "-nowarn", "-Xlint:none", "--release", "17", "-d"]).arg(into).args(files);
    succeed(&mut command, String::new());
}

/// Runs a command with this standard input.
fn succeed(command: &mut Command, input: String) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be run");
    let mut stdin = child.stdin.take().expect("it has one");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    writer.join().expect("it ends").expect("it is read");
    output
}

/// The results of runs on the JDK.
#[derive(Default)]
struct Said {
    /// The pairs that the explorer exercises, by class.
    exercised: BTreeMap<String, BTreeSet<Key>>,
    /// Sequences that do not exercise their pair.
    wrong: Vec<String>,
    /// Sequences that were run.
    judged: usize,
}

/// Explores the classes, and judges sequences that are claimed to exercise a pair.
fn explored(java: &Path, folder: &Path, all: &[Classes], sequences: String) -> Said {
    let mut command = Command::new(java);
    command.args(["-ea", "-Xshare:auto", "-XX:+UseSerialGC", "-cp"]).arg(folder).arg("watched.Explorer");
    let output = succeed(command.args(all.iter().map(|classes| &classes.name)), sequences);
    let mut said = Said::default();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.split_once(' ') {
            Some(("judged", count)) => said.judged = count.parse().expect("a number"),
            Some(("wrong", what)) => said.wrong.push(format!("{what} is said to be covered")),
            _ => {
                let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
                let [class, variable, definition, usage] =
                    <[String; 4]>::try_from(words).expect("four words");
                said.exercised.entry(class).or_default().insert((variable, definition, usage));
            }
        }
    }
    said
}

/// The verdicts by lines, including those of nested classes.
fn verdicts(analysis: &Analysis, machine: &Machine) -> BTreeMap<Key, Vec<PairVerdict>> {
    let place = |access: usize| {
        let access = &analysis.accesses.all[access];
        let body = &analysis.flat.methods[access.method];
        let class = machine.class(body.class).name.replace("plain/", "");
        let class = class.split('$').next().unwrap_or_default();
        format!("{class}:{}", body.line(access.at).unwrap_or(0))
    };
    let mut found: BTreeMap<Key, Vec<PairVerdict>> = BTreeMap::new();
    for (pair, verdict) in analysis.pairs.iter().zip(&analysis.verdicts) {
        let variable = analysis.flat.variables[pair.variable].name.to_string();
        found.entry((variable, place(pair.definition), place(pair.usage))).or_default().push(verdict.clone());
    }
    found
}
