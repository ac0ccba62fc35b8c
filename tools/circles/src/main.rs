//! `cupping-circles CRATES LIST`: circles between the source files of every crate in the folder `CRATES`.
//!
//! Prints each circle that the file `LIST` does not allow, with the names that close it, and each allowed circle that
//! does not exist, and fails if there is one of either. `--all` prints the allowed ones too.

mod allowed;
mod graph;
mod names;
mod tree;

use allowed::AllowList;
use graph::{Circle, circles};
use std::path::Path;
use std::process::ExitCode;
use tree::Tree;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = arguments.iter().position(|it| it == "--all").map(|at| arguments.remove(at)).is_some();
    let [crates, list] = &arguments[..] else {
        eprintln!("usage: cupping-circles [--all] CRATES LIST");
        return ExitCode::from(2);
    };
    match check(Path::new(crates), Path::new(list), all) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Whether every circle is allowed and every allowed circle exists.
fn check(crates: &Path, list: &Path, all: bool) -> Result<bool, String> {
    let text = std::fs::read_to_string(list).map_err(|e| format!("{}: {e}", list.display()))?;
    let allowed = AllowList::parse(&text).map_err(|e| format!("{}: {e}", list.display()))?;
    let mut found: Vec<Circle> = Vec::new();
    for name in folders(crates)? {
        let source = crates.join(&name).join("src");
        let Some(root) =
            ["lib.rs", "main.rs"].map(|file| source.join(file)).into_iter().find(|it| it.exists())
        else {
            continue;
        };
        let tree = Tree::read(&root)?;
        found.extend(circles(&name, &tree, &names::edges(&tree)));
    }
    let mut good = true;
    for circle in &found {
        let is_allowed = allowed.has(circle);
        if !is_allowed || all {
            print!("{circle}");
        }
        good &= is_allowed;
    }
    for missing in allowed.missing(&found) {
        println!("{}: this circle does not exist; remove it from the list: {missing}", list.display());
        good = false;
    }
    Ok(good)
}

/// Names of the folders in a folder, sorted.
fn folders(path: &Path) -> Result<Vec<String>, String> {
    let error = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path).map_err(error)? {
        let entry = entry.map_err(error)?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The circles of a crate with these files, as sets of files.
    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let tree = Tree::read(&folder.path().join("lib.rs")).expect("a crate");
        let found = circles("test", &tree, &names::edges(&tree));
        found.into_iter().map(|it| it.files.into_iter().collect()).collect()
    }

    #[test]
    fn a_name_counts_for_the_file_that_defines_it() {
        let one = "use crate::Two;\npub struct One(Two);";
        let two = "pub struct Two;\nfn f() { let _ = vec![crate::one::One::new()]; }";
        let root = "mod one;\nmod two;\npub use two::Two;";
        assert_eq!(circles_of(&[("lib.rs", root), ("one.rs", one), ("two.rs", two)]), [["one.rs", "two.rs"]]);
    }

    #[test]
    fn handing_a_name_on_is_no_arrow() {
        let parent = "mod child;\npub use child::Child;";
        let child = "pub struct Child;\nfn f() -> super::super::Root { todo!() }";
        let files = [("lib.rs", "mod a;\npub struct Root;"), ("a/mod.rs", parent), ("a/child.rs", child)];
        assert!(circles_of(&files).is_empty());
    }

    #[test]
    fn tests_do_not_count() {
        let one = "pub struct One;\n#[cfg(test)]\nmod tests { use crate::two::Two; }";
        let two = "pub struct Two(crate::one::One);";
        assert!(circles_of(&[("lib.rs", "mod one;\nmod two;"), ("one.rs", one), ("two.rs", two)]).is_empty());
    }
}
