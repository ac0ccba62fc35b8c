//! What is inferred for the subjects of `fixtures/infer`, from exploration alone, held against `expected/*.txt`.
//! `CUPPING_BLESS=1` rewrites the expectations.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::Session;
use cupping_infer::{Bounds, Options, Outcome, Recorded, Subject, infer_class, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/infer")
}

static CLASSES: LazyLock<(tempfile::TempDir, Jdk)> = LazyLock::new(|| {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut files: Vec<_> = fs::read_dir(fixtures().join("subjects"))
        .expect("the fixtures are there")
        .flatten()
        .map(|it| it.path())
        .collect();
    files.sort();
    let output = Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "--release", "11", "-d"])
        .arg(folder.path())
        .args(&files)
        .output()
        .expect("javac can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, jdk)
});

fn session() -> Session {
    let (folder, jdk) = &*CLASSES;
    let class_path =
        ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).expect("a folder");
    Session::new(Arc::new(Program::new(jdk.clone(), class_path))).expect("the JDK boots")
}

/// What is inferred of a class, with what `look` makes of it.
fn inferred<T>(session: &mut Session, class: &str, look: impl FnOnce(&Subject, &Outcome) -> T) -> T {
    let mut bench = session.open(class, &[], &cupping_generate::Options::default()).expect("it loads");
    bench.reset();
    let subject = Subject::new(&mut bench);
    bench.reset();
    let bounds = Bounds { calls: 5, executions: 1_500, ..Bounds::default() };
    let options = Options { bounds, ..Options::default() };
    let outcome = infer_class(bench.machine(), &subject, &Recorded::default(), &options);
    look(&subject, &outcome)
}

/// The text without what tells how many executions there were.
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

/// The axioms of the slides hold or fall as they should: a bounded stack of unique elements is no plain stack.
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

/// Nobody checks that a divisor is not zero: that it must not be is what is found.
#[test]
fn the_missing_precondition_of_division() {
    let mut session = session();
    inferred(&mut session, "subjects/RatPoly", |subject, outcome| {
        let text = output::text::write(subject, outcome);
        let division = text.split("div(RatPoly p)").nth(1).expect("div is there");
        let division = division.split("\n\n").next().unwrap_or_default();
        assert!(division.contains("p.isZero() == false"), "{division}");
    });
}

/// Twice the same, whatever was done on the machine before.
#[test]
fn results_are_the_same_each_time() {
    let mut session = session();
    let mut text = |class: &str| inferred(&mut session, class, output::text::write);
    let first = text("subjects/QueueAr");
    text("subjects/RatPolyStack");
    assert_eq!(first, text("subjects/QueueAr"));
}
