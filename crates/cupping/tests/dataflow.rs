//! `cupping dataflow` from the outside.

mod support;

use std::fs;
use support::{compile, cupping, papers, repository, scratch};

/// The defect of the paper's example is seen in a test that is emitted for pair 7, and asserted as it is.
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
    assert!(drawing.starts_with("<svg") && drawing.contains("def curQtrs"), "{drawing}");
}

/// A suite of one test exercises what it exercises; the tests that are emitted in addition are for the rest.
#[test]
fn a_suite_is_measured_and_completed() {
    let folder = scratch("dataflow-suite");
    let source = folder.join("OwnTest.java");
    let text = "package flows; public class OwnTest { @org.junit.jupiter.api.Test public void one() { \
                Window w = new Window(); w.setLow(1); w.setHigh(3); w.measure(); \
                org.junit.jupiter.api.Assertions.assertEquals(2, w.getWidth()); } }";
    fs::write(&source, text).expect("it can be written");
    let classes = folder.join("classes");
    compile(&[repository().join("fixtures/dataflow/flows/Window.java")], "", &classes);
    let jars = "/usr/share/java/junit-jupiter-api.jar:/usr/share/java/apiguardian-api.jar";
    let path = format!("{}:{jars}", classes.display());
    compile(&[source], &path, &folder.join("suite"));
    let run = cupping(
        &folder,
        &["dataflow", "-cp", "classes", "flows.Window", "--suite", "suite", "--complete", "--out", "tests"],
    );
    let run = run.expect(0);
    assert_eq!(run.stderr, "");
    // The suite defines each variable once, and measures once: of the uses of low and high, all; of width, one.
    assert!(run.stdout.contains("the suite exercises 5 of 5 feasible pairs"), "{}", run.stdout);
}

#[test]
fn an_invariant_that_cannot_be_read_is_told() {
    let folder = scratch("dataflow-invariant");
    let run = cupping(&folder, &["dataflow", "x.Y", "--invariant", "nonsense"]).expect(2);
    assert!(run.stderr.contains("METHOD: CONDITION"), "{}", run.stderr);
}
