//! Changes at unlikely places (`fixtures/infer/unlikely.txt`): a bound that is one less, a transposed index. The
//! specification recorded for the correct class reveals them, and accepts refactorings.

mod support;

use cupping_generate::Session;
use cupping_infer::{ExplorerLimits, InferOptions, RecordedSpecification, Recording, infer_class};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{compile, fixtures, opened, session};

fn limits() -> ExplorerLimits {
    ExplorerLimits { calls: 5, executions: 1_500, each: 0, challenges: 1_500, ..ExplorerLimits::default() }
}

/// A changed class, with what is said of it.
struct Change {
    line: usize,
    class: String,
    new: String,
    verdict: String,
}

/// The changes of a half, each compiled into its own package next to the correct classes.
fn changes(half: &str, folder: &Path) -> Vec<Change> {
    let list = fs::read_to_string(fixtures().join("unlikely.txt")).expect("the list is there");
    let (mut changes, mut sources): (Vec<Change>, Vec<PathBuf>) = (Vec::new(), Vec::new());
    for (at, text) in list.lines().enumerate().filter(|it| it.1.starts_with(half)) {
        let parts: Vec<String> = text.split(" => ").map(|it| it.replace("\\n", "\n")).collect();
        let [_, class, old, new, verdict @ ..] = &parts[..] else { panic!("{text}") };
        let file = fixtures().join(format!("truths/{half}/{class}.java"));
        let source = fs::read_to_string(&file).expect("it is there");
        assert_eq!(source.matches(old).count(), 1, "{text}");
        let source = source.replace(old, new).replace("package truths;", &format!("package u{};", at + 1));
        let place = folder.join(format!("u{}", at + 1));
        fs::create_dir_all(&place).expect("a folder can be made");
        fs::write(place.join(format!("{class}.java")), source).expect("it can be written");
        sources.push(place.join(format!("{class}.java")));
        if !sources.contains(&file) {
            sources.push(file);
        }
        let verdict = verdict.first().cloned().unwrap_or_default();
        changes.push(Change { line: at + 1, class: class.clone(), new: new.clone(), verdict });
    }
    compile(&sources, "", folder);
    changes
}

/// The recorded specification of the correct class.
fn recorded(session: &mut Session, class: &str) -> String {
    opened(session, &format!("truths/{class}"), |machine, subject| {
        let options = InferOptions { limits: limits(), algebraic: false, ..InferOptions::default() };
        let outcome = infer_class(machine, subject, &Recording::default(), &options);
        let executions: Vec<_> = outcome.explored.executions.iter().collect();
        RecordedSpecification::new(subject, &outcome.specification, &executions).write()
    })
}

fn judged(half: &str) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let changes = changes(half, folder.path());
    let mut session = session(folder.path());
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for Change { line, class, new, verdict } in &changes {
        let kept = known.entry(class.clone()).or_insert_with(|| recorded(&mut session, class));
        let kept = kept.replace("truths/", &format!("u{line}/"));
        let kept = RecordedSpecification::read(&kept).expect("it was written");
        let broken = opened(&mut session, &format!("u{line}/{class}"), |machine, subject| {
            let none = Recording::default();
            let explored = kept.explored(machine, subject, &none, limits());
            kept.check(subject, &none, &explored)
        });
        let is_revealed = broken.iter().any(|it| it.test.is_some());
        if is_revealed == matches!(&**verdict, "same" | "hidden") {
            let what: Vec<&str> = broken.iter().map(|it| it.recorded.as_str()).collect();
            wrong.push(format!("line {line}: {class}: {new}: {}", what.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), changes.len(), wrong.join("\n"));
}

#[test]
fn changes_are_revealed() {
    judged("develop");
}

/// The same of classes that were not looked at.
#[test]
fn changes_of_unseen_classes_are_revealed() {
    judged("judge");
}
