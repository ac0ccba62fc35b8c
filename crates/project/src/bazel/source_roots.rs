//! Folders of sources. Bazel knows files only; the folder follows from the package that a file declares.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Lines of a file in which its package is looked for: licences are shorter.
const MOST_LINES: usize = 400;

/// Where a source file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourcePlace {
    /// The folder of its outermost package.
    pub root: PathBuf,
    /// Its package, such as `org.example`; empty for none.
    pub package: String,
}

impl SourcePlace {
    /// The place of a file. Its own folder is the root if the path does not end like the package.
    pub(super) fn of(file: &Path) -> SourcePlace {
        let package = package(file).unwrap_or_default();
        let folder = file.parent().unwrap_or(file);
        let path: PathBuf = package.split('.').filter(|it| !it.is_empty()).collect();
        let root = match folder.ends_with(&path) {
            true => folder.ancestors().nth(path.components().count()).unwrap_or(folder),
            false => folder,
        };
        SourcePlace { root: root.to_owned(), package }
    }
}

/// The package that a file of Java, Kotlin, Groovy or Scala declares.
fn package(file: &Path) -> Option<String> {
    let lines = BufReader::new(File::open(file).ok()?).lines().take(MOST_LINES).map_while(Result::ok);
    let mut declarations = lines.filter_map(|line| {
        let rest = line.trim_start().strip_prefix("package ")?;
        let is_part = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '$');
        let rest = rest.trim_start();
        let name = &rest[..rest.find(|it| !is_part(it)).unwrap_or(rest.len())];
        // In a comment, words follow.
        let after = rest[name.len()..].trim_start();
        (!name.is_empty() && (after.is_empty() || after.starts_with([';', '/']))).then(|| name.to_owned())
    });
    declarations.next()
}

/// The folder where tests of classes below `root` usually are: `src/test/java` for `src/main/java`, `javatests` for
/// `java`, otherwise the folder of the sources itself.
pub(super) fn usual_tests(root: &Path) -> PathBuf {
    let name = |path: &Path| path.file_name().map(|it| it.to_string_lossy().into_owned());
    let above = root.parent();
    match (name(root).as_deref(), above.and_then(name).as_deref(), above) {
        (Some("java" | "kotlin" | "groovy" | "scala"), Some("main"), Some(main)) => {
            main.with_file_name("test").join("java")
        }
        (Some("java"), _, Some(_)) => root.with_file_name("javatests"),
        _ => root.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_root_follows_from_the_package() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            let place = SourcePlace::of(&file);
            let root = place.root.strip_prefix(folder.path()).unwrap().display().to_string();
            (root, place.package)
        };
        let expected = |root: &str, package: &str| (root.to_owned(), package.to_owned());
        let licence = "/*\n * This\n package is free.\n */\n";
        let text = format!("{licence}package org.example; // the first\nclass A {{}}\n");
        assert_eq!(place("a/java/org/example/A.java", &text), expected("a/java", "org.example"));
        assert_eq!(place("a/kt/B.kt", "package org.example\n"), expected("a/kt", "org.example"));
        assert_eq!(place("a/C.java", "class C {}\n"), expected("a", ""));
        assert_eq!(place("a/D.java", "package a;\n"), expected("", "a"));
    }

    #[test]
    fn tests_have_a_usual_folder() {
        for (root, tests) in [
            ("/w/core/src/main/java", "/w/core/src/test/java"),
            ("/w/core/src/main/kotlin", "/w/core/src/test/java"),
            ("/w/java", "/w/javatests"),
            ("/w/core/src", "/w/core/src"),
            ("/w", "/w"),
        ] {
            assert_eq!(usual_tests(Path::new(root)), Path::new(tests));
        }
    }
}
