//! Emitted tests compile and pass outside of Cupping: with JUnit's own runners.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{compile, contents, generate, papers, scratch};

const JAVA: &str = "/usr/share/java";

/// The report of a run on all the papers' programs, and the number of tests in it.
fn run(folder: &Path, version: &str) -> (serde_json::Value, usize) {
    let run = generate(folder, &["papers.*", "--junit", version]).expect(0);
    assert_eq!(run.stderr, "", "nothing but errors in a pipe");
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let classes = report["results"]["classes"].as_array().unwrap();
    let count = |kind: &str| -> usize { classes.iter().map(|it| it[kind].as_array().unwrap().len()).sum() };
    let tests = count("tests") + count("failing");
    assert!(tests > 16, "{run:?}");
    (report, tests)
}

/// Compiles the emitted tests; returns the class path to run them with, and the names of the test classes.
fn compiled(folder: &Path, jars: &[&str]) -> (String, Vec<String>) {
    let jars = jars.iter().map(|jar| format!("{JAVA}/{jar}.jar")).collect::<Vec<_>>().join(":");
    let emitted = contents(&folder.join("tests"));
    let sources: Vec<PathBuf> = emitted.keys().map(|path| folder.join("tests").join(path)).collect();
    let class_path = format!("{}:{jars}", papers().display());
    compile(&sources, &class_path, &folder.join("compiled"));
    let names = emitted.keys().map(|path| path.with_extension("").display().to_string().replace('/', "."));
    (format!("{}:{class_path}", folder.join("compiled").display()), names.collect())
}

fn java(args: &[&str]) -> String {
    let output = Command::new("java").arg("-ea").args(args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn junit_5_passes() {
    let folder = scratch("junit5");
    let (report, tests) = run(&folder, "5");
    let api = ["junit-jupiter-api", "junit-platform-commons", "opentest4j", "apiguardian-api"];
    let (class_path, names) = compiled(&folder, &api);
    let files: Vec<&str> = report["results"]["classes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|class| class["files"].as_array().unwrap())
        .map(|file| file.as_str().unwrap())
        .collect();
    let mut from_report: Vec<String> =
        files.iter().map(|file| file.trim_end_matches(".java").replace('/', ".")).collect();
    from_report.sort();
    assert_eq!(from_report, names, "the report names what was written");
    let console = format!("{JAVA}/junit-platform-console-standalone.jar:{class_path}");
    let main = "org.junit.platform.console.ConsoleLauncher";
    let root = folder.join("compiled");
    let said = java(&["-cp", &console, main, "--scan-classpath", root.to_str().unwrap(), "--disable-banner"]);
    assert!(said.contains(&format!("{tests} tests successful")), "{tests}: {said}");
}

#[test]
fn junit_4_passes() {
    let folder = scratch("junit4");
    let (_, tests) = run(&folder, "4");
    let (class_path, names) = compiled(&folder, &["junit4", "hamcrest-core"]);
    let mut args = vec!["-cp", &class_path, "org.junit.runner.JUnitCore"];
    args.extend(names.iter().map(String::as_str));
    let said = java(&args);
    assert!(said.contains(&format!("OK ({tests} tests)")), "{tests}: {said}");
}
