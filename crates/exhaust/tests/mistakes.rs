//! Mistaken specifications: each of `fixtures/exhaust/mistakes` gets the messages in `NAME.expected`, at their
//! positions, before anything runs. `CUPPING_BLESS=1` rewrites the expectations.

mod support;

use cupping_exhaust::{Error, Specification};
use cupping_relation::Error as Wrong;
use cupping_view::diagnostic::place;
use std::fs;
use support::{fixtures, mistakes};

/// A message with the marked text, on separate lines.
fn shown(kind: &str, wrong: &Wrong, text: &str) -> String {
    let (line, column) = place(text, wrong.span.start);
    let marked = text.get(wrong.span.start..wrong.span.end).unwrap_or_default();
    let mut out = format!("{line}:{column}: {kind}: {}\n  at: {marked}\n", wrong.message);
    for (name, said) in [("says", Some(&wrong.label)), ("help", wrong.help.as_ref())] {
        out += &said.filter(|it| !it.is_empty()).map_or(String::new(), |it| format!("  {name}: {it}\n"));
    }
    out
}

#[test]
fn mistakes_are_told_before_the_run() {
    let mut files: Vec<_> = fs::read_dir(fixtures().join("mistakes"))
        .expect("fixtures/exhaust/mistakes")
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "spec"))
        .collect();
    files.sort();
    assert!(files.len() >= 40);
    let program = mistakes();
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a specification");
        let found = match Specification::read("mistake.spec", &text, &program, None) {
            Ok(it) => it.warnings.iter().map(|it| shown("warning", it, &text)).collect(),
            Err(Error::Specification(error)) => shown("error", &error, &text),
            Err(Error::Other(message)) => format!("no place: {message}\n"),
        };
        let expected = file.with_extension("expected");
        if std::env::var_os("CUPPING_BLESS").is_some() {
            fs::write(&expected, &found).expect("the expectation is written");
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        if found != wanted {
            wrong.push(format!("{}:\n{found}instead of\n{wanted}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
