//! `cupping exhaust` on the fixtures, and the examples of its manual.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{compile, cupping, repository, scratch};

/// A folder with the compiled fixtures in `classes`, next to the specifications.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let fixtures = repository().join("fixtures/exhaust");
    for file in support::files(&fixtures) {
        if file.extension().is_some_and(|it| it == "spec") {
            fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
        }
    }
    let sources: Vec<PathBuf> =
        ["List.java", "ReversedList.java"].iter().map(|it| fixtures.join(it)).collect();
    fs::create_dir(folder.join("classes")).unwrap();
    compile(&sources, "", &folder.join("classes"));
    folder
}

#[test]
fn counterexamples_are_reported_drawn_and_written_as_json() {
    let folder = folder("exhaust-report");
    let args = ["exhaust", "list-reversed.spec", "-cp", "classes", "--html", "page", "--json", "report.json"];
    let run = cupping(&folder, &args).expect(1);
    assert!(
        run.stdout.starts_with("ReversedList.mergeSort: 27 inputs, 3 passed, 24 counterexamples\n"),
        "{run:?}"
    );
    assert_eq!(run.stderr, "", "no progress in a pipe");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["results"]["inputs"], 27);
    assert_eq!(report["results"]["groups"][0]["counterexamples"][0]["failures"][0]["line"], 11);
    let page = fs::read_to_string(folder.join("page/index.html")).unwrap();
    assert!(page.matches("<svg").count() == 6 && page.contains("post-state"), "{page}");
    cupping(&folder, &args).expect(1);
    assert_eq!(page, fs::read_to_string(folder.join("page/index.html")).unwrap(), "the same bytes again");
}

#[test]
fn errors_in_specifications_name_their_place() {
    let folder = folder("exhaust-wrong");
    let list = fs::read_to_string(folder.join("list.spec")).unwrap();
    let cases = [
        (list.replace("class List", "class Lisp"), "there is no class Lisp"),
        (list.replace("mergeSort", "quickSort"), "List has no such method"),
        (list.replace("n.elem <=", "n.elm <="), "did you mean elem?"),
        (list.replace("3 Node", "3 Nodes"), "there is no signature Nodes"),
        (
            list.replace("post {", "pre { some n: header.*next | n in n.^next }\npost {"),
            "wrong.spec:7: invariant: all n: header.*next | not n in n.^next",
        ),
        (list.replace("exactly 1 List", "exactly 0 List"), "facts, declarations and scope alone allow none"),
    ];
    for (text, message) in cases {
        fs::write(folder.join("wrong.spec"), &text).unwrap();
        let run = cupping(&folder, &["exhaust", "wrong.spec", "-cp", "classes"]).expect(2);
        assert!(run.stderr.contains(message), "{message} in {}", run.stderr);
        assert_eq!(run.stdout, "", "{message}");
    }
}

#[test]
fn warnings_come_first_and_larger_scopes_one_by_one() {
    let folder = folder("exhaust-grow");
    let grown = ["exhaust", "list.spec", "-cp", "classes", "--grow", "--limit", "100"];
    let run = cupping(&folder, &grown).expect(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "exactly 1 List, exactly 3 Node, 0..2 int: 27 inputs, 27 passed",
            "exactly 1 List, exactly 4 Node, 0..3 int: 73 more inputs, 73 passed, not all of them",
            "List.mergeSort: 100 inputs, 100 passed",
            "  not all inputs within the scope were tried",
        ]
    );
    let wrong = ["exhaust", "list-reversed.spec", "-cp", "classes", "--stop-after", "2"];
    let run = cupping(&folder, &wrong).expect(1);
    assert!(run.stdout.contains("2 counterexamples\n  not all inputs"), "{}", run.stdout);
    let list = fs::read_to_string(folder.join("list.spec")).unwrap();
    let doubtful = list.replace("post {", "pre { header.elem = 7 }\npost {");
    fs::write(folder.join("doubtful.spec"), doubtful).unwrap();
    let run = cupping(&folder, &["exhaust", "doubtful.spec", "-cp", "classes"]).expect(2);
    let (warning, error) =
        (run.stderr.find("no input has the integer 7"), run.stderr.find("has no input within"));
    assert!(warning.is_some() && warning < error, "{}", run.stderr);
    assert!(run.stderr.contains("extend the scope: `0..7 int`"), "{}", run.stderr);
}

/// The invariant of `TreeMap` without the conjunct that excludes entries outside of the tree.
#[test]
fn unconstrained_fields_are_reported() {
    let folder = folder("exhaust-open");
    let tree = fs::read_to_string(repository().join("fixtures/exhaust/treemap.spec")).unwrap();
    let open = tree.replace("Entry in root.*(left + right)\n", "");
    assert!(open.len() < tree.len());
    fs::write(
        folder.join("tree.spec"),
        tree.replace("exactly 5 Entry, 0..4 int", "exactly 2 Entry, 0..2 int"),
    )
    .unwrap();
    fs::write(
        folder.join("open.spec"),
        open.replace("exactly 5 Entry, 0..4 int", "exactly 2 Entry, 0..2 int"),
    )
    .unwrap();
    let run = cupping(&folder, &["exhaust", "open.spec", "-cp", "classes", "--count"]).expect(0);
    assert!(run.stderr.contains("most inputs have objects of Entry outside this set"), "{}", run.stderr);
    assert!(run.stderr.contains("add to `pre`: `Entry in root.*(left+right)`"), "{}", run.stderr);
    let run = cupping(&folder, &["exhaust", "tree.spec", "-cp", "classes", "--count"]).expect(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn formulas_are_compared_and_inputs_shown_and_counted() {
    let folder = folder("exhaust-show");
    let compare = |a: &str, b: &str| {
        cupping(&folder, &["exhaust", "list.spec", "-cp", "classes", "--equivalent", a, b])
    };
    assert_eq!(
        compare("invariant", "no n: header.*next | n in n.^next").expect(0).stdout,
        "equivalent within the scope\n"
    );
    let differ = compare("invariant", "some header").expect(1).stdout;
    assert!(
        differ.starts_with("not equivalent: here `some header` holds and `invariant` does not\n"),
        "{differ}"
    );
    let shown = cupping(&folder, &["exhaust", "list.spec", "-cp", "classes", "--show", "1"]).expect(0).stdout;
    assert_eq!(shown, "input 1\n  this: 0 -> 0 -> 0\n");
    let counted = ["exhaust", "list.spec", "-cp", "classes", "--count", "--scope", "4 Node, 0..1 int"];
    assert_eq!(cupping(&folder, &counted).expect(0).stdout, "List.mergeSort: 31 inputs\n");
}

#[test]
fn the_examples_of_the_manual_run_and_it_knows_every_option() {
    let folder = folder("exhaust-manual");
    let manual = fs::read_to_string(repository().join("docs/exhaust.md")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_cupping")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let specification = manual.split("```\n").nth(1).unwrap();
    assert!(specification.starts_with("class List"), "{specification}");
    fs::write(folder.join("list.spec"), specification).unwrap();
    let commands: Vec<&str> = manual.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let output =
            Command::new("sh").args(["-c", command]).current_dir(&folder).env("PATH", &path).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let help = cupping(&folder, &["exhaust", "--help"]).expect(0).stdout;
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    for option in words.filter(|word| word.len() > 2 && word.starts_with("--")) {
        assert!(
            ["--help", "--class-path"].contains(&option) || manual.contains(&format!("`{option}")),
            "{option} is not in the manual"
        );
    }
}

#[test]
fn inputs_come_from_a_predicate_too() {
    let folder = scratch("exhaust-repok");
    fs::create_dir(folder.join("classes")).unwrap();
    let source = repository().join("fixtures/exhaust/structures/Trees.java");
    compile(&[source], "", &folder.join("classes"));
    let run = |args: &[&str]| cupping(&folder, &[&["exhaust", "-cp", "classes", "--repok"], args].concat());
    let counted = run(&["Trees.repOk", "--scope", "Node=3,size=3"]).expect(0).stdout;
    assert!(counted.starts_with("Trees.repOk: 5 objects, "), "{counted}");
    let search =
        ["Trees$Search.repOk", "--method", "remove", "--scope", "Node=2,size=0..2,key=1..2,gone=0..2"];
    let wrong = run(&search).expect(1).stdout;
    assert!(wrong.contains("the predicate does not hold afterwards"), "{wrong}");
    let error = run(&["Trees.repOk", "--scope", "Nodes=3"]).expect(2).stderr;
    assert!(error.contains("no class, field or parameter has this name"), "{error}");
}

/// Each specification of `fixtures/exhaust/emitted` fails in another way; the tests are those of `NAME.tests`, which
/// `CUPPING_BLESS=1` rewrites. That they are written implies that they compile, and fail as expected.
#[test]
fn counterexamples_are_tests_that_fail() {
    let folder = scratch("exhaust-emitted");
    let fixtures = repository().join("fixtures/exhaust/emitted");
    let files = support::files(&fixtures);
    let of = |ending: &str| -> Vec<PathBuf> {
        files.iter().filter(|it| it.extension().is_some_and(|of| of == ending)).cloned().collect()
    };
    fs::create_dir(folder.join("classes")).unwrap();
    compile(&of("java"), "", &folder.join("classes"));
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in of("spec") {
        let (name, out) = (file.file_stem().unwrap().to_string_lossy(), file.with_extension("tests"));
        let path = file.display().to_string();
        let args = ["exhaust", &path, "-cp", "classes", "--out", &name, "--examples", "2"];
        let run = cupping(&folder, &args).expect(1);
        assert_eq!(run.stderr, "", "{name}");
        let written = support::files(&folder.join(&*name));
        // The first line names the specification, by its path.
        let below = |it: &PathBuf| fs::read_to_string(it).unwrap().split_once('\n').unwrap().1.to_owned();
        let found: String = written.iter().map(below).collect();
        if std::env::var_os("CUPPING_BLESS").is_some() {
            fs::write(&out, &found).unwrap();
        }
        if fs::read_to_string(&out).unwrap_or_default() != found {
            wrong.push(format!("{name}: {found}"));
        }
        count += 1;
    }
    assert!(count > 4 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The predicate is asserted, and JUnit 4 suffices for that.
#[test]
fn a_predicate_is_claimed_by_a_test() {
    let folder = scratch("exhaust-predicate");
    let sources = [repository().join("fixtures/exhaust/structures/Trees.java")];
    fs::create_dir(folder.join("classes")).unwrap();
    compile(&sources, "", &folder.join("classes"));
    let args = [
        "exhaust",
        "--repok",
        "Trees$Search.repOk",
        "--method",
        "remove",
        "--scope",
        "Node=2,size=0..2,key=1..2,gone=0..2",
        "-cp",
        "classes",
        "--out",
        "tests",
        "--junit",
        "4",
        "--examples",
        "1",
    ];
    cupping(&folder, &args).expect(1);
    let test = fs::read_to_string(folder.join("tests/Trees_SearchCounterexampleTest.java")).unwrap();
    assert!(
        test.contains("assertTrue(search.repOk());") && test.contains("import org.junit.Test;"),
        "{test}"
    );
}
