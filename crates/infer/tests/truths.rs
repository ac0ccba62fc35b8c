//! Specifications of classes whose truths were written by hand before the first run (`fixtures/infer/truths`): no
//! line is refuted by an opponent's calls, and the truths found and missed are those of
//! `fixtures/infer/truths/found.txt`. `CUPPING_BLESS=1` rewrites it; `./x bench infer` covers all classes.

mod support;

use cupping_infer::ExplorerLimits;
use std::fs;
use support::truths::{head, judge, truths};
use support::{compile, fixtures, session};

/// Classes to develop on: a counter, a value class, an array that is used as a ring, a collection, and two abstract
/// classes.
const CLASSES: [&str; 6] = ["Counter", "Names", "Ring", "Span", "Figure", "Staff"];

#[test]
fn inferred_lines_are_true() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let place = fixtures().join("truths/develop");
    let sources: Vec<_> = CLASSES.iter().map(|it| place.join(format!("{it}.java"))).collect();
    compile(&sources, "", folder.path());
    let mut session = session(folder.path());
    let limits = ExplorerLimits {
        calls: 5,
        executions: 1_500,
        each: 0,
        challenges: 1_500,
        ..ExplorerLimits::default()
    };
    let (mut table, mut wrong) = (head(), Vec::new());
    for name in CLASSES {
        let truths = truths(&place.join(format!("{name}.txt")));
        let verdict = judge(&mut session, &format!("truths/{name}"), &truths, limits, 1_000);
        assert!(verdict.calls > 1_000, "{name}: {} calls", verdict.calls);
        wrong.extend(verdict.wrong.iter().map(|it| format!("{name}: {it}")));
        table += &verdict.to_string();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let file = fixtures().join("truths/found.txt");
    if std::env::var_os("CUPPING_BLESS").is_some() {
        fs::write(&file, &table).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), table);
}
