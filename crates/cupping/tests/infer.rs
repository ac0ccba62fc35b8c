//! `cupping infer` from the outside.

mod support;
#[path = "support/weave.rs"]
mod weave;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{compile, cupping, files, repository, scratch};

/// Compiles a subject and its suite into `classes` and `suite`.
fn subject(folder: &Path, name: &str) {
    let fixtures = repository().join("fixtures/infer");
    compile(&[fixtures.join(format!("subjects/{name}.java"))], "", &folder.join("classes"));
    let jars = "/usr/share/java/junit-jupiter-api.jar:/usr/share/java/apiguardian-api.jar";
    let path = format!("{}:{jars}", folder.join("classes").display());
    compile(&[fixtures.join(format!("suites/{name}Test.java"))], &path, &folder.join("suite"));
}

/// The example of the slides: what a suite suggests about `top`, and the test that violates it.
#[test]
fn exploration_refutes_what_a_suite_suggests() {
    let folder = scratch("infer-suite");
    subject(&folder, "UBStack");
    // The command is that of the manual.
    let manual = fs::read_to_string(repository().join("docs/infer.md")).expect("there is a manual");
    let command = manual.lines().find_map(|it| it.strip_prefix("$ cupping ")).expect("it has an example");
    let run = cupping(&folder, &command.split(' ').collect::<Vec<_>>()).expect(0);
    assert_eq!(run.stderr, "");
    let story = run.stdout.split("executions by tests").last().unwrap_or_default();
    let selected: Vec<&str> = story.split("\n  new behaviour: ").collect();
    let of_top = selected.iter().find(|it| it.starts_with("new UBStack(); push(-1); top()\n"));
    let of_top = of_top.unwrap_or_else(|| panic!("{story}"));
    assert!(of_top.contains("violates (result == -1) == (this.numberOfElements == 0)"), "{of_top}");
    assert!(run.stdout.ends_with("\nfixed point\n"), "{story}");
}

/// Tests are certified. The recorded specification holds for the class, parses, and is violated by a fault.
#[test]
fn recorded_specifications_are_checked() {
    let folder = scratch("infer-record");
    subject(&folder, "UBStack");
    let arguments =
        ["infer", "-cp", "classes", "subjects.UBStack", "--budget", "0s", "--executions", "1500", "-q"];
    let with = |more: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(more).copied().collect();
        cupping(&folder, &all)
    };
    let run = with(&["--write", "specs", "--out", "tests"]).expect(0);
    assert_eq!(run.stderr, "");
    let tests = fs::read_to_string(folder.join("tests/subjects/UBStackTest.java")).expect("it is written");
    assert!(tests.contains("@Test"), "{tests}");
    let check = cupping(&folder, &["spec", "check", "specs/subjects.UBStack.tj", "-cp", "classes"]);
    assert!(check.stdout.contains(" 0 failed"), "{}", check.stdout);
    assert_eq!(
        with(&["--check", "specs"]).expect(0).stdout,
        "subjects.UBStack: it meets its recorded specification\n"
    );
    let source =
        fs::read_to_string(repository().join("fixtures/infer/subjects/UBStack.java")).expect("it is there");
    let faulty = source.replace("numberOfElements < max", "numberOfElements <= max");
    assert_ne!(source, faulty);
    let file: PathBuf = folder.join("UBStack.java");
    fs::write(&file, faulty).expect("it can be written");
    compile(&[file], "", &folder.join("classes"));
    let run = with(&["--check", "specs"]).expect(1);
    assert!(run.stdout.contains("does not throw java.lang.ArrayIndexOutOfBoundsException"), "{}", run.stdout);
    assert!(run.stdout.contains("by: new UBStack(); push("), "{}", run.stdout);
}

/// The bits of a `float` or `double` are no address of an object.
#[test]
fn results_of_static_methods_are_no_objects_unless_they_are() {
    let folder = scratch("infer-floats");
    let source = folder.join("Scale.java");
    let text = "public final class Scale {
        private final int by;
        private Scale(int by) { this.by = by; }
        public static Scale of(int by) { return new Scale(by); }
        public static float large(float x) { return x > 1.5f ? x * 3e30f : -1e35f; }
        public static double larger(double x) { return x > 1.5 ? x * 3e300 : -1e305; }
        public int by() { return by; }
    }";
    fs::write(&source, text).unwrap();
    compile(&[source], "", &folder.join("classes"));
    let run =
        cupping(&folder, &["infer", "-cp", "classes", "Scale", "--budget", "1s", "--executions", "300"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.contains("result == this.by"), "{}", run.stdout);
}

#[test]
fn missing_records_are_reported() {
    let folder = scratch("infer-none");
    subject(&folder, "UBStack");
    let run = cupping(
        &folder,
        &["infer", "-cp", "classes", "subjects.UBStack", "--budget", "0s", "--check", "specs"],
    );
    assert!(run.expect(2).stderr.contains("record it with --write"));
}

/// The recorded specifications of the subjects are accepted by their tools: the specifications hold as unit tests,
/// the classes with the assertions compile, and no assertion fails in the suites.
#[test]
fn written_specifications_pass_their_check() {
    accepted("infer-outputs", &["--budget", "0s", "--executions", "1500"]);
}

/// The same of what suites suggest.
#[test]
fn specifications_from_suites_pass_their_check() {
    accepted("infer-outputs-suite", &["--suite", "suite", "--executions", "600"]);
}

fn accepted(name: &str, more: &[&str]) {
    const CONSOLE: &str = "/usr/share/java/junit-platform-console-standalone.jar";
    let folder = scratch(name);
    let fixtures = repository().join("fixtures/infer");
    let path = |it: &str| format!("{}:{CONSOLE}", folder.join(it).display());
    compile(&files(&fixtures.join("subjects")), "", &folder.join("classes"));
    compile(&files(&fixtures.join("suites")), &path("classes"), &folder.join("suite"));
    let arguments = ["infer", "-cp", "classes", "subjects.*", "--axiomatic", "--paths", "0"];
    cupping(&folder, &[&arguments[..], more, &["-q", "--write", "specs"]].concat()).expect(0);
    let check = cupping(&folder, &["spec", "check", "specs", "-cp", "classes"]).expect(0);
    assert!(check.stdout.contains(" 0 failed"), "{}", check.stdout);
    let mut woven = Vec::new();
    for file in files(&fixtures.join("subjects")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let assertions = folder.join(format!("specs/subjects.{name}.assertions.java"));
        let assertions = fs::read_to_string(assertions).expect("it is written");
        let source = weave::weave(&fs::read_to_string(&file).expect("it is there"), &assertions);
        let file = folder.join(format!("{name}.java"));
        fs::write(&file, source).expect("it can be written");
        woven.push(file);
    }
    compile(&woven, "", &folder.join("woven"));
    let mut java = Command::new("java");
    java.args(["-ea", "-XX:TieredStopAtLevel=1", "-cp", &path("woven")]);
    java.args(["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--scan-classpath"]);
    let suite = folder.join("suite").display().to_string();
    java.args([&suite, "-cp", &suite, "--details", "tree"]);
    let run = java.output().expect("java can be run");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}");
    let failed = said.lines().find(|it| it.contains("tests failed")).unwrap_or_default();
    assert_eq!(failed.split_whitespace().nth(1), Some("0"), "{said}");
    let found = said.lines().find_map(|it| it.strip_suffix("tests successful      ]")).unwrap_or_default();
    let found: usize = found.trim_matches(['[', ' ']).parse().unwrap_or(0);
    assert!(found > 20, "{said}");
}

/// The outcomes of each method of a program in test mode, without the harmless ones.
fn alarms(folder: &Path) -> (Vec<String>, u64) {
    let text = fs::read_to_string(folder.join("watch.json")).expect("it is written");
    let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let (mut alarms, mut good) = (BTreeSet::new(), 0);
    for site in report["results"]["sites"].as_array().expect("there are sites") {
        for (outcome, count) in site["counts"].as_object().expect("they are counted") {
            match outcome.as_str() {
                "success" => good += count.as_u64().unwrap_or_default(),
                "failed-test" | "incorrect-call" | "path-anomaly" => {
                    alarms.insert(format!("{} {outcome}", site["method"].as_str().unwrap_or_default()));
                }
                _ => {}
            }
        }
    }
    (alarms.into_iter().collect(), good)
}

/// Inferred specifications can be watched: no alarm on correct programs, which use the classes in untried ways.
#[test]
fn inferred_specifications_can_be_watched() {
    watched("develop", "programs.Uses", &["Board", "Line", "Purse", "Signal", "Words"]);
}

/// The same for classes that were not used during development.
#[test]
fn inferred_specifications_of_unseen_classes_can_be_watched() {
    watched("judge", "programs.Others", &["Amount", "Basket", "Door", "Gauge", "Table"]);
}

fn watched(part: &str, main: &str, classes: &[&str]) {
    let folder = scratch(&format!("infer-watched-{part}"));
    let fixtures = repository().join("fixtures/infer");
    let program = fixtures.join(format!("{}.java", main.replace('.', "/")));
    let source = |name: &str| fixtures.join(format!("truths/{part}/{name}.java"));
    let mut sources: Vec<PathBuf> = classes.iter().map(|it| source(it)).collect();
    sources.push(program);
    compile(&sources, "", &folder.join("classes"));
    let names: Vec<String> = classes.iter().map(|it| format!("truths.{it}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let infer = ["infer", "-cp", "classes", "--axiomatic", "--budget", "0s", "--executions", "3000", "-q"];
    cupping(&folder, &[&infer[..], &["--write", "specs"], &names[..]].concat()).expect(0);
    let check = cupping(&folder, &["spec", "check", "specs", "-cp", "classes"]).expect(0);
    assert!(check.stdout.contains(" 0 failed"), "{}", check.stdout);
    let plain = cupping(&folder, &["run", "-cp", "classes", main]).expect(0);
    let watch = ["watch", "--specs", "specs", "-cp", "classes", "--json", "watch.json", main];
    let run = cupping(&folder, &watch).expect(0);
    assert_eq!(run.stdout, plain.stdout);
    let (found, good) = alarms(&folder);
    assert!(found.is_empty(), "{found:?}\n{}", run.stderr);
    assert!(good > 100, "{good} calls succeeded\n{}", run.stderr);
}
