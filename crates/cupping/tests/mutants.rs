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

/// The fixture, compiled into `classes`, `weak` and `strong`.
fn compiled(name: &str) -> PathBuf {
    let folder = scratch(name);
    let fixture = repository().join("fixtures/mutants");
    for part in ["classes", "weak", "strong"] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    let classes = folder.join("classes");
    compile(&[fixture.join("shop/Till.java")], "", &classes);
    let class_path = format!("{}:{}", classes.display(), junit());
    for (source, to) in [("WeakTest.java", "weak"), ("StrongTest.java", "strong")] {
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
}
