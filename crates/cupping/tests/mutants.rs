//! `cupping mutants`: scores of a weak and a strong suite, side by side (`fixtures/mutants`).

mod support;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use support::{compile, cupping, junit, repository, scratch};

/// The page of a source, by its path.
const PAGE_OF_TILL: &str = "shop.Till-2e-java.html";
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
    let suites = [
        "--suite",
        "weak",
        "--suite",
        "strong",
        "--survivors",
        "--json",
        "mutants.json",
        "--sarif",
        "log.sarif",
    ];
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
    // Only the strong suite can detect a removed call.
    let call = mutants.iter().find(|it| it["operator"] == "removed call").unwrap();
    assert_eq!(call["ends"], serde_json::json!(["survived", "killed"]));
}

/// The mutants that a suite runs and misses are findings at their lines.
#[test]
fn survivors_are_findings() {
    let folder = compiled("mutants-findings");
    let class_path = format!("classes:{}", junit());
    let words = ["--suite", "weak", "--json", "mutants.json", "--sarif", "log.sarif", "shop.Till"];
    cupping(&folder, &[&["mutants", "-cp", &class_path][..], &words].concat()).expect(0);
    let json = |file: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(folder.join(file)).unwrap()).unwrap()
    };
    let report = json("mutants.json");
    let mutants = report["results"]["mutants"].as_array().unwrap().iter();
    let survived: Vec<&Value> =
        mutants.filter(|it| it["ends"][0] == "survived").map(|it| &it["line"]).collect();
    let log = json("log.sarif");
    let found = log["runs"][0]["results"].as_array().unwrap().iter();
    let lines: Vec<&Value> =
        found.map(|it| &it["locations"][0]["physicalLocation"]["region"]["startLine"]).collect();
    assert!(!survived.is_empty());
    assert_eq!(lines, survived);
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

/// The requirements of mutation-testing-elements on a report (version 2 of its schema): required members, their
/// types and ranges, and the known states.
fn check_elements(report: &Value) {
    assert_eq!(report["schemaVersion"], "2");
    for bound in ["high", "low"] {
        assert!(report["thresholds"][bound].as_u64().unwrap() <= 100);
    }
    assert!(report["framework"]["name"].is_string());
    let mut ids = std::collections::BTreeSet::new();
    for (path, file) in report["files"].as_object().unwrap() {
        assert!(path.ends_with(".java") && file["language"] == "java", "{path}");
        let lines = file["source"].as_str().unwrap().lines().count() as u64;
        for mutant in file["mutants"].as_array().unwrap() {
            assert!(ids.insert(mutant["id"].as_str().unwrap().to_owned()), "{mutant}");
            assert!(mutant["mutatorName"].is_string() && mutant["description"].is_string(), "{mutant}");
            let states = ["Killed", "Survived", "NoCoverage", "Pending"];
            assert!(states.contains(&mutant["status"].as_str().unwrap()), "{mutant}");
            let at = |end: &str, what: &str| mutant["location"][end][what].as_u64().unwrap();
            assert!((1..=lines).contains(&at("start", "line")), "{mutant}");
            assert!(at("start", "column") >= 1 && at("end", "line") == at("start", "line"), "{mutant}");
            assert!(at("end", "column") > at("start", "column"), "{mutant}");
        }
    }
}

fn read_json(path: PathBuf) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn results_are_shown_in_the_source_and_for_other_tools() {
    let folder = compiled("mutants-shown");
    let class_path = format!("classes:{}", junit());
    let sources = repository().join("fixtures/mutants").display().to_string();
    let run = ["mutants", "-cp", &class_path, "--suite", "weak", "--source-path", &sources];
    let shown =
        ["--mutation-json", "elements.json", "--html", "pages", "--json", "mutants.json", "shop.Till"];
    cupping(&folder, &[&run[..], &shown].concat()).expect(0);
    let elements = read_json(folder.join("elements.json"));
    check_elements(&elements);
    let till = &elements["files"]["shop/Till.java"];
    assert_eq!(
        till["source"],
        fs::read_to_string(repository().join("fixtures/mutants/shop/Till.java")).unwrap()
    );
    let own = read_json(folder.join("mutants.json"));
    let count = |end: &str| {
        let mutants = own["results"]["mutants"].as_array().unwrap();
        mutants.iter().filter(|it| it["ends"][0] == end).count()
    };
    let of =
        |status: &str| till["mutants"].as_array().unwrap().iter().filter(|it| it["status"] == status).count();
    assert_eq!((count("survived"), count("not_reached")), (of("Survived"), of("NoCoverage")));
    let page = fs::read_to_string(folder.join("pages").join(PAGE_OF_TILL)).unwrap();
    assert!(page.contains("the call of Till.count is removed: survived"));
    assert!(
        page.contains("class=\"r miss\" id=\"L18\"") && page.contains("class=\"r part\" id=\"L37\""),
        "{page}"
    );
    assert!(fs::read_to_string(folder.join("pages/index.html")).unwrap().contains("href="));
}

#[test]
fn threads_change_nothing() {
    let folder = compiled("mutants-threads");
    let class_path = format!("classes:{}", junit());
    let run = |jobs: &str| {
        let arguments =
            ["mutants", "-cp", &class_path, "--suite", "weak", "--suite", "strong", "--operators", "all"];
        let more = ["--jobs", jobs, "--json", "mutants.json", "shop.Till", "shop.Desk"];
        cupping(&folder, &[&arguments[..], &more].concat()).expect(0);
        fs::read_to_string(folder.join("mutants.json")).unwrap()
    };
    assert_eq!(run("1"), run("5"));
}

#[test]
fn a_score_below_the_threshold_is_an_exit_code() {
    let folder = compiled("mutants-threshold");
    let class_path = format!("classes:{}", junit());
    let run = |suite: &str, percent: &str| {
        let arguments =
            ["mutants", "-cp", &class_path, "--suite", suite, "--threshold", percent, "shop.Till"];
        cupping(&folder, &arguments)
    };
    assert!(run("weak", "50").expect(1).stderr.contains("below --threshold 50"));
    run("strong", "100").expect(0);
    run("weak", "0").expect(0);
    run("weak", "101").expect(2);
}

#[test]
fn only_changed_lines_are_judged() {
    let folder = compiled("mutants-lines");
    let class_path = format!("classes:{}", junit());
    let run = |more: &[&str]| {
        let arguments = ["mutants", "-cp", &class_path, "--suite", "weak", "--json", "mutants.json"];
        cupping(&folder, &[&arguments[..], more, &["shop.Till"]].concat()).expect(0);
        let report = read_json(folder.join("mutants.json"));
        let mutants = report["results"]["mutants"].as_array().unwrap().clone();
        mutants.iter().map(|it| it["line"].as_u64().unwrap()).collect::<std::collections::BTreeSet<u64>>()
    };
    assert_eq!(run(&["--lines", "src/shop/Till.java:17-20"]), [17, 18, 19].into());
    assert_eq!(run(&["--lines", "Till.java:27"]), [].into(), "the path of the package is a part of the name");
    // A repository in which two lines are changed, one of them not committed.
    let source = folder.join("src/shop/Till.java");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    let text = fs::read_to_string(repository().join("fixtures/mutants/shop/Till.java")).unwrap();
    fs::write(&source, text.replace("bookings++", "bookings--")).unwrap();
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.current_dir(&folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(arguments);
        assert!(git.output().unwrap().status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "src"]);
    git(&["commit", "--quiet", "-m", "first"]);
    fs::write(&source, text).unwrap();
    assert_eq!(run(&["--since", "HEAD"]), [23].into());
    git(&["commit", "--quiet", "-a", "-m", "second"]);
    assert_eq!(run(&["--since", "HEAD"]), [].into());
    assert_eq!(run(&["--since", "HEAD~1", "--lines", "shop/Till.java:27"]), [23, 27].into());
    let arguments = ["mutants", "-cp", &class_path, "--suite", "weak", "--since", "nothing", "shop.Till"];
    assert!(cupping(&folder, &arguments).expect(2).stderr.contains("--since nothing"));
}

#[test]
fn stored_verdicts_are_reused() {
    let folder = compiled("mutants-store");
    let class_path = format!("classes:{}", junit());
    let run = |out: &str| {
        let arguments = ["mutants", "-cp", &class_path, "--suite", "weak", "--store", "kept", "--json", out];
        cupping(&folder, &[&arguments[..], &["shop.Till", "shop.Gate"]].concat()).expect(0);
        fs::read_to_string(folder.join(out)).unwrap()
    };
    let first = run("first.json");
    let kept: Vec<PathBuf> =
        fs::read_dir(folder.join("kept")).unwrap().flatten().map(|it| it.path()).collect();
    assert_eq!(kept.len(), 2);
    assert_eq!(run("second.json"), first);
    // The content of the store is trusted.
    let till = kept.iter().find(|it| fs::read_to_string(it).unwrap().contains("shop.Till")).unwrap();
    fs::write(till, fs::read_to_string(till).unwrap().replace("survived", "killed")).unwrap();
    let changed = run("third.json");
    assert!(changed != first && !changed.contains("survived"), "{changed}");
    // A class that has changed is judged anew.
    let source = fs::read_to_string(repository().join("fixtures/mutants/shop/Till.java")).unwrap();
    fs::create_dir_all(folder.join("src/shop")).unwrap();
    fs::write(folder.join("src/shop/Till.java"), source.replace("\"used\"", "\"busy\"")).unwrap();
    compile(&[folder.join("src/shop/Till.java")], "", &folder.join("classes"));
    assert!(run("fourth.json").contains("survived"));
}

#[test]
fn wrong_arguments_are_errors() {
    let folder = compiled("mutants-wrong");
    let wrong = |class_path: &str, suite: &str, class: &str, said: &str| {
        let run = cupping(&folder, &["mutants", "-cp", class_path, "--suite", suite, class]).expect(2);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    };
    let class_path = format!("classes:{}", junit());
    wrong("classes:nowhere.jar", "weak", "shop.Till", "nowhere.jar");
    wrong(&class_path, "classes", "shop.Till", "no class named like a test");
    wrong(&class_path, "nowhere", "shop.Till", "nowhere");
    wrong(&class_path, "weak", "shop.Tell", "shop.Tell");
    let run = cupping(
        &folder,
        &["mutants", "-cp", &class_path, "--suite", "weak", "--operators", "MATHS", "shop.Till"],
    );
    assert!(run.expect(2).stderr.contains("MATHS"));
}
