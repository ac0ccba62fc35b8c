//! Strings with symbolic characters and lengths, through the JDK's own code.

mod lab;

use lab::{Datum, Lab, Outcome, Setup};
use std::collections::BTreeSet;

/// Name of the method, its results, and texts with their results.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Methods with all their results on strings of at most three characters (`x` is an exception), and inputs
/// with known results.
const METHODS: &[Row] = &[
    ("equal", "0 1", &[("ab", "1"), ("", "0"), ("a", "0"), ("ac", "0"), ("abc", "0")]),
    ("equalTo", "0 1 2", &[("xyz", "1"), ("", "2"), ("xy", "0"), ("xyy", "0")]),
    ("lengths", "0 1 2", &[("", "0"), ("a", "1"), ("bb", "2"), ("ccc", "1")]),
    ("characters", "0 1 2 x", &[("aj", "2"), ("\u{4000}j", "1"), ("ab", "0"), ("a", "x")]),
    ("words", "0 1 2 3", &[("Aa", "1"), ("BB", "2"), ("no", "3"), ("BA", "0"), ("C\u{22}", "0")]),
    ("compared", "1 2 3", &[("m", "1"), ("l", "2"), ("", "2"), ("n", "3"), ("mm", "3")]),
    ("prefix", "0 1 2", &[("x=1", "1"), ("x=", "2"), ("x=2", "2"), ("=x", "0")]),
    ("found", "0 1 2", &[("", "0"), (".", "1"), ("a.", "1"), (".a", "2"), ("abc", "0")]),
    ("digits", "0 1 x", &[("42", "1"), ("042", "1"), ("", "0"), ("4x", "x")]),
    ("surrogates", "0 1 2", &[("\u{1F600}", "1"), ("\u{1F601}", "2"), ("ab", "0")]),
];

#[test]
fn every_path_of_code_on_strings_is_found() {
    let mut lab = Lab::new();
    for (method, results, known) in METHODS {
        let explored = lab.explore(&Setup::of("samples/Strings", method));
        assert!(explored.is_complete, "{method}: {:?}", explored.counters);
        let found: BTreeSet<String> = explored.outcomes().iter().map(show).collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>().join(" "), *results, "{method}");
        for (text, expected) in *known {
            let outcome = lab.run_known(&explored, &[Datum::text(text)]);
            assert_eq!(show(&outcome), *expected, "{method} of {text:?}");
        }
        lab.sample(&explored, 500);
    }
}

#[test]
fn strings_that_are_built_keep_their_symbols() {
    let mut lab = Lab::new();
    let same = lab.explore(&Setup::of("samples/Strings", "same"));
    assert_eq!(same.outcomes(), [0, 0, 1].map(Outcome::int), "lengths differ, characters differ, equal");
    lab.sample(&same, 500);
    let appended = lab.explore(&Setup::of("samples/Strings", "appended"));
    assert!(appended.is_complete);
    let texts: Vec<String> = appended.outcomes().iter().map(show).collect();
    for expected in ["seven", "short"] {
        assert!(texts.iter().any(|t| t == expected), "{texts:?}");
    }
    assert!(texts.iter().any(|t| t.starts_with('<') && t.len() > 4), "{texts:?}");
    assert!(texts.iter().any(|t| t.starts_with('>') && t.ends_with("q<")), "{texts:?}");
    lab.sample(&appended, 500);
    let concatenated = lab.explore(&Setup::of("samples/Strings", "concatenated"));
    assert!(concatenated.is_complete);
    let texts: Vec<String> = concatenated.outcomes().iter().map(show).collect();
    assert!(texts.iter().any(|t| t.ends_with(":true")), "two characters and more than 3: {texts:?}");
    assert!(texts.iter().any(|t| t == ":false"), "one character and at most 3: {texts:?}");
    lab.sample(&concatenated, 500);
}

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Bits(bits) => (*bits as u32 as i32).to_string(),
        Outcome::Object(text) => text.clone(),
        Outcome::Threw(_) | Outcome::Stopped(_) => "x".into(),
    }
}
