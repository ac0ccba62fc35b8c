//! `cupping mutants`: scores of a weak and a strong suite, side by side (`fixtures/mutants`).

mod support;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use support::{compile, cupping, repository, scratch};

/// What runs tests.
const JUNIT: [&str; 9] = [
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-launcher",
    "junit-platform-engine",
    "junit-platform-commons",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
];

fn junit() -> String {
    JUNIT.map(|name| format!("/usr/share/java/{name}.jar")).join(":")
}

/// The fixture, compiled into `classes`, `weak`, `strong` and `throwing`.
fn compiled(name: &str) -> PathBuf {
    let folder = scratch(name);
    let fixture = repository().join("fixtures/mutants");
    for part in ["classes", "weak", "strong", "throwing"] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    let classes = folder.join("classes");
    let sources = ["Till", "Gate", "Desk"].map(|name| fixture.join(format!("shop/{name}.java")));
    compile(&sources, "", &classes);
    let class_path = format!("{}:{}", classes.display(), junit());
    for (source, to) in
        [("WeakTest.java", "weak"), ("StrongTest.java", "strong"), ("throwing/ThrowingTest.java", "throwing")]
    {
        compile(&[fixture.join(source)], &class_path, &folder.join(to));
    }
    folder
}

#[test]
fn a_strong_suite_scores_higher() {
    let folder = compiled("mutants");
    let class_path = format!("classes:{}", junit());
    let suites = ["--suite", "weak", "--suite", "strong", "--survivors", "--json", "mutants.json"];
    let run =
        cupping(&folder, &[&["mutants", "-cp", &class_path][..], &suites, &["shop.Till"]].concat()).expect(0);
    let wanted = repository().join("fixtures/mutants/expected.txt");
    if std::env::var_os("CUPPING_BLESS").is_some() {
        fs::write(&wanted, &run.stdout).unwrap();
    }
    assert_eq!(run.stdout, fs::read_to_string(&wanted).unwrap(), "CUPPING_BLESS=1 rewrites it");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("mutants.json")).unwrap()).unwrap();
    let mutants = report["results"]["mutants"].as_array().unwrap();
    let killed = |suite: usize| mutants.iter().filter(|it| it["ends"][suite] == "killed").count();
    assert!(killed(0) < killed(1), "{report:#}");
    // A call that is left out only the strong suite can notice.
    let call = mutants.iter().find(|it| it["operator"] == "removed call").unwrap();
    assert_eq!(call["ends"], serde_json::json!(["survived", "killed"]));
}

/// The mutants of a report, a line each, with their end under the only suite.
fn ends(report: &Value) -> Vec<String> {
    let mutants = report["results"]["mutants"].as_array().unwrap();
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let line = |it: &Value| {
        format!("{}:{} {}: {}", text(&it["class"]), it["line"], text(&it["what"]), text(&it["ends"][0]))
    };
    mutants.iter().map(line).collect()
}

#[test]
fn a_call_that_throws_is_reached() {
    let folder = compiled("mutants-throwing");
    let class_path = format!("classes:{}", junit());
    let operators = "removed-call,negated-condition,changed-bound,arithmetic,removed-handler";
    let arguments = ["mutants", "-cp", &class_path, "--suite", "throwing", "--operators", operators];
    cupping(&folder, &[&arguments[..], &["--json", "mutants.json", "shop.Gate", "shop.Desk"]].concat())
        .expect(0);
    let report = serde_json::from_str(&fs::read_to_string(folder.join("mutants.json")).unwrap()).unwrap();
    let truth = fs::read_to_string(repository().join("fixtures/mutants/throwing/truth.txt")).unwrap();
    assert_eq!(ends(&report), truth.lines().collect::<Vec<_>>());
}

#[test]
fn what_is_wrong_is_said() {
    let folder = compiled("mutants-wrong");
    let wrong = |class_path: &str, suite: &str, class: &str, said: &str| {
        let run = cupping(&folder, &["mutants", "-cp", class_path, "--suite", suite, class]).expect(2);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    };
    let class_path = format!("classes:{}", junit());
    wrong("classes:nowhere.jar", "weak", "shop.Till", "nowhere.jar");
    wrong(&class_path, "classes", "shop.Till", "no class that is named as tests are");
    wrong(&class_path, "nowhere", "shop.Till", "nowhere");
    wrong(&class_path, "weak", "shop.Tell", "shop.Tell");
    let run = cupping(
        &folder,
        &["mutants", "-cp", &class_path, "--suite", "weak", "--operators", "MATHS", "shop.Till"],
    );
    assert!(run.expect(2).stderr.contains("MATHS"));
}
