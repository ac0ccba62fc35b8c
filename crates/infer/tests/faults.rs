//! Seeded faults (`fixtures/infer/faults.txt`): for each, exploration finds a test that violates the specification
//! recorded for the correct class. Faults marked `hidden` are not revealed by any test so far.

mod support;

use cupping_infer::{ExplorerLimits, InferOptions, RecordedSpecification, Recording, infer_class};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use support::{compile, files, fixtures, opened, session};

fn limits() -> ExplorerLimits {
    // Trying values is enough for these, and quick.
    ExplorerLimits { calls: 5, executions: 700, each: 0, paths: 0, ..ExplorerLimits::default() }
}

#[test]
fn seeded_faults_are_revealed() {
    let fixtures = fixtures();
    let list = fs::read_to_string(fixtures.join("faults.txt")).expect("the list is there");
    let faults: Vec<(usize, Vec<&str>)> = list
        .lines()
        .enumerate()
        .filter(|(_, it)| !it.starts_with('#') && !it.is_empty())
        .map(|(at, it)| (at + 1, it.split(" => ").collect()))
        .collect();
    assert!(faults.len() >= 30, "{}", faults.len());
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut files: Vec<PathBuf> = files("subjects");
    // Each in its own package, which also contains the other subjects that it needs.
    for (line, fault) in &faults {
        let package = format!("f{line}");
        let place = folder.path().join(&package);
        fs::create_dir_all(&place).expect("a folder can be made");
        for name in [fault[0], "RatPoly"] {
            let source =
                fs::read_to_string(fixtures.join(format!("subjects/{name}.java"))).expect("it is there");
            let source = source.replace("package subjects;", &format!("package {package};"));
            let source = if name == fault[0] {
                assert_eq!(source.matches(fault[1]).count(), 1, "line {line}: {}", fault[1]);
                source.replace(fault[1], fault[2])
            } else {
                source
            };
            let file = place.join(format!("{name}.java"));
            fs::write(&file, source).expect("it can be written");
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    let classes = folder.path().join("classes");
    fs::create_dir(&classes).expect("a folder can be made");
    compile(&files, "", &classes);
    let mut session = session(&classes);
    let options = InferOptions { limits: limits(), algebraic: false, ..InferOptions::default() };
    let mut recorded: BTreeMap<&str, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (line, fault) in &faults {
        let name = fault[0];
        let kept = recorded.entry(name).or_insert_with(|| {
            opened(&mut session, &format!("subjects/{name}"), |machine, subject| {
                let outcome = infer_class(machine, subject, &Recording::default(), &options);
                let executions: Vec<_> = outcome.explored.executions.iter().collect();
                RecordedSpecification::new(subject, &outcome.specification, &executions).write()
            })
        });
        let kept = RecordedSpecification::read(&kept.replace("subjects/", &format!("f{line}/")))
            .expect("it was written");
        let broken = opened(&mut session, &format!("f{line}/{name}"), |machine, subject| {
            let none = Recording::default();
            let explored = kept.explored(machine, subject, &none, limits());
            kept.check(subject, &none, &explored)
        });
        let revealed = broken.iter().any(|it| it.test.is_some());
        if revealed == (fault.get(3) == Some(&"hidden")) {
            let how = if revealed { "revealed" } else { "not revealed" };
            wrong.push(format!("line {line}: {name}: {}: {how}", fault[2]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
