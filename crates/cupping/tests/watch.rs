//! `cupping watch` with suites of JUnit as triples, on the programs of `fixtures/watched`.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use support::{compile_for, cupping, files, repository, scratch};

const PROGRAMS: [(&str, &str); 4] = [
    ("routes", "routes.Planner"),
    ("ledger", "ledger.Teller"),
    ("calc", "calc.Calc"),
    ("shelves", "shelves.Main"),
];
/// A program whose suite exists in each of JUnit's forms.
const FORMS: (&str, &str) = ("forms", "forms.Main");
/// A program whose methods read their state in many ways, each once as in its test and once otherwise.
const GAUGES: (&str, &str) = ("gauges", "gauges.Main");
/// A program whose suite is written in many styles: AssertJ's, Hamcrest's, rules, custom assertions, inherited,
/// nested, dynamic and parameterized tests.
const STYLES: (&str, &str) = ("styles", "styles.Main");
/// A program whose tests hold an object twice at a call.
const TWICE: (&str, &str) = ("twice", "twice.Main");
/// A program whose tests take longer than `--suite-steps` allows: what they assert until then counts.
const ENDLESS: (&str, &str) = ("endless", "endless.Main");
/// Two programs whose suites hold constants of the JDK, with faults in what predicates call (`faults.txt`), and with
/// faults that the suites notice (`changes.txt`).
const VERSIONS: [(&str, &str); 2] = [("stock", "stock.Main"), ("rings", "rings.Main")];
const JUNIT: &str = "/usr/share/java/junit-platform-console-standalone.jar:/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

fn sources(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|it| it.extension().is_some_and(|it| it == "java")).collect()
}

/// A fault: its description, its file, the method to blame, the old and the new text.
struct Fault {
    what: String,
    file: String,
    method: String,
    old: String,
    new: String,
}

fn faults(name: &str) -> Vec<Fault> {
    faults_of(name, "faults.txt")
}

fn faults_of(name: &str, file: &str) -> Vec<Fault> {
    let text = fs::read_to_string(repository().join("fixtures/watched").join(name).join(file)).unwrap();
    let fault = |text: &str| {
        let head: Vec<&str> = text.lines().next().unwrap().split(" | ").collect();
        let part =
            |mark: &str| text.lines().filter_map(|it| it.strip_prefix(mark)).collect::<Vec<_>>().join("\n");
        let [what, file, method] = head[..] else { panic!("{text}") };
        let (what, file, method) = (what.to_owned(), file.to_owned(), method.to_owned());
        Fault { what, file, method, old: part("- "), new: part("+ ") }
    };
    text.split("\n= ").skip(1).map(fault).collect()
}

/// A folder with a program in `app`, possibly with a fault, and its suite in `tests`.
fn compiled(name: &str, purpose: &str, fault: Option<&Fault>) -> PathBuf {
    let folder = scratch(&format!("watch-{name}-{purpose}"));
    let fixture = repository().join("fixtures/watched").join(name);
    for part in ["app", "tests", "src"] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    for source in sources(&fixture.join("app")) {
        let mut text = fs::read_to_string(&source).unwrap();
        if let Some(fault) = fault.filter(|it| source.file_name().unwrap() == it.file.as_str()) {
            assert_eq!(text.matches(&fault.old).count(), 1, "{}", fault.what);
            text = text.replace(&fault.old, &fault.new);
        }
        fs::write(folder.join("src").join(source.file_name().unwrap()), text).unwrap();
    }
    compile_for("17", &sources(&folder.join("src")), "", &folder.join("app"));
    let class_path = format!("{}:{JUNIT}", folder.join("app").display());
    compile_for("17", &sources(&fixture.join("tests")), &class_path, &folder.join("tests"));
    folder
}

/// The number of each outcome, by method.
fn outcomes(report: &Value) -> BTreeMap<(String, String), u64> {
    let mut counts = BTreeMap::new();
    for site in report["sites"].as_array().unwrap() {
        for (outcome, count) in site["counts"].as_object().unwrap() {
            let method = site["method"].as_str().unwrap().to_owned();
            *counts.entry((method, outcome.clone())).or_default() += count.as_u64().unwrap();
        }
    }
    counts
}

fn report(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("watch.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    report["results"].clone()
}

#[test]
fn suites_are_triples() {
    for (name, main) in PROGRAMS.into_iter().chain([FORMS, GAUGES, STYLES, TWICE, ENDLESS]).chain(VERSIONS) {
        let folder = compiled(name, "sound", None);
        let plain = cupping(&folder, &["run", "-cp", "app", main]).expect(0);
        let files = ["--json", "watch.json", "--html", "watch.html", "--fail-on", "failed-test,path-anomaly"];
        let options = [&["watch", "--suite", "tests", "-cp", "app"][..], &files, &[main]].concat();
        let run = cupping(&folder, &options).expect(0);
        assert_eq!(run.stdout, plain.stdout, "{name}");
        // Tests that are disabled, or whose assumptions do not hold, do not fail.
        assert!(!run.stderr.contains("do not pass"), "{name}: {}", run.stderr);
        let mut text = String::new();
        for ((method, outcome), count) in outcomes(&report(&folder)) {
            let _ = writeln!(text, "{method}: {outcome} {count}");
        }
        let expected = repository().join("fixtures/watched").join(name).join("expected.txt");
        if std::env::var_os("CUPPING_BLESS").is_some() {
            fs::write(&expected, &text).unwrap();
        }
        assert_eq!(text, fs::read_to_string(&expected).unwrap(), "{name}; CUPPING_BLESS=1 rewrites it");
        let page = fs::read_to_string(folder.join("watch.html")).unwrap();
        let is_small = [FORMS.0, GAUGES.0, STYLES.0, TWICE.0, ENDLESS.0].contains(&name)
            || VERSIONS.iter().any(|it| it.0 == name);
        let shows = |text: &str| page.contains(text) || is_small;
        assert!(shows("<svg") && shows("untested-path") && page.ends_with("</html>\n"), "{name}");
    }
}

/// Runs a program with a fault; returns whether its suite fails, and the outcome of each call.
fn with_fault(name: &str, main: &str, fault: &Fault) -> (bool, BTreeMap<(String, String), u64>) {
    let folder = compiled(name, "fault", Some(fault));
    let options = ["watch", "--suite", "tests", "-cp", "app", "--json", "watch.json"];
    let run = cupping(&folder, &[&options[..], &[main]].concat());
    let outcomes = outcomes(&report(&folder));
    fs::remove_dir_all(&folder).unwrap();
    (run.stderr.contains("do not pass"), outcomes)
}

#[test]
fn faults_that_the_suites_do_not_notice_are_blamed() {
    for (name, main) in PROGRAMS {
        let fault = &faults(name)[0];
        let (is_noticed, counts) = with_fault(name, main, fault);
        assert!(!is_noticed, "{name}: the suite notices it");
        let key = (fault.method.clone(), "failed-test".to_owned());
        assert!(counts.contains_key(&key), "{name}: {counts:?}");
    }
}

/// The methods with failed tests.
fn blamed(counts: &BTreeMap<(String, String), u64>) -> Vec<&str> {
    let failed = counts.keys().filter(|(_, outcome)| outcome == "failed-test");
    failed.map(|(method, _)| method.as_str()).collect()
}

#[test]
fn a_fault_in_what_a_predicate_calls_is_not_blamed_on_the_caller() {
    for (name, main) in VERSIONS {
        for fault in faults(name) {
            let (is_noticed, counts) = with_fault(name, main, &fault);
            assert!(!is_noticed, "{name}: the suite notices: {}", fault.what);
            assert_eq!(blamed(&counts), [fault.method.as_str()], "{name}: {}", fault.what);
        }
    }
}

#[test]
fn suites_that_run_with_an_earlier_version_blame_what_has_changed() {
    for (name, main) in VERSIONS {
        let earlier = compiled(name, "earlier", None);
        let earlier = earlier.join("app").display().to_string();
        let options = ["watch", "--suite", "tests", "--suite-class-path", &earlier, "-cp", "app"];
        let options = [&options[..], &["--json", "watch.json", main]].concat();
        let same = compiled(name, "same", None);
        cupping(&same, &options).expect(0);
        assert_eq!(blamed(&outcomes(&report(&same))), [""; 0], "{name}: nothing has changed");
        for fault in faults_of(name, "changes.txt") {
            let folder = compiled(name, "changed", Some(&fault));
            let run = cupping(&folder, &options);
            assert!(!run.stderr.contains("do not pass"), "{name}: {}: {}", fault.what, run.stderr);
            let counts = outcomes(&report(&folder));
            assert_eq!(blamed(&counts), [fault.method.as_str()], "{name}: {}", fault.what);
        }
    }
}

#[test]
fn a_test_that_does_not_pass_is_named_with_the_calls_before_its_failure() {
    for ((name, main), method) in VERSIONS.into_iter().zip(["stock.Stock.below"]) {
        let fault = faults_of(name, "changes.txt").into_iter().find(|it| it.method == method).unwrap();
        let folder = compiled(name, "named", Some(&fault));
        let run = cupping(&folder, &["watch", "--suite", "tests", "-cp", "app", main]);
        let named = run.stderr.split(" (after ").skip(1).filter_map(|it| it.split(')').next());
        let mut calls = named.flat_map(|it| it.split(", "));
        assert!(calls.any(|it| it == method), "{name}: {}", run.stderr);
    }
}

/// Programs with changes since an earlier version that only other states than those of the tests show
/// (`elsewhere.txt`), and with changes that nothing shows (`same.txt`).
const CHANGED: [(&str, &str); 6] = [
    ("stock", "stock.Main"),
    ("rings", "rings.Main"),
    ("calc", "calc.Calc"),
    ("plans", "plans.Main"),
    ("codes", "codes.Main"),
    ("parts", "shop.Main"),
];

/// The earlier version of a program. The shop of `parts` is not in it, but only the library.
fn earlier_version(name: &str, purpose: &str) -> PathBuf {
    let folder = compiled(name, purpose, None);
    if name == "parts" {
        fs::remove_dir_all(folder.join("app/shop")).unwrap();
    }
    folder
}

/// The methods that are blamed in a changed program; its suite runs with the program as it was.
fn blamed_since(earlier: &Path, name: &str, main: &str, change: &Fault) -> Vec<String> {
    let purpose =
        change.what.split(' ').map(|it| it.chars().filter(|it| it.is_alphabetic()).collect::<String>());
    let folder = compiled(name, &purpose.collect::<Vec<_>>().join("-"), Some(change));
    let earlier = earlier.join("app").display().to_string();
    let options = ["watch", "--suite", "tests", "--suite-class-path", &earlier, "-cp", "app"];
    cupping(&folder, &[&options[..], &["--json", "watch.json", main]].concat());
    let counts = outcomes(&report(&folder));
    blamed(&counts).into_iter().map(str::to_owned).collect()
}

#[test]
fn changes_are_compared_with_the_earlier_version_in_states_that_no_test_has() {
    for (name, main) in CHANGED {
        let earlier = earlier_version(name, "before");
        for fault in faults_of(name, "elsewhere.txt") {
            let blamed = blamed_since(&earlier, name, main, &fault);
            assert_eq!(blamed, [fault.method.as_str()], "{name}: {}", fault.what);
        }
    }
}

#[test]
fn changes_without_effect_are_not_blamed() {
    for (name, main) in CHANGED {
        let earlier = earlier_version(name, "origin");
        for change in faults_of(name, "same.txt") {
            assert_eq!(blamed_since(&earlier, name, main, &change), [""; 0], "{name}: {}", change.what);
        }
    }
}

/// For `./x bench watch`: how many of the faults are found.
#[test]
#[ignore = "a benchmark"]
fn all_faults() {
    let (mut number, mut found, mut alone, mut shown) = (0, 0, 0, 0);
    for (name, main) in PROGRAMS {
        let sound = compiled(name, "sound", None);
        let options = ["watch", "--suite", "tests", "-cp", "app", "--json", "watch.json"];
        cupping(&sound, &[&options[..], &[main]].concat());
        let sound = outcomes(&report(&sound));
        let alarms = sound.iter().filter(|((_, outcome), _)| outcome == "failed-test").count();
        println!("{name}: {alarms} false alarms without a fault");
        for fault in faults(name) {
            let (is_noticed, counts) = with_fault(name, main, &fault);
            assert!(!is_noticed, "{name}: the suite notices: {}", fault.what);
            let failed: Vec<&String> = counts
                .keys()
                .filter(|(_, outcome)| outcome == "failed-test")
                .map(|(method, _)| method)
                .collect();
            let is_found = failed.contains(&&fault.method);
            let of_method = |counts: &BTreeMap<(String, String), u64>| {
                counts
                    .iter()
                    .filter(|((method, outcome), _)| {
                        *method == fault.method && !matches!(outcome.as_str(), "success" | "path-success")
                    })
                    .map(|(key, count)| (key.clone(), *count))
                    .collect::<Vec<_>>()
            };
            let is_shown = of_method(&counts) != of_method(&sound);
            number += 1;
            found += usize::from(is_found);
            alone += usize::from(is_found && failed.len() == 1);
            shown += usize::from(is_found || is_shown);
            let verdict = if is_found {
                "blamed"
            } else if is_shown {
                "other outcomes"
            } else {
                "missed"
            };
            println!("  {verdict:14} {}: {}", fault.method, fault.what);
        }
    }
    println!(
        "{number} faults: {found} blamed on the right method ({alone} on no other), {} more change its other outcomes",
        shown - found
    );
}

#[test]
fn the_regression_set_of_changed_classes() {
    let folder = compiled("routes", "changed", None);
    let options =
        ["watch", "--suite", "tests", "-cp", "app", "--json", "watch.json", "--changed", "routes.Heap"];
    cupping(&folder, &[&options[..], &["routes.Planner"]].concat()).expect(0);
    let report = report(&folder);
    let triples = report["regression"]["triples"].as_array().unwrap();
    let about = |method: &str| triples.iter().filter(|it| it["method"] == method).count();
    // A path through a graph needs the heap; a time of day does not.
    assert!(about("routes.Heap.insert") > 0 && about("routes.Graph.way") > 0, "{triples:#?}");
    assert_eq!(about("routes.Clock.show"), 0, "{triples:#?}");
}
