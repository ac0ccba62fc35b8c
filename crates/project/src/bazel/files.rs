//! The files of a workspace that its answer depends on: build files and sources.

use crate::freshness::SOURCES;
use crate::record::Record;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files that make a folder the root of a workspace.
pub(crate) const ROOTS: [&str; 4] = ["MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE", "REPO.bazel"];
/// Other build files, besides `*.bzl`. `maven_install.json` pins the libraries that rules_jvm_external resolved.
const OTHERS: [&str; 7] = [
    "BUILD",
    "BUILD.bazel",
    "WORKSPACE.bzlmod",
    ".bazelrc",
    ".bazelversion",
    ".bazelignore",
    "maven_install.json",
];
/// Limit on the depth of folders.
const DEEPEST: usize = 40;

/// What a walk through a workspace finds.
#[derive(Debug, Default)]
struct Walk {
    build_files: Vec<PathBuf>,
    newest_source: Option<SystemTime>,
}

/// The build files of a workspace, sorted.
pub(crate) fn build_files(root: &Path) -> Vec<PathBuf> {
    walk(root).build_files
}

/// Whether the answer on record may differ from that of Bazel now: a build file came or went, a source is newer, or
/// classes are missing. Times of jars do not tell: Bazel does not write a jar again if its inputs are the same.
pub(crate) fn is_stale(root: &Path, record: &Record) -> bool {
    let now = walk(root);
    let classes = record.modules.iter().flat_map(|it| &it.classes);
    now.build_files != record.build_files
        || now.newest_source.is_some_and(|it| it > record.asked)
        || classes.into_iter().any(|it| !it.is_file())
}

fn walk(root: &Path) -> Walk {
    let mut found = Walk::default();
    add(root, DEEPEST, &mut found);
    found.build_files.sort();
    found
}

/// Links are not followed: `bazel-out` and its like are links.
fn add(folder: &Path, depth: usize, found: &mut Walk) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 && !name.starts_with('.') && name != "node_modules" {
            add(&path, depth - 1, found);
        }
        if !kind.is_file() {
            continue;
        }
        let is = |names: &[&str]| names.contains(&name.as_str());
        if is(&ROOTS) || is(&OTHERS) || name.ends_with(".bzl") {
            found.build_files.push(path);
        } else if path.extension().is_some_and(|it| SOURCES.iter().any(|wanted| it == *wanted)) {
            let time = entry.metadata().and_then(|it| it.modified()).ok();
            found.newest_source = found.newest_source.max(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Module;
    use std::time::Duration;

    #[test]
    fn an_answer_holds_until_files_change() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/src")).unwrap();
        for file in ["WORKSPACE", "a/BUILD", "a/src/A.java", "a/src/notes.txt", "a.jar"] {
            fs::write(at(file), "").unwrap();
        }
        let modules = vec![Module { classes: vec![at("a.jar")], ..Module::default() }];
        let asked = SystemTime::now() + Duration::from_secs(5);
        let record = Record { modules, build_files: build_files(folder.path()), asked };
        assert_eq!(record.build_files, [at("WORKSPACE"), at("a/BUILD")]);
        assert!(!is_stale(folder.path(), &record));
        assert!(is_stale(
            folder.path(),
            &Record { asked: asked - Duration::from_secs(60), ..record.clone() }
        ));
        fs::write(at("a/rules.bzl"), "").unwrap();
        assert!(is_stale(folder.path(), &record));
        fs::remove_file(at("a/rules.bzl")).unwrap();
        fs::remove_file(at("a.jar")).unwrap();
        assert!(is_stale(folder.path(), &record));
    }
}
