//! The defects that the papers found in their programs are among the tests.

mod support;

use std::fs;
use support::{Method, calls, generate, methods, scratch};

/// The test methods that are emitted for a class of the papers: regular and failing ones.
fn emitted(class: &str) -> (Vec<Method>, Vec<Method>) {
    let folder = scratch(class);
    let run = generate(&folder, &["--preconditions", &format!("papers.{class}")]).expect(0);
    assert_eq!(run.stderr, "", "nothing but errors in a pipe");
    let read = |suffix: &str| {
        let file = folder.join(format!("tests/papers/{class}{suffix}.java"));
        methods(&fs::read_to_string(file).unwrap_or_default())
    };
    (read("Test"), read("FailingTest"))
}

/// Buy, Orso and Pezzè's defect: a drink is free after two quarters have been inserted and returned.
#[test]
fn coin_box_gives_a_drink_away() {
    let (tests, _) = emitted("CoinBox");
    let defect = ["new CoinBox", "addQtr", "addQtr", "returnQtrs", "vend"];
    assert!(tests.iter().any(|(_, lines)| calls(lines) == defect), "{tests:#?}");
}

/// The thesis's example of a sequence that is needed to reach a branch: four calls, the last in an assertion.
#[test]
fn temperature_monitor_warns() {
    let (tests, _) = emitted("TemperatureMonitor");
    let sequence = ["new TemperatureMonitor", "setEnabled", "updateTemperature"];
    let warns = |lines: &[String]| {
        lines.iter().any(|it| it.starts_with("assertTrue(") && it.ends_with(".warning());"))
    };
    assert!(tests.iter().any(|(_, lines)| calls(lines) == sequence && warns(lines)), "{tests:#?}");
}

/// The thesis's first example: three categories and two assertions that inputs violate.
#[test]
fn bmi_has_three_categories_and_two_failures() {
    let (tests, failing) = emitted("BMI");
    let all = tests.iter().flat_map(|(_, lines)| lines).cloned().collect::<Vec<_>>().join("\n");
    for category in 0..3 {
        assert!(all.contains(&format!("assertEquals({category}, ")), "{category}: {tests:#?}");
    }
    assert_eq!(failing.len(), 2, "{failing:#?}");
    for (name, lines) in &failing {
        assert!(lines.iter().any(|line| line.contains("AssertionError.class")), "{name}: {lines:#?}");
    }
}
