//! The walk-throughs of `CONTRIBUTING.md`: each file that a step names exists and contains what the step quotes. The
//! worked example, which is compiled for tests, is in the files of its steps and in no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A step: the walk-through, the file, and the code that it quotes.
struct Step {
    title: String,
    file: String,
    pieces: Vec<String>,
}

fn steps() -> Vec<Step> {
    let manual = fs::read_to_string(repository().join("CONTRIBUTING.md")).expect("it is there");
    let part = manual.split("\n## ").find(|it| it.starts_with("Walk-throughs")).expect("the walk-throughs");
    let mut found = Vec::new();
    for section in part.split("\n### ").skip(1) {
        let title = section.lines().next().unwrap_or_default().to_owned();
        let items = section.split('\n').fold(Vec::<String>::new(), |mut items, line| {
            let is_item = line.split_once(". ").is_some_and(|it| it.0.parse::<u32>().is_ok());
            match items.last_mut() {
                _ if is_item => items.push(line.to_owned()),
                Some(item) if line.starts_with("   ") => *item += &format!(" {}", line.trim_start()),
                _ => {}
            }
            items
        });
        for item in items {
            let mut code = item.split('`').skip(1).step_by(2).map(str::to_owned);
            let file = code.next().expect("a step begins with a file");
            found.push(Step { title: title.clone(), file, pieces: code.collect() });
        }
    }
    found
}

fn is_path(piece: &str) -> bool {
    ["crates/", "docs/", "fixtures/"].iter().any(|it| piece.starts_with(it))
}

#[test]
fn files_and_pieces_exist() {
    let steps = steps();
    let titles: BTreeSet<&str> = steps.iter().map(|it| it.title.as_str()).collect();
    assert!(titles.len() >= 8 && steps.len() >= 50, "{} steps of {titles:?}", steps.len());
    let mut wrong = Vec::new();
    for Step { title, file, pieces } in &steps {
        for path in [file].into_iter().chain(pieces).filter(|it| is_path(it)) {
            if !repository().join(path).exists() {
                wrong.push(format!("{title}: {path} is not there"));
            }
        }
        let Ok(text) = fs::read_to_string(repository().join(file)) else { continue };
        // A quoted piece may also be another file, by the end of its path.
        let is_file = |piece: &str| is_path(piece) || piece.ends_with(".rs") && !piece.contains(' ');
        let missing = pieces.iter().filter(|it| !is_file(it) && !text.contains(it.as_str()));
        wrong.extend(missing.map(|piece| format!("{title}: {file} has no `{piece}`")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn the_worked_example_is_in_the_files_that_are_named() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    files(crate_folder, &mut all);
    let names = |it: &PathBuf| fs::read_to_string(it).is_ok_and(|it| it.contains("ermutation"));
    let relative =
        |it: &PathBuf| format!("crates/infer/{}", it.strip_prefix(crate_folder).expect("below").display());
    let mut found: BTreeSet<String> = all.iter().filter(|it| names(it)).map(relative).collect();
    // Tests that say why they leave the example out.
    found.remove("crates/infer/tests/walkthroughs.rs");
    found.remove("crates/infer/src/specification_file/tests.rs");
    let template = steps().into_iter().filter(|it| it.title.contains("infer template"));
    let named: BTreeSet<String> = template.map(|it| it.file).filter(|it| found.contains(it)).collect();
    assert_eq!(found, named);
    assert_eq!(found.len(), 6, "{found:?}");
}
