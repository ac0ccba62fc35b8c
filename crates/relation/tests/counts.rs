//! Compares specifications of `fixtures/relation` with independent counts: closed forms and published
//! sequences. Each line `// expect COUNT: SCOPE` in a specification is one test.

use cupping_relation::syntax::{parse_module, parse_scope};
use cupping_relation::{Garbage, Model, Problem, Scope};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn instances_are_as_many_as_there_are_classes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/relation");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("fixtures/relation")
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "als"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a fixture");
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for line in text.lines() {
            let Some((count, scope)) = line.strip_prefix("// expect ").and_then(|it| it.split_once(": "))
            else {
                continue;
            };
            match counted(&text, scope) {
                Ok(found) if found.to_string() == count => {}
                Ok(found) => wrong.push(format!("{name}: {scope}: {found} instead of {count}")),
                Err(error) => wrong.push(format!("{name}: {scope}: {}", error.render(&name, &text))),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Counts that are small enough to be enumerated several times.
const SMALL: u64 = 3000;

/// The parts of a search are disjoint, and together they are the whole: as many instances, all different.
#[test]
fn parts_have_each_instance_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/relation");
    let mut checked = 0;
    for file in std::fs::read_dir(&folder).expect("fixtures/relation") {
        let text = std::fs::read_to_string(file.expect("an entry").path()).unwrap_or_default();
        for line in text.lines() {
            let claim = line.strip_prefix("// expect ").and_then(|it| it.split_once(": "));
            let Some((count, scope)) = claim else { continue };
            let count: u64 = count.parse().expect("a count");
            if count > SMALL {
                continue;
            }
            for of in [2, 3, 8, 13] {
                let mut all = BTreeSet::new();
                let mut found = 0;
                for part in 0..of {
                    let mut problem = problem(&text, scope).expect("a problem");
                    problem.restrict(part, of);
                    for instance in problem {
                        found += 1;
                        all.insert(instance.structure);
                    }
                }
                assert_eq!((found, all.len() as u64), (count, count), "{scope}, {of} parts");
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "{checked}");
}

fn counted(text: &str, scope: &str) -> cupping_relation::Result<u64> {
    Ok(problem(text, scope)?.count_left())
}

fn problem(text: &str, scope: &str) -> cupping_relation::Result<Problem> {
    let mut model = Model::new();
    model.read(&parse_module(text)?)?;
    let (default, items) = parse_scope(scope)?;
    let scope = Scope::from_items(&model, default, &items)?;
    Problem::new(&model, &scope, &[], Garbage::Kept)
}
