//! The recorded file: read as it was written, and refused with a reason.

use super::*;
use crate::testing::formulas;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

fn points() -> impl Strategy<Value = ProgramPoint> {
    prop_oneof![
        Just(ProgramPoint::Class),
        Just(ProgramPoint::Entry("push(I)Z".into())),
        Just(ProgramPoint::Exit("<init>()V".into())),
    ]
}

fn records() -> impl Strategy<Value = RecordedSpecification> {
    let clause = (points(), formulas(), 0usize..9).prop_map(|(point, formula, samples)| Clause {
        point,
        formula,
        template: "order".into(),
        samples,
    });
    let throws =
        (formulas(), any::<bool>(), any::<bool>()).prop_map(|(condition, exact, declared)| ThrowsClause {
            method: "pop()I".into(),
            class: "java/util/EmptyStackException".into(),
            condition,
            exact,
            declared,
            samples: 3,
        });
    let thrown = btree_set(("[a-z]{1,3}", "[a-z]{1,3}"), 0..3);
    (vec(clause, 0..4), vec(throws, 0..3), thrown).prop_map(|(clauses, throws, thrown)| {
        RecordedSpecification {
            class: "p/Stack".into(),
            specification: Specification { clauses, throws },
            thrown,
        }
    })
}

proptest! {
    #[test]
    fn a_record_is_read_as_it_was_written(record in records()) {
        prop_assert_eq!(RecordedSpecification::read(&record.write()), Ok(record));
    }

    #[test]
    fn no_text_panics(record in records(), cut in 0.0f64..1.0, insert in "[\\[\\]{}\":,0-9a-z]{0,3}") {
        let mut text = record.write();
        let at = (text.len() as f64 * cut) as usize;
        if text.is_char_boundary(at) {
            text.insert_str(at, &insert);
            let _ = RecordedSpecification::read(&text);
            let _ = RecordedSpecification::read(&text[..at]);
        }
    }
}

fn error(text: &str) -> String {
    RecordedSpecification::read(text).expect_err("it is refused").to_string()
}

#[test]
fn other_versions_are_refused_with_a_remedy() {
    let first =
        r#"{"version": 1, "class": "p/Stack", "specification": {"likely": [], "throws": []}, "thrown": []}"#;
    assert_eq!(RecordedSpecification::read(first), Err(ReadError::Version(1)));
    assert_eq!(
        error(first),
        "the file has version 1 of the format, an older one; this Cupping reads version 2: record the specification \
         again with --write"
    );
    assert!(error(r#"{"version": 3}"#).contains("use the Cupping that wrote it"));
}

#[test]
fn damage_is_named_with_its_place() {
    let record = |clauses: &str| {
        format!(
            r#"{{"format": "cupping specification", "version": 2, "class": "C", "throws": [], "thrown": [],
                "clauses": [{clauses}]}}"#
        )
    };
    assert!(RecordedSpecification::read(&record("")).is_ok());
    let clause = |formula: &str| {
        format!(r#"{{"point": "class", "template": "t", "samples": 1, "formula": {formula}}}"#)
    };
    let of = |formula: &str| error(&record(&clause(formula)));
    let start = "not a recorded specification: ";
    assert_eq!(
        of(r#"{"kind": "riddle"}"#),
        format!("{start}clauses[0].formula: 'riddle' is not a kind of formula")
    );
    assert_eq!(
        of(r#"{"kind": "compare", "left": "this", "comparison": "=<", "right": "result"}"#),
        format!("{start}clauses[0].formula.comparison: one of ==, !=, <, <=, > and >= is expected")
    );
    assert_eq!(
        of(r#"{"kind": "modulus", "term": "this", "modulus": 0, "remainder": 0}"#),
        format!("{start}clauses[0].formula.modulus: a positive number is expected")
    );
    assert_eq!(error("[]"), format!("{start}an object is expected"));
    assert_eq!(error("{}"), format!("{start}version is missing"));
    assert_eq!(
        error(r#"{"version": 2, "format": "x"}"#),
        format!("{start}format: \"cupping specification\" is expected")
    );
    assert!(error("{").contains("line 1 column 1"));
}

/// The documented example is a valid file, and is written unchanged.
#[test]
fn the_documented_example_is_read() {
    let manual = include_str!("../../../../docs/specification-file.md");
    let example = manual.split("```json\n").nth(1).and_then(|it| it.split("```").next()).expect("an example");
    let record = RecordedSpecification::read(example).expect("the example is a recorded specification");
    assert_eq!(RecordedSpecification::read(&record.write()), Ok(record.clone()));
    assert_eq!(record.specification.clauses.len(), 2);
    // Each kind of formula has its row in the manual.
    for (kind, _) in crate::formula::Formula::READERS {
        assert!(manual.contains(&format!("| `{kind}` |")) || *kind == "permutation", "{kind}");
    }
}
