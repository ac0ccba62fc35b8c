//! Cupping in projects of Maven, Gradle and Bazel, and in a plain folder (`fixtures/projects`): from a clone to tests
//! that the build tool runs. The builds need no network: their plugins and libraries are Debian's packages.
#![cfg(unix)]

#[path = "projects/bazel.rs"]
mod bazel;
mod support;

use jsonschema::Validator;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use support::{Run, files, repository, scratch};

/// Debian's replacement for Maven's downloads.
const DEBIAN: &str = "/usr/share/maven-repo";

/// A local repository of Maven: links into Debian's, next to which Maven writes its notes.
fn local_repository() -> &'static Path {
    static REPOSITORY: OnceLock<PathBuf> = OnceLock::new();
    REPOSITORY.get_or_init(|| {
        let folder = scratch("maven-repository");
        for file in files(Path::new(DEBIAN)) {
            let link = folder.join(file.strip_prefix(DEBIAN).unwrap());
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&file, &link).unwrap();
        }
        folder
    })
}

/// A copy of a project of the fixtures, with its own home folder.
struct Copy {
    folder: PathBuf,
    home: PathBuf,
}

impl Copy {
    fn of(name: &str) -> Copy {
        let scratch = scratch(&format!("project-{name}"));
        let copy = Copy { folder: scratch.join(name), home: scratch.join("home") };
        let from = repository().join("fixtures/projects").join(name);
        for file in files(&from) {
            let to = copy.folder.join(file.strip_prefix(&from).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&file, to).unwrap();
        }
        let settings = format!(
            "<settings><localRepository>{}</localRepository><offline>true</offline></settings>",
            local_repository().display()
        );
        fs::create_dir_all(copy.home.join(".m2")).unwrap();
        fs::write(copy.home.join(".m2/settings.xml"), settings).unwrap();
        copy
    }

    /// A command in the project or a folder of it, with the home folder of the copy.
    fn command(&self, program: &str, folder: &str, args: &[&str]) -> Output {
        let java = format!("-Duser.home={}", self.home.display());
        let gradle = format!("{java} -Dorg.gradle.daemon=false");
        let mut command = Command::new(program);
        command.current_dir(self.folder.join(folder)).args(args).env("HOME", &self.home);
        command
            .env("XDG_CACHE_HOME", self.home.join("cache"))
            .env("MAVEN_OPTS", java)
            .env("GRADLE_OPTS", gradle);
        command.output().unwrap()
    }

    fn cupping(&self, folder: &str, args: &[&str]) -> Run {
        let output = self.command(env!("CARGO_BIN_EXE_cupping"), folder, args);
        Run {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs the build tool; returns its output if it succeeded.
    #[track_caller]
    fn build(&self, program: &str, args: &[&str]) -> String {
        let output = self.command(program, "", args);
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{text}");
        text
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}

/// Generated tests of two modules pass in `mvn test`, beside a test class of the project's own; the class path of the
/// second module has the classes of the first.
#[test]
fn tests_for_a_maven_project_pass_in_its_build() {
    let project = Copy::of("maven");
    let own = project.read("core/src/test/java/depot/core/ArticleTest.java");
    project.cupping("", &["generate", "--budget", "5s"]).expect(0);
    assert_eq!(project.read("core/src/test/java/depot/core/ArticleTest.java"), own);
    let article = project.read("core/src/test/java/depot/core/ArticleCuppingTest.java");
    assert!(article.contains("org.junit.jupiter.api.Test"), "{article}");
    let orders = project.read("service/src/test/java/depot/service/OrdersTest.java");
    assert!(orders.contains("depot.core"), "{orders}");
    let printed = project.build("mvn", &["-B", "test"]);
    let ran = |class: &str| printed.lines().any(|line| line.contains("Tests run:") && line.ends_with(class));
    for class in ["ArticleTest", "ArticleCuppingTest", "OrdersTest", "PostageTest"] {
        assert!(ran(class), "{class}: {printed}");
    }

    // A module by its folder, a class by its name from anywhere, and the project's own tests as a suite.
    let known = project.cupping("service", &["project"]).expect(0).stdout;
    assert!(known.contains("module   depot-core\n") && known.contains("uses     JUnit 5\n"), "{known}");
    // The file of a class is as good as its name.
    let one = project
        .cupping("", &["generate", "core/src/main/java/depot/core/Article.java", "--out", "one"])
        .expect(0);
    assert!(one.stdout.contains("depot.core.Article") && !one.stdout.contains("Postage"), "{}", one.stdout);
    let survivors =
        project.cupping("service", &["mutants", "depot.core.Article", "--json", "r.json"]).expect(0);
    assert!(
        survivors.stdout.contains("suite 1: ") && survivors.stdout.contains("changed bound"),
        "{}",
        survivors.stdout
    );
    documents_cover_all_modules(&project);
    let unknown = project.cupping("", &["generate", "--module", "depot-cor"]).expect(2);
    assert!(unknown.stderr.contains("did you mean depot-core?"), "{}", unknown.stderr);
    let other =
        project.cupping("", &["generate", "depot.service.Postage", "--module", "depot-core"]).expect(2);
    assert!(other.stderr.contains("is in module depot-service: name that one"), "{}", other.stderr);
}

/// The documents of a command that runs once for each module have the classes of all.
#[track_caller]
fn documents_cover_all_modules(project: &Copy) {
    let json = |file: &str| -> serde_json::Value { serde_json::from_str(&project.read(file)).expect("JSON") };
    let documents = ["--json", "r.json", "--html", "pages", "--sarif", "r.sarif"];
    let generate = ["generate", "--budget", "2s", "--out", "elsewhere"];
    project.cupping("", &[&generate[..], &documents].concat()).expect(0);
    let report = json("r.json");
    let classes = report["results"]["classes"].as_array().expect("classes");
    let names: Vec<&str> = classes.iter().filter_map(|it| it["class"].as_str()).collect();
    assert_eq!(names, ["depot.core.Article", "depot.service.Orders", "depot.service.Postage"]);
    let index = project.read("pages/index.html");
    assert!(index.contains("<h1>3 classes</h1>") && index.contains("Article") && index.contains("Postage"));
    assert_eq!(json("r.sarif")["version"], "2.1.0");

    // A suite judges the mutants of its own module.
    project.cupping("", &["mutants", "--json", "m.json", "--sample", "40", "--html", "mutants"]).expect(0);
    let scores = json("m.json");
    let rows = scores["results"]["mutants"].as_array().expect("mutants");
    let of_other = |class: &str, suite: usize| {
        let rows = rows.iter().filter(|row| row["class"] == class);
        let mut ends = rows.map(|row| row["ends"][suite].as_str().expect("an end")).peekable();
        ends.peek().is_some() && ends.all(|end| end == "other_module")
    };
    assert!(of_other("depot.core.Article", 1) && of_other("depot.service.Postage", 0), "{scores}");
    assert!(!of_other("depot.core.Article", 0) && !of_other("depot.service.Postage", 1), "{scores}");

    // What generated tests add to the project's own: the second module has none of its own.
    let checked =
        project.cupping("", &["check", "--gain", "--markdown", "c.md", "--json", "c.json"]).expect(0);
    assert!(checked.stdout.contains("mutants detected  own tests"), "{}", checked.stdout);
    assert!(project.read("c.md").contains("### What the generated tests add"), "{}", project.read("c.md"));
    let gain = &json("c.json")["results"]["gain"];
    let figure = |who: &str, what: &str| gain[who][what]["part"].as_u64().expect("a figure");
    for what in ["lines", "branches", "mutants"] {
        let (own, all) = (figure("own", what), figure("all", what));
        assert!(0 < own && own < all, "{what}: {gain}");
        assert!(all <= gain["all"][what]["whole"].as_u64().expect("a figure"), "{what}: {gain}");
    }
}

/// A build that fails is told with what it printed.
#[test]
fn a_build_that_fails_is_told() {
    let project = Copy::of("maven");
    let file = "service/src/main/java/depot/service/Postage.java";
    fs::write(project.folder.join(file), "package depot.service; class Postage { int x = nothing; }")
        .unwrap();
    let run = project.cupping("", &["generate"]).expect(2);
    assert!(
        run.stderr.contains("test-compile failed in") && run.stderr.contains("nothing"),
        "{}",
        run.stderr
    );
}

#[test]
fn tests_for_a_gradle_project_pass_in_its_build() {
    let project = Copy::of("gradle");
    project.cupping("src", &["generate", "--budget", "5s"]).expect(0);
    let test = project.read("src/test/java/ledger/AccountTest.java");
    assert!(test.contains("org.junit.Test"), "JUnit 4 is on the class path: {test}");
    project.build("gradle", &["--offline", "-q", "test"]);
    let results = project.read("build/test-results/test/TEST-ledger.AccountTest.xml");
    assert!(results.contains("failures=\"0\"") && results.contains("<testcase"), "{results}");
}

#[test]
fn a_plain_folder_needs_no_build_tool() {
    let project = Copy::of("plain");
    let run = project.cupping("", &["generate", "--out", "tests", "--budget", "5s"]).expect(0);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    let test = project.read("tests/words/CounterTest.java");
    for kind in ["\"empty\"", "\"prose\"", "\"code\""] {
        assert!(test.contains(kind), "{test}");
    }
    // Nothing in the project has changed except as requested.
    let changed: Vec<PathBuf> =
        files(&project.folder).into_iter().filter(|it| it.ends_with("Counter.class")).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

/// Settings in `cupping.toml` act like typed options, and a mistake is reported at its position.
#[test]
fn options_stand_in_a_file() {
    let project = Copy::of("plain");
    let set = |text: &str| fs::write(project.folder.join("cupping.toml"), text).unwrap();
    set("junit = 4\n\n[generate]\nout = \"checks\"\nbudget = \"5s\"\n");
    // Paths are relative to the file, wherever the command starts.
    project.cupping("src/words", &["generate", "-cp", "../../none", "words.Counter"]).expect(2);
    project.cupping("", &["generate"]).expect(0);
    let test = project.read("checks/words/CounterTest.java");
    assert!(test.contains("org.junit.Test") && test.lines().next().unwrap().contains("--junit 4"), "{test}");
    project.cupping("", &["generate", "--junit", "5", "--out", "typed"]).expect(0);
    assert!(project.read("typed/words/CounterTest.java").contains("org.junit.jupiter"));

    for (text, place, message) in [
        ("[generate]\nbudgte = \"1s\"\n", "cupping.toml:2:1", "did you mean 'budget'?"),
        ("[genrate]\nbudget = \"1s\"\n", "cupping.toml:1:2", "did you mean 'generate'?"),
        ("\nseeed = 1\n", "cupping.toml:2:1", "did you mean 'seed'?"),
        ("[generate]\nbudget = \"soon\"\n", "cupping.toml:2:1", "soon"),
        ("junit = \n", "cupping.toml:1:", ""),
        ("[generate]\nbudget = { a = 1 }\n", "cupping.toml:2:1", "'budget' is not an option value"),
        ("[[classes]]\nbudget = \"1s\"\n", "cupping.toml:1:1", "needs the key `pattern`"),
        ("[[classes]]\npattern = \"a/b\"\n", "cupping.toml:2:1", "'a/b' is not a pattern of classes"),
        ("[[classes]]\npattern = \"a.*\"\nseeed = 1\n", "cupping.toml:3:1", "did you mean 'seed'?"),
        (
            "[[classes]]\npattern = \"a.*\"\nout = \"x\"\n",
            "cupping.toml:3:1",
            "'out' cannot be set for some classes",
        ),
        (
            "[[classes]]\npattern = \"a.*\"\ncheck.budget = \"1s\"\n",
            "cupping.toml:3:7",
            "has no options for some",
        ),
        ("[[classes]]\npattern = \"a.*\"\nbudget = \"soon\"\n", "cupping.toml:3:1", "soon"),
    ] {
        set(text);
        let run = project.cupping("", &["generate"]).expect(2);
        assert!(run.stderr.contains(place) && run.stderr.contains(message), "{text}: {}", run.stderr);
    }
}

/// Options of some classes hold for these only, the later table wins, and classes can be left out.
#[test]
fn some_classes_have_options_of_their_own() {
    let project = Copy::of("plain");
    let other =
        "package words;\npublic class Line { public static int sign(int a) { return a > 0 ? 1 : 0; } }\n";
    fs::write(project.folder.join("src/words/Line.java"), other).unwrap();
    fs::write(project.folder.join("src/words/WordDto.java"), other.replace("Line", "WordDto")).unwrap();
    let rules = "[[classes]]\npattern = \"words.*\"\nbudget = \"2s\"\ngenerate.criterion = [\"boundary\"]\n\n\
                 [[classes]]\npattern = \"**Dto\"\nskip = true\n\n\
                 [[classes]]\npattern = \"words.Line\"\ngenerate.criterion = [\"line\"]\n";
    fs::write(project.folder.join("cupping.toml"), rules).unwrap();
    let run = project.cupping("", &["generate", "--out", "tests", "--json", "r.json"]).expect(0);
    assert!(run.stdout.contains("1 skipped by cupping.toml"), "{}", run.stdout);
    let report: serde_json::Value = serde_json::from_str(&project.read("r.json")).unwrap();
    let has_boundaries = |name: &str| {
        let classes = report["results"]["classes"].as_array().unwrap();
        let class =
            classes.iter().find(|it| it["class"] == name).unwrap_or_else(|| panic!("{name}: {report}"));
        class.to_string().contains("boundary")
    };
    assert!(has_boundaries("words.Counter") && !has_boundaries("words.Line"), "{report}");
    assert!(!report.to_string().contains("WordDto"));
    // Who names a class means it.
    project.cupping("", &["generate", "words.WordDto", "--out", "named"]).expect(0);
    assert!(project.read("named/words/WordDtoTest.java").contains("sign"));
}

/// Tests look like those of the project: indentation, licence, imports, `var` and AssertJ are taken from them.
#[test]
fn tests_have_the_style_of_the_project() {
    let project = Copy::of("plain");
    let own = "/*\n * Copyright The Owners.\n */\npackage words;\n\nimport org.junit.jupiter.api.Test;\n\n\
               import static org.assertj.core.api.Assertions.assertThat;\n\nclass HandTest {\n\t@Test\n\tvoid a() {\n\
               \t\tfinal var counter = new Counter();\n\t\tassertThat(counter.words()).isZero();\n\t}\n}\n";
    fs::create_dir_all(project.folder.join("test/words")).unwrap();
    fs::write(project.folder.join("test/words/HandTest.java"), own).unwrap();
    fs::create_dir_all(project.folder.join("lib")).unwrap();
    for jar in
        ["assertj-core", "junit-jupiter-api", "apiguardian-api", "opentest4j", "junit-platform-commons"]
    {
        fs::copy(format!("/usr/share/java/{jar}.jar"), project.folder.join(format!("lib/{jar}.jar")))
            .unwrap();
    }
    project.cupping("", &["generate", "--budget", "5s", "--out", "made"]).expect(0);
    let test = project.read("made/words/CounterTest.java");
    assert!(test.starts_with("/*\n * Copyright The Owners.\n */\n// Generated by cupping "), "{test}");
    for part in ["\n\t@Test\n", "\t\tfinal var counter = new Counter();\n", ").isEqualTo(\"empty\");\n"] {
        assert!(test.contains(part), "{part}: {test}");
    }
    let at = |text: &str| test.find(text).unwrap_or_else(|| panic!("{text}: {test}"));
    assert!(at("import static org.assertj.core.api.Assertions.assertThat;") > at("import org.junit.jupiter"));
    assert!(!test.contains("assertEquals"), "{test}");
    // The first line names the style and no path, so that an update writes the same style.
    let first = test.lines().nth(3).unwrap();
    assert!(first.contains("--indent tab") && first.contains("--assert-with assertj"), "{first}");
    assert!(!first.contains("licence") && !first.contains("Copyright"), "{first}");
    let source = project.folder.join("src/words/Counter.java");
    change(&source, &fs::read_to_string(&source).unwrap().replace("\"empty\"", "\"none\""));
    project.cupping("", &["check", "--tests", "made", "--update"]).expect(0);
    let updated = project.read("made/words/CounterTest.java");
    assert!(updated.starts_with("/*\n * Copyright The Owners.\n */\n// Generated by cupping "), "{updated}");
    assert!(updated.contains("\n\t@Test\n") && updated.contains(").isEqualTo(\"none\");\n"), "{updated}");
    // What is typed wins, and the file is known as ours below its licence.
    let options = ["--indent", "2", "--locals", "typed", "--assert-with", "framework"];
    let names = ["--test-name-pattern", "test{Name}", "--line-width", "80", "--static-imports", "first"];
    let all = ["generate", "--budget", "5s", "--out", "made"];
    project.cupping("", &[&all[..], &options, &names].concat()).expect(0);
    let test = project.read("made/words/CounterTest.java");
    assert!(test.contains("\n  @Test\n  void test"), "{test}");
    assert!(test.contains("    Counter counter = new Counter();\n") && !test.contains('\t'), "{test}");
    let is_code = |line: &&str| !line.trim_start().starts_with(['/', '*']);
    let longest = test.lines().filter(is_code).map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{longest:?}: {test}");
}

#[test]
fn a_file_of_options_is_written_once() {
    let project = Copy::of("plain");
    project.cupping("", &["init"]).expect(0);
    let written = project.read("cupping.toml");
    assert!(written.contains("\n[generate]\n") && written.contains("\n#budget = "), "{written}");
    project.cupping("", &["generate", "--out", "tests", "--budget", "5s"]).expect(0);
    let again = project.cupping("", &["init"]).expect(2);
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
}

/// A change of behaviour is found with its old and new value, in every document; it can be accepted, or the tests
/// rewritten.
#[test]
fn generated_tests_that_hold_no_longer_are_told() {
    let project = Copy::of("plain");
    project.cupping("", &["generate", "--out", "tests", "--budget", "5s"]).expect(0);
    let all = ["--tests", "tests"];
    let check = |more: &[&str]| project.cupping("", &[&["check"], &all[..], more].concat());
    let clean = check(&[]).expect(0);
    assert!(clean.stdout.ends_with("generated tests hold\n"), "{}", clean.stdout);

    let source = project.folder.join("src/words/Counter.java");
    let before = fs::read_to_string(&source).unwrap();
    change(&source, &before.replace("\"empty\"", "\"none | <nothing>\""));
    let documents =
        ["--json", "c.json", "--markdown", "c.md", "--sarif", "c.sarif", "--junit-xml", "c.xml", "words.*"];
    let changed = check(&documents).expect(1);
    for part in
        ["behaviour changed: words.CounterTest.", "was: empty", "now: none | <nothing>", "tests/words/"]
    {
        assert!(changed.stdout.contains(part), "{part}: {}", changed.stdout);
    }
    let report: Value = serde_json::from_str(&project.read("c.json")).unwrap();
    let schema: Value =
        serde_json::from_str(&fs::read_to_string(repository().join("docs/json-schema.json")).unwrap())
            .unwrap();
    let schema: Validator = jsonschema::validator_for(&schema).unwrap();
    assert!(schema.is_valid(&report), "{report:#}");
    assert_eq!(report["results"]["files"][0]["findings"][0]["cause"], "changed");
    assert!(project.read("c.md").contains("none \\| <nothing>"), "{}", project.read("c.md"));
    let sarif: Value = serde_json::from_str(&project.read("c.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "changed");
    let xml = project.read("c.xml");
    let xml = roxmltree::Document::parse(&xml).unwrap();
    assert!(xml.descendants().any(|it| it.tag_name().name() == "failure"), "{xml:?}");
    assert_eq!(check(&["words.Other"]).expect(3).stdout, "");

    // An accepted finding is silent, until it changes once more.
    let accept = ["--accept", "known.json"];
    check(&accept).expect(2);
    check(&[&accept[..], &["--reason", "a nicer word"]].concat()).expect(0);
    assert!(project.read("known.json").contains("a nicer word"));
    check(&accept).expect(0);
    change(&source, &before.replace("\"empty\"", "\"nil\""));
    check(&accept).expect(1);

    let updated = check(&["--update"]).expect(0);
    assert!(updated.stdout.contains("words.Counter: its tests were rewritten"), "{}", updated.stdout);
    let test = project.read("tests/words/CounterTest.java");
    assert!(test.contains("\"nil\"") && !test.contains("\"empty\""), "{test}");

    // A test that was edited is the user's.
    let file = project.folder.join("tests/words/CounterTest.java");
    fs::write(
        &file,
        test.replacen("    @Test", "    @SuppressWarnings(\"cupping:check to be named\")\n    @Test", 9),
    )
    .unwrap();
    change(&source, &before);
    let suppressed = check(&["--markdown", "c.md"]).expect(0);
    assert!(suppressed.stdout.contains("that fails is accepted"), "{}", suppressed.stdout);
    assert!(project.read("c.md").contains("to be named"));
    fs::write(&file, test.replace("CounterTest {", "CounterTest { // mine")).unwrap();
    let kept = check(&["--update"]).expect(1);
    assert!(kept.stderr.contains("was edited since"), "{}", kept.stderr);
    assert!(fs::read_to_string(&file).unwrap().contains("// mine"));
}

/// Tests of a method that is gone, of a loop that does not end, and of a class that is gone.
#[test]
fn code_that_is_gone_costs_its_own_tests() {
    let project = Copy::of("plain");
    let source = project.folder.join("src/words/Counter.java");
    // Tests of this method name no other.
    let alone =
        "public static int atMost(int words) { return words > 100 ? 100 : words; }\n\n    public int words()";
    let before = fs::read_to_string(&source).unwrap().replace("public int words()", alone);
    change(&source, &before);
    project.cupping("", &["generate", "--out", "tests", "--work", "2s", "--junit", "4"]).expect(0);
    let check = |more: &[&str]| project.cupping("", &[&["check", "--tests", "tests"], more].concat());
    change(&source, &before.replace("String kind()", "String sort()"));
    let gone = check(&[]).expect(1).stdout;
    assert!(gone.contains("code is gone: words.CounterTest.") && gone.contains("kind"), "{gone}");
    assert!(!gone.contains("\n0 of"), "the others hold: {gone}");
    change(&source, &before.replace("words++;", "words++; while (longest < 0 || word.length() > 0) { }"));
    let endless = check(&[]).expect(1).stdout;
    assert!(endless.contains("does not end: words.CounterTest."), "{endless}");
    change(&source, &before.replace("Counter", "Tally"));
    fs::rename(&source, project.folder.join("src/words/Tally.java")).unwrap();
    let run = check(&["--update"]).expect(0);
    assert!(run.stdout.contains("words.Counter no longer exists"), "{}", run.stdout);
    assert!(!project.folder.join("tests/words/CounterTest.java").exists());
    check(&[]).expect(3);
}

/// Writes a source that is newer than the classes compiled from it.
fn change(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    fs::File::options().write(true).open(file).unwrap().set_modified(later).unwrap();
}

/// Generated tests that do not compile in a build are still reported and rewritten, in all modules at once.
#[test]
fn a_build_whose_tests_do_not_compile_is_checked() {
    let project = Copy::of("maven");
    project.cupping("", &["generate", "--budget", "5s"]).expect(0);
    let source = project.folder.join("service/src/main/java/depot/service/Postage.java");
    let before = fs::read_to_string(&source).unwrap();
    change(&source, &before.replace("int of(", "int cents("));
    let article = project.folder.join("core/src/main/java/depot/core/Article.java");
    let text = fs::read_to_string(&article).unwrap();
    change(&article, &text.replace("count + items > 1000", "count + items > 999"));
    let run = project.cupping("", &["check", "--markdown", "c.md"]).expect(1);
    assert!(run.stderr.contains("warning: the tests of the project do not compile"), "{}", run.stderr);
    let markdown = project.read("c.md");
    assert!(markdown.contains("Behaviour changed") && markdown.contains("Code is gone"), "{markdown}");
    assert!(markdown.contains("ArticleCuppingTest") && markdown.contains("PostageTest"), "{markdown}");
    project.cupping("", &["check", "--update"]).expect(0);
    project.build("mvn", &["-B", "test"]);
}
