//! Lines that few calls refute, and that therefore are not said (`fixtures/infer/refuted.txt`).

mod support;

use cupping_infer::{ExplorerLimits, InferOptions, output};
use std::collections::BTreeMap;
use std::fs;
use support::{compile, files, fixtures, inferred, session};

/// The lines of a text without their evidence, each also with the method before it; `proved` if that is said of one.
fn said(text: &str) -> Vec<String> {
    let mut said = Vec::new();
    let mut method = "";
    for line in text.lines() {
        let (claim, evidence) = line.split_once("    [").unwrap_or((line, ""));
        if !claim.starts_with(' ') {
            method = claim;
        }
        if evidence.contains("proved up to") {
            said.push("proved".to_owned());
        }
        said.push(claim.trim().to_owned());
        said.push(format!("{method}: {}", claim.trim()));
    }
    said
}

#[test]
fn lines_that_few_calls_refute_are_not_said() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    compile(&files("refuted"), "", folder.path());
    let mut session = session(folder.path());
    let list = fs::read_to_string(fixtures().join("refuted.txt")).expect("the list is there");
    let mut refuted: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in list.lines().filter(|it| !it.starts_with('#')) {
        let (class, claim) = line.split_once(" | ").expect("a class and a line");
        refuted.entry(class).or_default().push(claim);
    }
    let mut wrong = Vec::new();
    for (class, claims) in refuted {
        let limits =
            ExplorerLimits { executions: 2_500, each: 0, challenges: 4_000, ..ExplorerLimits::default() };
        let options = InferOptions { is_whole: true, limits, ..InferOptions::default() };
        let text = inferred(&mut session, &format!("refuted/{class}"), options, |subject, outcome| {
            output::text::write(subject, outcome)
        });
        assert!(text.contains(" executions, "), "{class}: {text}");
        let said = said(&text);
        let claims = claims.into_iter().filter(|it| said.iter().any(|line| line == it));
        wrong.extend(claims.map(|it| format!("{class}: {it}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What observers return may be longer than what is captured; it is gone when the observer has returned.
#[test]
fn long_texts_that_observers_make_are_not_looked_into() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    compile(&files("refuted"), "", folder.path());
    let mut session = session(folder.path());
    let text = inferred(&mut session, "refuted/Bar", InferOptions::default(), |subject, outcome| {
        output::text::write(subject, outcome)
    });
    assert!(said(&text).contains(&"this.width >= 0".to_owned()), "{text}");
}
