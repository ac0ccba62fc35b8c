//! Options that commands share mean the same in all of them (`fixtures/options`).

mod support;

use jsonschema::Validator;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use support::{Run, compile, contents, cupping, files, repository, scratch};

/// Where Debian has JUnit.
const JARS: &str = "/usr/share/java";
const STANDALONE: &str = "/usr/share/java/junit-platform-console-standalone.jar";

/// A command on the fixture, and the shared options that it has.
struct Command {
    args: &'static [&'static str],
    shares: &'static [&'static str],
}

const ALL: [&str; 7] = ["--jdk", "--json", "--html", "--quiet", "--color", "--budget", "--jobs"];

const COMMANDS: [Command; 11] = [
    Command {
        args: &["generate", "shop.Box", "-cp", "classes", "--out", "tests", "--budget", "2s"],
        shares: &ALL,
    },
    Command { args: &["dataflow", "shop.Box", "-cp", "classes", "--budget", "0s"], shares: &ALL },
    Command {
        args: &["infer", "shop.Box", "-cp", "classes", "--budget", "0s", "--executions", "200"],
        shares: &ALL,
    },
    Command {
        args: &["mutants", "shop.Box", "-cp", "classes", "--suite", "suite", "--sample", "3"],
        shares: &ALL,
    },
    Command { args: &["diff", "classes", "classes", "--budget", "0s"], shares: &ALL },
    Command {
        args: &[
            "exhaust",
            "--repok",
            "shop.Box.repOk",
            "--method",
            "put",
            "--scope",
            SCOPE,
            "-cp",
            "classes",
        ],
        shares: &ALL,
    },
    Command { args: &["watch", "-cp", "classes", "--suite", "suite", "shop.Main"], shares: &ALL },
    Command { args: &["run", "-cp", "classes", "shop.Main"], shares: &["--jdk"] },
    Command {
        args: &["spec", "check", "box.tj", "-cp", "classes"],
        shares: &["--jdk", "--quiet", "--color", "--jobs"],
    },
    Command { args: &["check", "shop.Box", "-cp", "classes", "--tests", "generated"], shares: &ALL },
    Command { args: &["doctor"], shares: &["--jdk", "--color"] },
];

const SCOPE: &str = "Box=1,size=0..3,n=0..2";

impl Command {
    fn name(&self) -> &'static str {
        self.args[0]
    }

    /// Runs it on the fixture, in a separate folder for this purpose.
    fn run(&self, purpose: &str, more: &[&str]) -> (Run, PathBuf) {
        let folder = fixture(&format!("options-{}-{purpose}", self.name()));
        // Words after the main class of `watch` and `run` belong to the program; `spec check` is two words.
        let (first, rest) = self.args.split_at(if self.name() == "spec" { 2 } else { 1 });
        (cupping(&folder, &[first, more, rest].concat()), folder)
    }

    /// The commands that share an option.
    fn with(option: &'static str) -> impl Iterator<Item = &'static Command> {
        COMMANDS.iter().filter(move |command| command.shares.contains(&option))
    }
}

/// A folder with the fixture, which is compiled once.
fn fixture(name: &str) -> PathBuf {
    static COMPILED: OnceLock<PathBuf> = OnceLock::new();
    let compiled = COMPILED.get_or_init(|| {
        let folder = scratch("options-compiled");
        let sources = repository().join("fixtures/options");
        let jars = ["junit4", "hamcrest", "junit-jupiter-api", "apiguardian-api", "opentest4j"];
        let jars = jars.map(|jar| format!("{JARS}/{jar}.jar")).join(":");
        fs::create_dir(folder.join("classes")).unwrap();
        fs::create_dir(folder.join("suite")).unwrap();
        compile(&files(&sources.join("shop")), "", &folder.join("classes"));
        let path = format!("{}:{jars}", folder.join("classes").display());
        compile(&files(&sources.join("suite")), &path, &folder.join("suite"));
        let generate = ["generate", "shop.Box", "-cp", "classes", "--out", "generated", "--work", "500ms"];
        cupping(&folder, &generate).expect(0);
        folder
    });
    let folder = scratch(name);
    for part in ["classes", "suite", "generated"] {
        copy(&compiled.join(part), &folder.join(part));
    }
    let specification = "package shop;\n\ntest Box {\n    testcase empty {\n        requirement Box b = new Box();\n        \
                         (true) requiredBy b.size() ensure (result == 0);\n    }\n}\n";
    fs::write(folder.join("box.tj"), specification).unwrap();
    folder
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

/// The feature version and the folder of the detected JDK.
fn jdk() -> (String, String) {
    let text = cupping(&scratch("options-jdk"), &["doctor"]).stdout;
    let line = text.lines().find_map(|line| line.strip_prefix("JDK      ")).unwrap();
    let (version, folder) = line.split_once(" in ").unwrap();
    (version.to_owned(), folder.to_owned())
}

#[test]
fn a_jdk_is_named_by_version_or_folder() {
    let (version, folder) = jdk();
    for command in Command::with("--jdk") {
        let (plain, _) = command.run("jdk-none", &[]);
        for (purpose, name) in [("jdk-version", &version), ("jdk-folder", &folder)] {
            let (run, _) = command.run(purpose, &["--jdk", name]);
            assert_eq!(run.code, plain.code, "{} --jdk {name}: {}", command.name(), run.stderr);
            assert_eq!(without_times(&run.stdout), without_times(&plain.stdout), "{}", command.name());
        }
        let (run, _) = command.run("jdk-bad", &["--jdk", "3"]);
        let text = run.stdout + &run.stderr;
        assert_eq!(run.code, Some(2), "{}: {text}", command.name());
        assert!(text.contains("no JDK 3 found in JAVA_HOME, on PATH or in"), "{}: {text}", command.name());
    }
}

/// Text without what differs from run to run.
fn without_times(text: &str) -> String {
    let is_time = |word: &&str| !word.ends_with('s') || !word.starts_with(|c: char| c.is_ascii_digit());
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
            let seconds =
                |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with('s') && next.len() < 3);
            let kept = words.iter().enumerate().filter(|(at, word)| is_time(word) && !seconds(*at));
            kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ") + "\n"
        })
        .collect()
}

#[test]
fn junit_is_named_by_jar_or_folder() {
    let cases: [(&str, &[&str]); 6] = [
        ("generate", &[]),
        ("dataflow", &["--suite", "suite", "--out", "tests"]),
        ("infer", &["--suite", "suite"]),
        ("mutants", &[]),
        ("watch", &[]),
        ("doctor", &[]),
    ];
    for (name, more) in cases {
        let command = COMMANDS.iter().find(|it| it.name() == name).unwrap();
        for (purpose, named) in [("junit-file", STANDALONE), ("junit-folder", JARS)] {
            let (run, _) = command.run(purpose, &[more, &["--junit-jar", named]].concat());
            assert_eq!(run.code, Some(0), "{name} --junit-jar {named}: {}\n{}", run.stdout, run.stderr);
        }
        let (run, _) = command.run("junit-bad", &[more, &["--junit-jar", "nowhere.jar"]].concat());
        let text = run.stdout + &run.stderr;
        assert_eq!(run.code, Some(2), "{name}: {text}");
        assert!(text.contains("nowhere.jar: no such JUnit jar; correct --junit-jar"), "{name}: {text}");
    }
}

/// A class with tests is found whatever its name: `BoxTestCase`, and `BoxBehaviour` by its content.
#[test]
fn suites_are_found_by_every_command() {
    for name in ["dataflow", "infer", "mutants", "watch"] {
        let command = COMMANDS.iter().find(|it| it.name() == name).unwrap();
        let more: &[&str] = if matches!(name, "dataflow" | "infer") { &["--suite", "suite"] } else { &[] };
        let (run, _) = command.run("suite", &[more, &["--verbose"]].concat());
        let run = run.expect(0);
        assert!(run.stderr.contains("suite suite: 2 classes with tests"), "{name}: {}", run.stderr);
        let (run, _) = command.run("suite-none", &[&["--suite", "classes"], more].concat());
        assert_eq!(run.code, Some(2), "{name}");
        assert!(run.stderr.contains("--suite classes: it has no test classes"), "{name}: {}", run.stderr);
    }
}

fn schema() -> Validator {
    let text = fs::read_to_string(repository().join("docs/json-schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[test]
fn reports_have_one_envelope() {
    let schema = schema();
    for command in Command::with("--json") {
        let (run, folder) =
            command.run("json", &["--json", "report.json", "--html", "pages", "--color", "never"]);
        let text = fs::read_to_string(folder.join("report.json")).unwrap_or_else(|_| panic!("{run:?}"));
        let report: Value = serde_json::from_str(&text).unwrap();
        let wrong: Vec<String> =
            schema.iter_errors(&report).map(|it| format!("{}: {it}", it.instance_path())).collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}\n{text}", command.name());
        assert_eq!(report["command"], command.name());
        assert_eq!(report["status"], "complete", "{text}");
        let index = fs::read_to_string(folder.join("pages/index.html")).unwrap();
        assert!(index.contains("<html"), "{}: {index}", command.name());
    }
}

/// A missing class is in the report, and the others are processed.
#[test]
fn a_class_that_is_missing_is_an_error_of_the_report() {
    let schema = schema();
    for command in Command::with("--jobs").filter(|it| matches!(it.name(), "generate" | "dataflow" | "infer"))
    {
        let (run, folder) =
            command.run("missing", &["shop.Crate", "--json", "report.json", "--html", "pages"]);
        assert_eq!(run.code, Some(2), "{}: {}", command.name(), run.stderr);
        assert!(run.stderr.contains("shop.Crate"), "{}", run.stderr);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
        assert!(schema.is_valid(&report), "{report:#}");
        assert_eq!(report["status"], "partial");
        assert_eq!(report["errors"][0]["subject"], "shop.Crate", "{report:#}");
        assert_eq!(report["results"]["classes"].as_array().map(Vec::len), Some(2));
        let index = fs::read_to_string(folder.join("pages/index.html")).unwrap();
        assert!(index.contains("<h1>2 classes</h1>"), "{index}");
    }
}

#[test]
fn quiet_prints_errors_only() {
    for command in Command::with("--quiet") {
        let (run, _) = command.run("quiet", &["--quiet"]);
        // The program in test mode still prints its output.
        let printed = if command.name() == "watch" { "1\n" } else { "" };
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.as_str()),
            (Some(0), printed, ""),
            "{}",
            command.name()
        );
        let (run, _) = command.run("verbose-quiet", &["--quiet", "--verbose"]);
        assert_eq!(run.code, Some(2), "{}", command.name());
        let (run, _) = command.run("verbose", &["--verbose"]);
        let run = run.expect(0);
        assert!(run.stderr.starts_with("cupping: JDK "), "{}: {}", command.name(), run.stderr);
        assert!(!run.stdout.is_empty(), "{}", command.name());
    }
}

#[test]
fn values_that_are_wrong_are_refused_with_one_message() {
    for (option, value, said) in [
        (
            "--color",
            "pink",
            "error: invalid value 'pink' for '--color <WHEN>'\n  [possible values: auto, always, never]",
        ),
        ("--budget", "soon", "'soon' is not a time; write it as 500ms, 10s or 2m"),
        ("--jobs", "0", "error: invalid value '0' for '--jobs <N>'"),
    ] {
        for command in Command::with(option) {
            let folder = scratch(&format!("options-wrong-{}", command.name()));
            let words: Vec<&str> = match command.name() {
                "spec" => vec!["spec", "check", option, value, "box.tj"],
                "doctor" => vec!["doctor", option, value],
                name => vec![name, option, value, "x.Y"],
            };
            let run = cupping(&folder, &words);
            assert_eq!(run.code, Some(2), "{words:?}");
            assert!(run.stderr.contains(said), "{words:?}: {}", run.stderr);
        }
    }
}

#[test]
fn colours_are_printed_when_they_are_asked_for() {
    let command = &COMMANDS[0];
    let (run, _) = command.run("colour", &["--color", "always"]);
    assert!(run.stdout.contains("\u{1b}["), "{}", run.stdout);
    for more in [&["--color", "never"][..], &["--color", "auto"], &[]] {
        let (run, _) = command.run("no-colour", more);
        assert!(!run.stdout.contains('\u{1b}'), "{more:?}: {}", run.stdout);
    }
}

/// Multiplies the fixture so that several threads are worthwhile: two suites, testcases of which one fails, and
/// copies of the generated test.
fn multiply(folder: &Path) {
    for (suite, test) in [("one", "BoxBehaviour"), ("other", "BoxTestCase")] {
        for file in files(&folder.join("suite")) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with(test) {
                fs::create_dir_all(folder.join(suite).join("shop")).unwrap();
                fs::copy(&file, folder.join(suite).join("shop").join(name)).unwrap();
            }
        }
    }
    let mut specification = "package shop;\n\ntest Box {\n".to_owned();
    for at in 0..40 {
        let size = if at == 21 { 2 } else { 0 };
        specification += &format!(
            "    testcase empty{at} {{\n        requirement Box b = new Box();\n        requirement int n in -9 .. {at};\n        \
                                   (n < 9) requiredBy b.size() ensure (result == {size});\n    }}\n"
        );
    }
    fs::create_dir(folder.join("specs")).unwrap();
    fs::write(folder.join("specs/many.tj"), specification + "}\n").unwrap();
    let generated = fs::read_to_string(folder.join("generated/shop/BoxTest.java")).unwrap();
    fs::create_dir_all(folder.join("many/shop")).unwrap();
    for at in 0..30 {
        let copy = generated.replace("BoxTest", &format!("Box{at}Test"));
        fs::write(folder.join(format!("many/shop/Box{at}Test.java")), copy).unwrap();
    }
}

/// Results with any number of threads: the same bytes except for times.
#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let cases: [&[&str]; 7] = [
        &["watch", "-cp", "classes", "--suite", "one", "--suite", "other", "--specs", "specs", "shop.Main"],
        &["check", "-cp", "classes", "--tests", "many"],
        &["generate", "shop.*", "-cp", "classes", "--budget", "20s", "--out", "tests"],
        &["dataflow", "shop.*", "-cp", "classes", "--budget", "4s", "--out", "tests", "--each"],
        &["infer", "shop.*", "-cp", "classes", "--budget", "2s", "--executions", "300", "--out", "tests"],
        &["mutants", "shop.Box", "-cp", "classes", "--suite", "suite"],
        &["exhaust", "--repok", "shop.Box.repOk", "--method", "put", "--scope", SCOPE, "-cp", "classes"],
    ];
    for args in cases {
        let [one, three] = ["1", "3"].map(|jobs| {
            let folder = fixture(&format!("options-jobs-{}-{jobs}", args[0]));
            multiply(&folder);
            let more = ["--jobs", jobs, "--json", "out/report.json", "--html", "out/pages"];
            let run = cupping(&folder, &[&args[..1], &more, &args[1..]].concat());
            assert_eq!(run.code, Some(0), "{args:?}: {}\n{}", run.stdout, run.stderr);
            let mut left = contents(&folder.join("out"));
            if folder.join("tests").exists() {
                left.extend(contents(&folder.join("tests")));
            }
            let report = left.get_mut(Path::new("report.json")).unwrap();
            let times = report.lines().filter(|line| !line.contains("\"time_ms\""));
            *report = times.collect::<Vec<_>>().join("\n");
            (without_times(&run.stdout), left)
        });
        assert_eq!(one.0, three.0, "{args:?}");
        assert_eq!(one.1.keys().collect::<Vec<_>>(), three.1.keys().collect::<Vec<_>>());
        for (path, text) in &one.1 {
            assert!(three.1[path] == *text, "{args:?}: {} differs", path.display());
        }
    }
}

/// The budget of test mode limits the calls that are checked, and nothing else: the program behaves the same.
#[test]
fn a_budget_bounds_the_calls_that_are_watched() {
    let folder = fixture("options-budget-watch");
    let source = "package shop;\n\npublic class Busy {\n    public static void main(String[] args) {\n        int sum = 0;\n        \
                  for (int i = 0; i < 1200; i++) {\n            Box box = new Box();\n            box.put(i & 3);\n            \
                  sum += box.size();\n        }\n        System.out.println(sum);\n    }\n}\n";
    fs::write(folder.join("Busy.java"), source).unwrap();
    compile(
        &[folder.join("Busy.java")],
        &folder.join("classes").display().to_string(),
        &folder.join("classes"),
    );
    let watched = |more: &[&str]| -> (String, u64, u64) {
        let args =
            ["watch", "-cp", "classes", "--suite", "suite", "--overhead", "0", "--json", "report.json"];
        let run = cupping(&folder, &[&args, more, &["shop.Busy"]].concat()).expect(0);
        let text = fs::read_to_string(folder.join("report.json")).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        let number = |name: &str| report["results"][name].as_u64().unwrap();
        (run.stdout, number("calls"), number("skipped"))
    };
    let (printed, all, skipped) = watched(&[]);
    // 0 + 1 + 2 + 3 for each four rounds.
    assert_eq!((printed.as_str(), skipped), ("1800\n", 0));
    assert!(all >= 2_400, "{all} calls");
    let few = watched(&["--budget", "1ms"]);
    assert_eq!((few.0.as_str(), few.1 + few.2), ("1800\n", all));
    // A call costs at least eight steps, and a millisecond has 10,000.
    assert!(few.1 > 0 && few.1 <= 1_250, "{} calls", few.1);
    assert_eq!(watched(&["--budget", "1ms"]), few, "the budget counts work");
}

#[test]
fn a_budget_for_rewriting_takes_the_place_of_the_recorded_one() {
    let folder = fixture("options-budget-check");
    let check = |more: &[&str]| {
        cupping(&folder, &[&["check", "shop.Box", "-cp", "classes", "--tests", "generated"], more].concat())
    };
    let run = check(&["--budget", "1s"]).expect(2);
    assert!(run.stderr.contains("--update"), "{}", run.stderr);
    let test = folder.join("generated/shop/BoxTest.java");
    let before = fs::read_to_string(&test).unwrap();
    assert!(before.lines().next().unwrap().contains("--work 500ms"), "{before}");
    let source = fs::read_to_string(repository().join("fixtures/options/shop/Box.java")).unwrap();
    fs::write(folder.join("Box.java"), source.replace("return size;", "return size + 1;")).unwrap();
    compile(&[folder.join("Box.java")], "", &folder.join("classes"));
    check(&[]).expect(1);
    check(&["--update", "--budget", "700ms", "--jobs", "2"]).expect(0);
    let after = fs::read_to_string(&test).unwrap();
    let first = after.lines().next().unwrap();
    assert!(first.contains("--work 700ms") && !first.contains("500ms"), "{first}");
    check(&[]).expect(0);
}

#[test]
fn completions_and_man_pages_know_every_command() {
    let folder = scratch("options-completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = cupping(&folder, &["completions", shell]).expect(0).stdout;
        for word in COMMANDS.iter().map(Command::name).chain(["junit-jar", "source-path"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    cupping(&folder, &["completions", "tcsh"]).expect(2);
    let page = cupping(&folder, &["man"]).expect(0).stdout;
    assert!(page.contains(".TH cupping 1"), "{page}");
    cupping(&folder, &["man", "pages"]).expect(0);
    for command in &COMMANDS {
        let page = fs::read_to_string(folder.join(format!("pages/cupping-{}.1", command.name()))).unwrap();
        assert!(page.contains(&format!(".TH cupping-{} 1", command.name())), "{page}");
    }
    let page = fs::read_to_string(folder.join("pages/cupping-generate.1")).unwrap();
    assert!(page.contains("\\-\\-junit\\-jar"), "{page}");
    assert!(folder.join("pages/cupping-spec-check.1").is_file());
}
