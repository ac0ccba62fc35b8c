//! Classes with their correct verdicts (`fixtures/dataflow/verdicts`): each once had a wrong one. `NAME.expected`
//! was written by hand before the first run; `CUPPING_BLESS=1` rewrites it.

mod lab;

use cupping_dataflow::{DataflowOptions, analyse, open};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[test]
fn verdicts_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dataflow/verdicts");
    let entries = std::fs::read_dir(&folder).expect("the fixtures are there").flatten();
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|it| it == "java"));
    sources.sort();
    assert!(sources.len() >= 8, "{sources:?}");
    let (_classes, mut session) = lab::compiled(&sources);
    let options = DataflowOptions { forward: true, ..lab::options() };
    let mut wrong = Vec::new();
    for source in &sources {
        let name = source.file_stem().expect("it has a name").to_string_lossy();
        let mut bench = open(&mut session, &format!("verdicts/{name}"), &options).expect("it loads");
        let analysis = analyse(&mut bench, &options, &mut |_| true);
        let mut text = String::new();
        for row in analysis.rows(bench.machine()) {
            let _ = writeln!(text, "{} {} -> {}: {}", row.variable, row.definition, row.usage, row.kind);
        }
        let file = source.with_extension("expected");
        if std::env::var_os("CUPPING_BLESS").is_some() {
            std::fs::write(&file, &text).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        if text != expected || !analysis.refuted.is_empty() {
            wrong.push(format!("{name}\nexpected:\n{expected}found:\n{}", analysis.table(bench.machine())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
