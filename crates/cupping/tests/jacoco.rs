//! Coverage as reported by Cupping equals the coverage that JaCoCo measures when the emitted tests run on the JDK.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{compile_for, cupping, files, repository, scratch};

const JAVA: &str = "/usr/share/java";
/// The libraries to compile and run the tests.
const JUNIT: [&str; 7] = [
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-platform-launcher",
    "junit-platform-engine",
    "junit-platform-commons",
    "opentest4j",
    "apiguardian-api",
];
/// Further libraries for `Measure`, and the agent.
const JACOCO: [&str; 4] = ["org.jacoco.core", "asm", "asm-commons", "asm-tree"];
/// JaCoCo 0.8.6 reads class files up to Java 16.
const RELEASE: &str = "11";
/// Classes of commons-lang3 with branches of all kinds, observers, static initialisers and failing inputs.
const LANG3: [&str; 10] = [
    "BitField",
    "BooleanUtils",
    "CharRange",
    "CharUtils",
    "math.Fraction",
    "mutable.MutableInt",
    "text.StrMatcher",
    "text.WordUtils",
    "tuple.MutablePair",
    "tuple.Triple",
];

/// Tests run; lines covered and in all; branches covered and in all.
type Figures = [u64; 5];

fn jars(names: &[&str]) -> String {
    names.iter().map(|name| format!("{JAVA}/{name}.jar")).collect::<Vec<_>>().join(":")
}

fn java_sources(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|file| file.extension() == Some(OsStr::new("java"))).collect()
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// Cupping's figures for each class.
fn reported(report: &Path) -> BTreeMap<String, Figures> {
    let report: Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    let figures = |class: &Value| {
        assert!(class["error"].is_null(), "{class:#}");
        let tests = class["tests"].as_array().unwrap().len() + class["failing"].as_array().unwrap().len();
        let figure = |kind: &str, which: &str| class["coverage"][kind][which].as_u64().unwrap();
        let [lines, branches] =
            ["lines", "branches"].map(|kind| [figure(kind, "covered"), figure(kind, "total")]);
        let name = class["class"].as_str().unwrap().to_owned();
        (name, [tests as u64, lines[0], lines[1], branches[0], branches[1]])
    };
    report["results"]["classes"].as_array().unwrap().iter().map(figures).collect()
}

/// JaCoCo's figures for these classes when their tests, compiled in `tests`, run on the JDK.
fn measured(folder: &Path, tests: &Path, class_path: &str, classes: &[&str]) -> BTreeMap<String, Figures> {
    succeed(Command::new("jar").current_dir(folder).args([
        "xf",
        &jars(&["org.jacoco.agent"]),
        "jacocoagent.jar",
    ]));
    let agent = folder.join("jacocoagent.jar");
    let agent = agent.to_str().unwrap();
    let libraries = format!("{}:{}:{agent}", jars(&JUNIT), jars(&JACOCO));
    let measure = folder.join("measure");
    compile_for(RELEASE, &[repository().join("scripts/java/Measure.java")], &libraries, &measure);
    let mut java = Command::new("java");
    java.arg("-ea")
        .arg(format!("-javaagent:{agent}=output=none,includes=papers.*:org.apache.commons.lang3.*"));
    java.arg("-cp").arg(format!("{libraries}:{}", measure.display())).arg("Measure");
    java.arg(format!("{}:{class_path}", tests.display())).args(classes);
    let table = succeed(&mut java);
    let row = |line: &str| {
        let (name, numbers) = line.split_once('\t').unwrap();
        let numbers: Vec<u64> = numbers.split('\t').map(|number| number.parse().unwrap()).collect();
        let [tests, failed, lines, all_lines, branches, all_branches] = numbers[..] else { panic!("{line}") };
        assert_eq!(failed, 0, "{line}");
        (name.to_owned(), [tests, lines, all_lines, branches, all_branches])
    };
    table.lines().map(row).collect()
}

/// Generates tests for the classes, runs them under JaCoCo, and compares the figures. Tests that did not hold on the
/// JDK do not matter here: they are not emitted, and must not count.
fn check(folder: &Path, class_path: &str, classes: &[&str]) {
    let budget = ["generate", "--work", "2s", "--jobs", "2"];
    let places = ["--classpath", class_path, "--out", "tests", "--json", "report.json"];
    let run = cupping(folder, &[&budget[..], &places, classes].concat());
    assert!(matches!(run.code, Some(0 | 1)), "{run:#?}");
    let reported = reported(&folder.join("report.json"));
    let tests = folder.join("compiled");
    let sources = java_sources(&folder.join("tests"));
    compile_for(RELEASE, &sources, &format!("{}:{class_path}", jars(&JUNIT)), &tests);
    let measured = measured(folder, &tests, class_path, classes);
    assert_eq!(measured.len(), classes.len(), "{measured:#?}");
    assert!(measured.values().all(|[tests, lines, ..]| *tests > 0 && *lines > 0), "{measured:#?}");
    assert_eq!(
        reported, measured,
        "left: Cupping; right: JaCoCo; tests, lines, all lines, branches, all branches"
    );
}

#[test]
fn the_papers_programs() {
    let folder = scratch("jacoco-papers");
    let sources = java_sources(&repository().join("fixtures/papers"));
    let classes: Vec<String> =
        sources.iter().map(|file| format!("papers.{}", file.file_stem().unwrap().display())).collect();
    let compiled = folder.join("classes");
    compile_for(RELEASE, &sources, "", &compiled);
    let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
    check(&folder, compiled.to_str().unwrap(), &classes);
}

#[test]
fn classes_of_commons_lang() {
    let folder = scratch("jacoco-lang3");
    let classes = LANG3.map(|class| format!("org.apache.commons.lang3.{class}"));
    check(&folder, &jars(&["commons-lang3"]), &classes.each_ref().map(String::as_str));
}
