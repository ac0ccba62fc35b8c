//! Tests of an earlier run that no longer hold.

use super::Mark;
use super::first_line::{FileStatus, file_status, subject};
use crate::junit::JunitClass;
use std::fs;
use std::path::{Path, PathBuf};

/// The result of a removal.
#[derive(Debug, Default)]
pub(super) struct Removal {
    /// The files that were removed.
    pub removed: Vec<PathBuf>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Removes the files that a command wrote for a class in an earlier run, in the folder of its package, except for
/// those written now.
pub(super) fn remove(root: &Path, command: &str, under_test: &str, kept: &[PathBuf]) -> Removal {
    let mut done = Removal::default();
    let simple = JunitClass::simple_name_of_tests(under_test);
    let mut paths = Vec::new();
    for package in JunitClass::packages_of_tests(under_test) {
        let Ok(entries) = fs::read_dir(root.join(package.replace('.', "/"))) else { continue };
        paths.extend(entries.flatten().map(|it| it.path()));
    }
    paths.sort();
    for path in paths {
        let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        let is_java = path.extension().is_some_and(|it| it == "java");
        if !is_java || !stem.contains(&simple) || kept.contains(&path) {
            continue;
        }
        let Ok(FileStatus::Ours(first)) = file_status(Mark::Slashes, &path) else { continue };
        if first.command != command || first.subject != about(under_test) {
            continue;
        }
        match fs::remove_file(&path) {
            Ok(()) => {
                let note = "of an earlier run, is removed: its tests no longer hold";
                done.notes.push(format!("{}, {note}", path.display()));
                done.removed.push(path);
            }
            Err(error) => {
                let note = "no longer holds, and cannot be removed";
                done.notes.push(format!("{} {note} ({error}); delete it", path.display()));
            }
        }
    }
    done
}

/// The class under test as first lines name it.
pub(super) fn about(class: &str) -> String {
    subject(Mark::Slashes, &class.replace('/', "."))
}
