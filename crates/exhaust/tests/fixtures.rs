//! Runs the specifications of `fixtures/exhaust` on the Java next to them and compares the reports with
//! `NAME.expected`. `CUPPING_BLESS=1` rewrites the expectations.

mod support;

use cupping_exhaust::{CheckLimits, Checker, Specification, World, text, trivial, trivial_doubts};
use std::fs;
use std::path::Path;
use support::{fixtures, program};

fn report(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text_of = fs::read_to_string(path).expect("a specification");
    let program = program();
    let done = Specification::read(&name, &text_of, &program, None).and_then(|specification| {
        let mut world = World::boot(program, &specification)?;
        let mut checker =
            Checker::new(&specification, &mut world, CheckLimits { examples: 1, ..CheckLimits::default() })?;
        checker.all(|_| true)?;
        let checked = checker.finish();
        let notes: String = specification.notes.iter().map(|it| format!("note: {it}\n")).collect();
        let doubts = trivial_doubts(&specification, &trivial(&specification)?);
        let doubts = specification.warnings.iter().chain(&doubts);
        let warnings: String = doubts.map(|it| format!("{}\n", it.warning(&name, &text_of))).collect();
        Ok(text(&specification, &checked) + &notes + &warnings)
    });
    done.unwrap_or_else(|error| error.render(&name, &text_of))
}

#[test]
fn reports_are_as_expected() {
    let mut files: Vec<_> = fs::read_dir(fixtures())
        .expect("fixtures/exhaust")
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "spec"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for file in files {
        let found = report(&file);
        let expected = file.with_extension("expected");
        if std::env::var_os("CUPPING_BLESS").is_some() {
            fs::write(&expected, &found).expect("the expectation is written");
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        if found != wanted {
            wrong.push(format!("{}:\n{found}\ninstead of\n{wanted}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
