//! Specifications of the subjects in `fixtures/infer`, inferred from exploration alone, against `expected/*.txt`.
//! `CUPPING_BLESS=1` rewrites the expectations.

mod support;

use cupping_generate::Session;
use cupping_infer::{ExplorerLimits, InferOptions, InferenceOutcome, Subject, output};
use std::fs;
use std::sync::LazyLock;
use support::{compile, files, fixtures};

static CLASSES: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    compile(&files("subjects"), "", folder.path());
    folder
});

fn session() -> Session {
    support::session(CLASSES.path())
}

/// The inferred specification of a class, passed to `look`.
fn inferred<T>(session: &mut Session, class: &str, look: impl FnOnce(&Subject, &InferenceOutcome) -> T) -> T {
    let limits = ExplorerLimits {
        calls: 5,
        executions: 1_500,
        each: 0,
        challenges: 1_500,
        ..ExplorerLimits::default()
    };
    support::inferred(session, class, InferOptions { limits, ..InferOptions::default() }, look)
}

/// The text without the numbers of executions.
fn claims(text: &str) -> String {
    let line = |it: &str| it.split("    [").next().unwrap_or_default().trim_end().to_owned() + "\n";
    text.lines().map(line).collect()
}

#[test]
fn subjects_come_out_as_expected() {
    let mut session = session();
    let mut wrong = Vec::new();
    let mut names: Vec<String> = fs::read_dir(fixtures().join("subjects"))
        .expect("the fixtures are there")
        .flatten()
        .filter_map(|it| it.path().file_stem().map(|it| it.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    for name in names {
        let text = inferred(&mut session, &format!("subjects/{name}"), |subject, outcome| {
            claims(&output::text::write(subject, outcome))
        });
        let file = fixtures().join(format!("expected/{name}.txt"));
        if std::env::var_os("CUPPING_BLESS").is_some() {
            fs::write(&file, &text).expect("it can be written");
        } else if fs::read_to_string(&file).unwrap_or_default() != text {
            wrong.push(format!("{}:\n{text}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The axioms of the slides hold or fail as they should: a bounded stack of unique elements is not a plain stack.
#[test]
fn axioms_of_the_slides() {
    let mut session = session();
    inferred(&mut session, "subjects/UBStack", |subject, outcome| {
        let axioms: Vec<String> = outcome.axioms.iter().flatten().map(|it| it.text(subject)).collect();
        for expected in [
            "isEmpty(push(S, k1)) == false",
            "top(push(S, k1)) == (isFull(S)) ? ? : k1",
            "equals(pop(UBStack()), UBStack())",
            "equals(pop(push(S, k1)), (isEmpty(S)) ? S : ?)",
            "maxSize(S) == 2",
            "equals(print(S), S)",
        ] {
            assert!(
                axioms.iter().any(|it| it == expected),
                "{expected} is missing of\n{}",
                axioms.join("\n")
            );
        }
        let violated: Vec<&String> =
            outcome.algebraic.iter().flat_map(|it| &it.violated).map(|it| &it.0).collect();
        for fallen in ["top(push(S, k1)) == k1", "equals(pop(pop(S)), pop(S))"] {
            assert!(violated.iter().any(|it| *it == fallen), "{fallen} has not fallen: {violated:?}");
        }
    });
}

/// The code does not check that a divisor is not zero; inference finds this precondition.
#[test]
fn the_missing_precondition_of_division() {
    let mut session = session();
    inferred(&mut session, "subjects/RatPoly", |subject, outcome| {
        let text = output::text::whole(subject, outcome);
        let division = text.split("div(RatPoly p)").nth(1).expect("div is there");
        let division = division.split("\n\n").next().unwrap_or_default();
        assert!(division.contains("p.isZero() == false"), "{division}");
    });
}

/// The same result twice, whatever was done on the machine before.
#[test]
fn results_are_the_same_each_time() {
    let mut session = session();
    let mut text = |class: &str| inferred(&mut session, class, output::text::write);
    let first = text("subjects/QueueAr");
    text("subjects/RatPolyStack");
    assert_eq!(first, text("subjects/QueueAr"));
}
