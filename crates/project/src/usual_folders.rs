//! Usual folders of classes, for folders without a build tool and for builds by the user's own command.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of classes, as build tools, IDEs and people place them, innermost first.
pub(crate) const CLASSES: [&str; 9] = [
    "target/classes",
    "build/classes/java/main",
    "build/classes/kotlin/main",
    "build/classes",
    "out/production/classes",
    "out/production",
    "bin",
    "classes",
    "build",
];
/// Limit on the depth of modules in a project.
const MAX_DEPTH: usize = 4;
/// Folders that hold no modules.
const NO_MODULES: [&str; 6] = ["src", "target", "build", "out", "bin", "classes"];
/// Folders of classes of a module that only a build creates.
const OF_BUILDS: usize = 5;

/// The folders of classes that a build left in a project and in the modules below it, sorted by module.
pub fn built_classes(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    add(root, MAX_DEPTH, &mut found);
    found
}

fn add(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for usual in CLASSES[..OF_BUILDS].iter().map(|it| folder.join(it)) {
        // `build/classes` of other tools contains those of Gradle.
        if usual.is_dir() && !found.iter().any(|it| it.starts_with(&usual)) {
            found.push(usual);
        }
    }
    if depth == 0 {
        return;
    }
    let is_module = |it: &PathBuf| {
        let name = it.file_name().and_then(|it| it.to_str()).unwrap_or(".");
        it.is_dir() && !it.is_symlink() && !name.starts_with('.') && !NO_MODULES.contains(&name)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let mut below: Vec<PathBuf> = entries.filter(is_module).collect();
    below.sort();
    below.iter().for_each(|it| add(it, depth - 1, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_all_modules_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for made in [
            "core/target/classes/p",
            "core/src/main/java/target/classes",
            "app/web/build/classes/java/main",
            "app/web/build/classes/kotlin/main",
            ".git/target/classes",
            "a/b/c/d/target/classes",
            "a/b/c/d/e/target/classes",
            "target/test-classes",
        ] {
            fs::create_dir_all(root.join(made)).unwrap();
        }
        let found = built_classes(root);
        let names: Vec<_> = found.iter().map(|it| it.strip_prefix(root).unwrap().to_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "a/b/c/d/target/classes",
                "app/web/build/classes/java/main",
                "app/web/build/classes/kotlin/main",
                "core/target/classes",
            ]
        );
    }
}
