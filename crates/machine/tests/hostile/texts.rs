//! Handmade classes are judged as they state, also by the JDK, and run to an end.

use crate::assemble::assemble;
use crate::common::{all_jdks, fixtures};
use crate::differential::oracle;
use crate::run::Bench;

#[test]
fn handmade_classes_are_judged_as_they_say() {
    let jdk = &all_jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let mut texts: Vec<(String, String)> = std::fs::read_dir(fixtures().join("hostile"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .map(|path| {
            (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    texts.sort();
    assert!(texts.len() >= 20, "the fixtures are not there");
    let mut expected = Vec::new();
    let mut classes = Vec::new();
    for (name, text) in &texts {
        let (expectation, bytes) = assemble(name, text);
        expected.push(expectation);
        classes.push((name.clone(), bytes));
    }
    let theirs = oracle(jdk, jdk, folder.path(), &classes);
    let (mut bench, mut runner) = (Bench::new(jdk, folder.path()), Bench::new(jdk, folder.path()));
    let mut wrong = Vec::new();
    for (((name, bytes), expected), theirs) in classes.iter().zip(&expected).zip(&theirs) {
        let ours = bench.judge(bytes);
        if ours != *expected || theirs != expected {
            wrong.push(format!("{name}: expected {expected}, the JDK {theirs}, here {ours}"));
        }
        // On a machine that does not have the class yet.
        runner.run(bytes);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
