//! The output of `cupping dataflow` for its reader: trees, conditions, drawings, and the pair of each test.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{compile, cupping, repository, scratch};

/// A folder with the classes of a fixture, in `classes`.
fn fixture(test: &str, source: &str) -> PathBuf {
    let folder = scratch(test);
    compile(&[repository().join("fixtures/dataflow").join(source)], "", &folder.join("classes"));
    folder
}

/// §6 of the paper: variable, places, PCD and PCU of `<returnQtrs, vend, curQtrs>`, and Figure 3, whose nodes are
/// numbered level by level. The paper counts quarters without a sign, so `curQtrs + 1 >= 2` is its `curQtrs > 0`.
#[test]
fn the_tree_of_the_paper_is_printed_and_drawn() {
    let folder = fixture("dataflow-tree", "flows/CoinBox.java");
    let words =
        ["dataflow", "-cp", "classes", "flows.CoinBox", "--budget", "0s", "--tree", "8", "--svg", "drawn"];
    let run = cupping(&folder, &words).expect(0);
    assert_eq!(run.stderr, "");
    let (_, pair) = run.stdout.split_once("\npair 8\n").expect("it is printed");
    let lines: Vec<&str> = pair.lines().map(str::trim).collect();
    for line in [
        "variable:    curQtrs",
        "definition:  returnQtrs:16",
        "use:         vend:28",
        "PCD:         true",
        "PCU:         allowVend != 0",
        "sequence:    CoinBox(), addQtr(), addQtr(), returnQtrs(), vend()",
        "0 vend  [allowVend != 0]",
        "1 returnQtrs  [allowVend != 0]",
        "2 addQtr  [curQtrs + 1 >= 2]",
        "4 returnQtrs  [allowVend != 0]  \u{2717} implies 1",
        "8 CoinBox  [true]  \u{2713}",
    ] {
        assert!(lines.contains(&line), "{line}\n{pair}");
    }
    for (node, implied) in [(3, 1), (4, 1), (5, 2), (7, 2)] {
        let is_it = |line: &&&str| line.starts_with(&format!("{node} "));
        let line = lines.iter().find(is_it).unwrap_or_else(|| panic!("{node}\n{pair}"));
        assert!(line.ends_with(&format!("\u{2717} implies {implied}")), "{line}\n{pair}");
    }
    let drawn = fs::read_to_string(folder.join("drawn/flows.CoinBox.pair-8.svg")).expect("it is drawn");
    assert_eq!(drawn.matches("<circle").count(), 9, "{drawn}");
    let graph = fs::read_to_string(folder.join("drawn/flows.CoinBox.svg")).expect("it is drawn");
    // The exits of the constructor and of three methods lead back to the class, along the margin.
    assert_eq!(graph.matches("H8.0\"").count(), 4, "{graph}");
}

/// The tests written for a class, and the numbers of its covered pairs.
fn tests(folder: &Path, class: &str, file: &str) -> (String, Vec<String>) {
    let run =
        cupping(folder, &["dataflow", "-cp", "classes", class, "--out", "tests", "--json", "report.json"])
            .expect(0);
    assert_eq!(run.stderr, "");
    let report = fs::read_to_string(folder.join("report.json")).expect("it is written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
    let pairs = report["results"]["classes"][0]["pairs"].as_array().expect("pairs").clone();
    let covered =
        pairs.iter().filter(|pair| pair["verdict"].as_str().is_some_and(|it| it.starts_with("covered")));
    let numbers = covered.map(|pair| pair["number"].to_string()).collect();
    let mut text = String::new();
    for kind in ["", "Failing"] {
        let of_kind = folder.join(format!("tests/{file}{kind}Test.java"));
        text += &fs::read_to_string(of_kind).unwrap_or_default();
    }
    (text, numbers)
}

#[test]
fn each_covered_pair_has_a_test_that_says_so() {
    for (source, class) in [
        ("flows/CoinBox.java", "flows/CoinBox"),
        ("flows/Counter.java", "flows/Counter"),
        ("verdicts/Copies.java", "verdicts/Copies"),
        ("verdicts/Meter.java", "verdicts/Meter"),
        ("verdicts/Closing.java", "verdicts/Closing"),
    ] {
        let folder = fixture(&format!("dataflow-each-{}", class.replace('/', "-")), source);
        let (text, numbers) = tests(&folder, &class.replace('/', "."), class);
        assert!(numbers.len() > 2, "{class}");
        for number in numbers {
            assert!(text.contains(&format!("Exercises pair {number}: ")), "{class}: {number}\n{text}");
        }
    }
}

/// The sequence continues after the call that throws, in the table and in the test.
#[test]
fn a_test_catches_and_goes_on() {
    let folder = fixture("dataflow-catches", "verdicts/Transfer.java");
    let words = ["dataflow", "-cp", "classes", "verdicts.Transfer", "--out", "tests"];
    let run = cupping(&folder, &words).expect(0);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("covered after an exception: Transfer(), add(-"), "{}", run.stdout);
    assert!(run.stdout.contains(") throws, pending()"), "{}", run.stdout);
    assert!(
        run.stdout.contains("3 pairs: 2 covered, 1 covered after an exception, 0 infeasible, 0 inconclusive"),
        "{}",
        run.stdout
    );
    let test = fs::read_to_string(folder.join("tests/verdicts/TransferTest.java")).expect("it is written");
    let (_, behind) =
        test.split_once("Exercises pair 1: pending, from add:9 to pending:18.").expect("a comment");
    let (_, behind) =
        behind.split_once("assertThrows(IllegalArgumentException.class, () -> ").expect("it catches");
    assert!(behind.contains(".pending()"), "{test}");
}

/// With `--work` no clock ends the search.
#[test]
fn the_same_budget_gives_the_same_pairs() {
    let folder = fixture("dataflow-work", "verdicts/Chain.java");
    let run =
        || cupping(&folder, &["dataflow", "-cp", "classes", "verdicts.Chain", "--work", "300ms"]).expect(0);
    let found = run().stdout;
    assert!(found.contains("16 pairs: "), "{found}");
    assert_eq!(found, run().stdout);
    let words = ["dataflow", "-cp", "classes", "verdicts.Chain", "--work", "1s", "--budget", "1s"];
    cupping(&folder, &words).expect(2);
}
