//! Finds generated tests in folders.

use cupping_classfile::ClassSelector;
use cupping_report::files::{self, FirstLine, Mark, status_of_text};
use cupping_report::test_check::TestFile;
use std::fs;
use std::path::{Path, PathBuf};

/// Limit on the depth of folders below a folder of tests; links may form cycles.
const DEEPEST: usize = 40;

/// A generated file.
pub struct GeneratedFile {
    /// Its path.
    pub path: PathBuf,
    /// Its path as a person types it.
    pub shown: String,
    /// The folder of tests that it is in.
    pub root: PathBuf,
    /// The content of its first line.
    pub first: FirstLine,
    /// Whether it was edited since it was written.
    pub edited: bool,
    /// Its tests.
    pub file: TestFile,
}

/// The generated test classes in and below the folders, sorted by path: those of the selected classes.
///
/// # Errors
///
/// A file cannot be read.
pub fn find(folders: &[PathBuf], selectors: &[ClassSelector]) -> Result<Vec<GeneratedFile>, String> {
    let here = std::env::current_dir().ok().and_then(|it| it.canonicalize().ok()).unwrap_or_default();
    let mut found = Vec::new();
    for folder in folders {
        let mut paths = Vec::new();
        collect(folder, DEEPEST, &mut paths);
        paths.sort();
        for path in paths {
            let bytes = fs::read(&path).map_err(|error| {
                format!("{}: cannot be read ({error}); check its permissions", path.display())
            })?;
            let text = String::from_utf8_lossy(&bytes);
            let (first, edited) = match status_of_text(Mark::Slashes, &text) {
                files::FileStatus::Ours(first) => (first, false),
                files::FileStatus::Edited(first) => (first, true),
                files::FileStatus::Free | files::FileStatus::Foreign => continue,
            };
            let simple = path.file_stem().unwrap_or_default().to_string_lossy();
            let file = TestFile::read(&simple, &text);
            if is_selected(&first.subject, selectors) && !file.tests.is_empty() {
                let shown = path.strip_prefix(&here).unwrap_or(&path).display().to_string();
                found.push(GeneratedFile { shown, root: folder.clone(), first, edited, file, path });
            }
        }
    }
    Ok(found)
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            if depth > 0 {
                collect(&path, depth - 1, paths);
            }
        } else if path.extension().is_some_and(|it| it == "java") {
            paths.push(path);
        }
    }
}

/// Whether a class, which need not exist any more, is selected. A folder of classes selects all.
fn is_selected(class: &str, selectors: &[ClassSelector]) -> bool {
    let dotted = |name: &str| name.replace(['/', '$'], ".");
    let class = dotted(class);
    selectors.is_empty()
        || selectors.iter().any(|selector| match selector {
            ClassSelector::Class(name) => dotted(name) == class,
            ClassSelector::Package { name, deep } => {
                let name = dotted(name);
                let rest = if name.is_empty() { Some(class.as_str()) } else { below(&class, &name) };
                rest.is_some_and(|rest| *deep || !rest.contains('.'))
            }
            ClassSelector::Place(_) => true,
        })
}

/// The part of a class name after its package.
fn below<'c>(class: &'c str, package: &str) -> Option<&'c str> {
    class.strip_prefix(package)?.strip_prefix('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_selected_by_name() {
        for (class, selector, expected) in [
            ("a.B", "a.B", true),
            ("a.B$C", "a.B.C", true),
            ("a.B", "a.C", false),
            ("a.B", "a.*", true),
            ("a.b.C", "a.*", false),
            ("a.b.C", "a.**", true),
            ("ab.C", "a.**", false),
            ("C", "**", true),
        ] {
            assert_eq!(is_selected(class, &[ClassSelector::parse(selector)]), expected, "{class} {selector}");
        }
    }
}
