//! Why pairs are open (`fixtures/dataflow/reasons`): a class of which no object can be made says so, whatever the
//! layers ran out of. `NAME.expected` was written by hand; `CUPPING_BLESS=1` rewrites it.

mod lab;

use cupping_dataflow::{DataflowOptions, PairVerdict, analyse, open};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[test]
fn open_pairs_say_why() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dataflow/reasons");
    let entries = std::fs::read_dir(&folder).expect("the fixtures are there").flatten();
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|it| it == "java"));
    sources.sort();
    assert!(sources.len() >= 2, "{sources:?}");
    let (_classes, mut session) = lab::compiled(&sources);
    let options = DataflowOptions { forward: true, ..lab::options() };
    let mut wrong = Vec::new();
    for source in &sources {
        let name = source.file_stem().expect("it has a name").to_string_lossy();
        let mut bench = open(&mut session, &format!("reasons/{name}"), &options).expect("it loads");
        let analysis = analyse(&mut bench, &options, &mut |_| true);
        let mut text = String::new();
        let rows = analysis.rows(bench.machine());
        for (row, verdict) in rows.iter().zip(&analysis.verdicts) {
            let why = if let PairVerdict::Inconclusive(why) = verdict { why } else { row.kind };
            let _ = writeln!(text, "{} {} -> {}: {why}", row.variable, row.definition, row.usage);
        }
        let file = source.with_extension("expected");
        if std::env::var_os("CUPPING_BLESS").is_some() {
            std::fs::write(&file, &text).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        if text != expected || rows.len() != analysis.verdicts.len() {
            wrong.push(format!("{name}\nexpected:\n{expected}found:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
