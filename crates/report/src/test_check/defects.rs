//! Counterexamples that are new since a revision: likely defects that a change brings, or that were found since.

use super::source::TestFile;
use serde::Serialize;
use std::collections::BTreeSet;

/// A counterexample that an older revision of its file does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewDefect {
    /// The test, with its class.
    pub test: String,
    /// Its file, as a person types it.
    pub file: String,
    /// Its first line.
    pub line: usize,
}

/// The counterexamples in a file that its old text does not have; all if there was none.
pub fn new_defects(shown: &str, file: &TestFile, old: Option<&str>) -> Vec<NewDefect> {
    if !file.must_fail {
        return Vec::new();
    }
    let simple = file.name.rsplit('.').next().unwrap_or_default();
    let known: BTreeSet<String> =
        old.into_iter().flat_map(|text| TestFile::read(simple, text).tests).map(|it| it.name).collect();
    let new = file.tests.iter().filter(|it| !known.contains(&it.name));
    let defect = |it: &super::TestPlace| NewDefect {
        test: format!("{}.{}", file.name, it.name),
        file: shown.to_owned(),
        line: it.lines.start,
    };
    new.map(defect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counterexamples_count_and_known_ones_do_not() {
        let text = |names: &[&str], comment: &str| {
            let tests: String = names.iter().map(|it| format!("@Test\nvoid {it}() {{\n}}\n")).collect();
            format!("package a;\n/** {comment} */\nclass T {{\n{tests}}}\n")
        };
        let fails = "fails until the defect is fixed";
        let new = TestFile::read("T", &text(&["f", "g"], fails));
        let of = |old: Option<&str>| -> Vec<(String, usize)> {
            new_defects("T.java", &new, old).into_iter().map(|it| (it.test, it.line)).collect()
        };
        assert_eq!(of(Some(&text(&["f"], fails))), [("a.T.g".to_owned(), 7)]);
        assert_eq!(of(None).len(), 2);
        assert_eq!(of(Some(&text(&["g", "f"], fails))), []);
        assert_eq!(new_defects("T.java", &TestFile::read("T", &text(&["f"], "holds")), None), []);
    }
}
