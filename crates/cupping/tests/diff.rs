//! `cupping diff` on pairs of versions whose truth was written first (`fixtures/diff`).

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::{compile, cupping, files, repository, scratch};

/// A pair of versions: a class, and what is changed in it.
struct Pair {
    /// The package in which both are.
    package: String,
    class: String,
    /// The changed method of which a difference must be found; `None` for a refactoring.
    differs: Option<String>,
    /// There is a difference, and the search does not find it yet.
    is_missed: bool,
    edits: Vec<(String, String)>,
}

/// The pairs of a folder. A file has the class, the truth, and edits: `<<<`, the old text, `===`, the new text, `>>>`.
fn pairs(half: &str) -> Vec<Pair> {
    let folder = repository().join("fixtures/diff/changes").join(half);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| pair(path)).collect()
}

fn pair(path: &Path) -> Pair {
    let text = fs::read_to_string(path).unwrap();
    let (class, rest) = text.split_once('\n').unwrap();
    let (truth, rest) = rest.split_once('\n').unwrap();
    let differs = match truth.split_once(' ') {
        Some(("differs" | "missed", method)) => Some(method.to_owned()),
        _ => {
            assert_eq!(truth, "same", "{}", path.display());
            None
        }
    };
    let edit = |block: &str| {
        let (old, new) = block.trim_end().strip_suffix(">>>").unwrap().split_once("===\n").unwrap();
        let line = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
        (line(old), line(new))
    };
    Pair {
        package: path.file_stem().unwrap().to_str().unwrap().replace('-', "_"),
        class: class.to_owned(),
        differs,
        is_missed: truth.starts_with("missed "),
        edits: rest.split("<<<\n").skip(1).map(edit).collect(),
    }
}

/// Writes and compiles both versions of all pairs; the folders of their classes.
fn compiled(pairs: &[Pair], folder: &Path) -> [String; 2] {
    ["old", "new"].map(|version| {
        let sources = folder.join(format!("{version}-sources"));
        for pair in pairs {
            let file = format!("{}.java", pair.class);
            let mut text =
                fs::read_to_string(repository().join("fixtures/diff/classes").join(&file)).unwrap();
            for (old, new) in pair.edits.iter().filter(|_| version == "new") {
                assert_eq!(text.matches(old).count(), 1, "{}: {old}", pair.package);
                text = text.replace(old, new);
            }
            let target = sources.join(&pair.package);
            fs::create_dir_all(&target).unwrap();
            fs::write(target.join(file), format!("package {};\n\n{text}", pair.package)).unwrap();
        }
        let classes = folder.join(version);
        fs::create_dir(&classes).unwrap();
        compile(&files(&sources), "", &classes);
        version.to_owned()
    })
}

/// What is wrong with the report on these pairs.
fn wrong(pairs: &[Pair], report: &Value) -> Vec<String> {
    let causes = report["results"]["causes"].as_array().unwrap();
    let mut wrong = Vec::new();
    for pair in pairs {
        let prefix = format!("{}.{}.", pair.package, pair.class);
        let of_pair = causes.iter().flat_map(|cause| cause["changed"].as_array().unwrap());
        let found: BTreeSet<&str> = of_pair.filter_map(|it| it.as_str()?.strip_prefix(&prefix)).collect();
        match &pair.differs {
            None if !found.is_empty() => {
                wrong.push(format!("{}: false difference in {found:?}", pair.package))
            }
            Some(method) if !pair.is_missed && !found.contains(method.as_str()) => {
                wrong.push(format!("{}: {method} is not found, but {found:?}", pair.package));
            }
            _ => {}
        }
    }
    wrong
}

fn judge(half: &str) {
    let pairs = pairs(half);
    let folder = scratch(&format!("diff-{half}"));
    let [old, new] = compiled(&pairs, &folder);
    let run =
        cupping(&folder, &["diff", &old, &new, "--no-confirm", "--budget", "5s", "--json", "report.json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let wrong = wrong(&pairs, &report);
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), run.stdout);
}

/// Those that the search was developed on.
#[test]
fn faults_are_found_and_refactorings_are_silent() {
    judge("develop");
}

/// Those that were held back while the search was written.
#[test]
fn faults_held_back_are_found_and_refactorings_held_back_are_silent() {
    judge("judge");
}
