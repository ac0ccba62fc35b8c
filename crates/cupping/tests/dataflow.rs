//! `cupping dataflow` from the outside.

mod support;

use std::fs;
use support::{compile, cupping, papers, repository, scratch};

/// The defect of the paper's example shows in the test that is emitted for pair 7, which asserts the actual
/// behaviour.
#[test]
fn a_test_shows_the_defect_of_the_coin_box() {
    let folder = scratch("dataflow-coin-box");
    let classes = papers().to_str().expect("a path of letters");
    let run = cupping(
        &folder,
        &["dataflow", "-cp", classes, "papers.CoinBox", "--each", "--out", "tests", "--svg", "drawings"],
    );
    let run = run.expect(0);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("CoinBox(), addQtr(), addQtr(), returnQtrs(), vend()"), "{}", run.stdout);
    assert!(run.stdout.contains("infeasible: no definition-clear path"), "{}", run.stdout);
    let test = fs::read_to_string(folder.join("tests/papers/CoinBoxTest.java")).expect("it is written");
    let calls = ["addQtr();", "addQtr();", "returnQtrs();", "vend();", "assertEquals(0, "];
    let shows_defect = |method: &str| {
        let mut rest = method;
        calls.iter().all(|call| match rest.split_once(call) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    };
    assert!(test.split("@Test").any(shows_defect), "{test}");
    let drawing = fs::read_to_string(folder.join("drawings/papers.CoinBox.svg")).expect("it is drawn");
    let drawing = drawing.split_once('\n').expect("the first line tells who drew it").1;
    assert!(drawing.starts_with("<svg") && drawing.contains("def curQtrs"), "{drawing}");
}

/// The output of a suite with one test for `flows.Window`. `annotation` is that of its JUnit.
fn measured(
    name: &str,
    annotation: &str,
    jars: &str,
    body: &str,
    more: &[&str],
) -> (support::Run, std::path::PathBuf) {
    let folder = scratch(name);
    let source = folder.join("OwnTest.java");
    let text =
        format!("package flows; public class OwnTest {{ @{annotation} public void one() {{ {body} }} }}");
    fs::write(&source, text).expect("it can be written");
    let classes = folder.join("classes");
    compile(&[repository().join("fixtures/dataflow/flows/Window.java")], "", &classes);
    compile(&[source], &format!("{}:{jars}", classes.display()), &folder.join("suite"));
    let mut words = vec!["dataflow", "-cp", "classes", "flows.Window", "--suite", "suite"];
    words.extend(more);
    (cupping(&folder, &words), folder)
}

const JUNIT_5: &str = "/usr/share/java/junit-jupiter-api.jar:/usr/share/java/apiguardian-api.jar";
const JUNIT_4: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

/// A suite that exercises all five pairs: nothing is left to complete.
#[test]
fn a_suite_is_measured() {
    let body = "Window w = new Window(); w.setLow(1); w.setHigh(3); w.measure(); \
                org.junit.jupiter.api.Assertions.assertEquals(2, w.getWidth());";
    let more = ["--complete", "--out", "tests"];
    let (run, folder) = measured("dataflow-suite", "org.junit.jupiter.api.Test", JUNIT_5, body, &more);
    let run = run.expect(0);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("the suite exercises 5 of 5 feasible pairs: 1 2 3 4 5"), "{}", run.stdout);
    assert!(run.stdout.contains("missing: none"), "{}", run.stdout);
    assert!(!folder.join("tests/flows/WindowTest.java").exists(), "there is nothing to complete");
}

/// A suite of JUnit 4 that never measures a window: tests for the missing pairs are emitted, and nothing else.
#[test]
fn a_suite_is_completed() {
    let body = "Window w = new Window(); w.setLow(1); org.junit.Assert.assertEquals(0, w.getWidth());";
    let more = [
        "--complete",
        "--out",
        "tests",
        "--junit",
        "4",
        "--suite-test",
        "flows.OwnTest",
        "--sarif",
        "log.sarif",
    ];
    let (run, folder) = measured("dataflow-complete", "org.junit.Test", JUNIT_4, body, &more);
    let run = run.expect(0);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("the suite exercises 0 of 5 feasible pairs: none"), "{}", run.stdout);
    assert!(run.stdout.contains("missing: 1 2 3 4 5"), "{}", run.stdout);
    let test = fs::read_to_string(folder.join("tests/flows/WindowTest.java")).expect("it is written");
    assert!(test.contains("measure()") && test.contains("org.junit.Test"), "{test}");
    // Each missing pair is a finding at the line of its use.
    let log = fs::read_to_string(folder.join("log.sarif")).expect("it is written");
    let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    let found = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(found.len(), 5, "{log:#}");
    let line =
        |it: &serde_json::Value| it["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64();
    assert!(found.iter().all(|it| it["ruleId"] == "missed-pair" && line(it) > Some(1)), "{log:#}");
}

#[test]
fn a_test_that_the_suite_does_not_have_is_told() {
    let more = ["--suite-test", "flows.Other"];
    let (run, _) = measured("dataflow-no-test", "org.junit.Test", JUNIT_4, "", &more);
    let run = run.expect(2);
    assert!(run.stderr.contains("the suite has no class flows.Other"), "{}", run.stderr);
}

#[test]
fn an_invariant_that_cannot_be_read_is_told() {
    let folder = scratch("dataflow-invariant");
    let run = cupping(&folder, &["dataflow", "x.Y", "--invariant", "nonsense"]).expect(2);
    assert!(run.stderr.contains("METHOD: CONDITION"), "{}", run.stderr);
}

/// Assertions are enabled: `level` of a failed object is read only by the assertion. With `--disable-assertions` it
/// is read after the assertion, by deduction, the machine, and the JVM that certifies the test.
#[test]
fn assertions_are_on_unless_they_are_disabled() {
    let folder = scratch("dataflow-assertions");
    compile(&[repository().join("fixtures/dataflow/flows/Guarded.java")], "", &folder.join("classes"));
    let run = |out: &str, more: &[&str]| {
        let words = ["dataflow", "-cp", "classes", "flows.Guarded", "--budget", "0s", "--out", out];
        let run = cupping(&folder, &[&words[..], more].concat()).expect(0);
        assert_eq!(run.stderr, "");
        let file = |name: &str| fs::read_to_string(folder.join(out).join("flows").join(name));
        (run.stdout, file("GuardedTest.java").expect("it is written"), file("GuardedFailingTest.java").ok())
    };
    let (text, _, failing) = run("on", &[]);
    assert!(text.contains("4 pairs: 3 covered, 1 infeasible, 0 inconclusive"), "{text}");
    assert!(failing.is_some_and(|test| test.contains("AssertionError.class")));
    let (text, test, failing) = run("off", &["--disable-assertions"]);
    assert!(text.contains("4 pairs: 2 covered, 2 infeasible, 0 inconclusive"), "{text}");
    assert!(test.contains("assertEquals(-1, "), "{test}");
    assert_eq!(failing, None);
}
