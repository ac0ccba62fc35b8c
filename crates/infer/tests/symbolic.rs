//! Likely specifications that no tried value violates, and the symbolic search does (`fixtures/infer/symbolic`).

mod support;

use cupping_infer::{ExplorerLimits, InferOptions, InferenceOutcome, Recording, infer_class, output};
use support::{compile, fixtures, opened, session};

fn inferred(file: &str, class: &str, paths: usize) -> (String, InferenceOutcome) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    compile(&[fixtures().join(file)], "", folder.path());
    let limits = ExplorerLimits { executions: 1_000, each: 0, paths, ..ExplorerLimits::default() };
    let options = InferOptions { limits, algebraic: false, ..InferOptions::default() };
    opened(&mut session(folder.path()), class, |machine, subject| {
        let outcome = infer_class(machine, subject, &Recording::default(), &options);
        (output::text::whole(subject, &outcome), outcome)
    })
}

/// Tried values find neither the answer nor the doors; the solver does, and one door after the other.
#[test]
fn magic_is_found_by_asking() {
    let (text, _) = inferred("symbolic/Magic.java", "symbolic/Magic", 0);
    assert!(text.contains("  this.doors == 0    [") && text.contains("    result == 0    ["), "{text}");
    assert!(!text.contains("proved"), "{text}");
    let (text, outcome) = inferred("symbolic/Magic.java", "symbolic/Magic", 500);
    assert!(text.contains("this.doors one of { 0, 1, 2 }"), "{text}");
    assert!(text.contains("result one of { 0, 42 }"), "{text}");
    let selected: Vec<String> =
        outcome.rounds.iter().flat_map(|it| &it.selected).map(|it| it.test.to_string()).collect();
    assert!(selected.iter().any(|it| it.starts_with("new Magic(); answer(8641969)")), "{selected:?}");
    assert!(outcome.fixed_point);
    // It is proved that the lowest byte of any argument is not negative.
    let low = text.split("low(int x)").nth(1).unwrap_or_default();
    assert!(low.contains("result >= 0") && low.contains("proved up to"), "{low}");
}

/// The invariants of a bounded stack are proved for all values in it.
#[test]
fn invariants_are_proved_within_a_bound() {
    let (text, outcome) = inferred("subjects/UBStack.java", "subjects/UBStack", 500);
    let unique =
        text.lines().find(|it| it.contains("this.elems[..this.numberOfElements] has no element twice"));
    assert!(unique.is_some_and(|it| it.contains("proved up to")), "{text}");
    assert!(outcome.asked.paths > 20);
    // Capacities are sizes: only the tried ones are covered.
    let (text, _) = inferred("subjects/StackAr.java", "subjects/StackAr", 500);
    let bound = text.lines().find(|it| it.contains("size(this.theArray) > this.topOfStack"));
    assert!(bound.is_some_and(|it| it.contains("with the objects and sizes tried")), "{text}");
}
