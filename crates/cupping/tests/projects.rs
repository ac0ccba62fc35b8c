//! Cupping in projects of Maven and Gradle, and in a plain folder (`fixtures/projects`): from a clone to tests that the
//! build tool runs. The builds need no network: their plugins and libraries are Debian's packages.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use support::{Run, files, repository, scratch};

/// Where Debian has what Maven would download.
const DEBIAN: &str = "/usr/share/maven-repo";

/// A local repository of Maven: links into Debian's, beside which Maven writes its notes.
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

/// A copy of a project of the fixtures, with a home folder of its own beside it.
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

    /// Runs the build tool; what it printed, if it ended well.
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
    let nothing = project.cupping("", &["generate", "--json", "r.json"]).expect(2);
    assert!(nothing.stderr.contains("--module (depot-core, depot-service)"), "{}", nothing.stderr);
    let unknown = project.cupping("", &["generate", "--module", "depot-cor"]).expect(2);
    assert!(unknown.stderr.contains("did you mean depot-core?"), "{}", unknown.stderr);
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
    // Nothing of the project has changed but what was asked for.
    let changed: Vec<PathBuf> =
        files(&project.folder).into_iter().filter(|it| it.ends_with("Counter.class")).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

/// What is set in `cupping.toml` is as if it were typed, and a mistake in it is told at its place.
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
        ("[generate]\nbudget = { a = 1 }\n", "cupping.toml:2:1", "'budget' is no option"),
    ] {
        set(text);
        let run = project.cupping("", &["generate"]).expect(2);
        assert!(run.stderr.contains(place) && run.stderr.contains(message), "{text}: {}", run.stderr);
    }
}

#[test]
fn a_file_of_options_is_written_once() {
    let project = Copy::of("plain");
    project.cupping("", &["init"]).expect(0);
    let written = project.read("cupping.toml");
    assert!(written.contains("\n[generate]\n") && written.contains("\n#budget = "), "{written}");
    project.cupping("", &["generate", "--out", "tests", "--budget", "5s"]).expect(0);
    let again = project.cupping("", &["init"]).expect(2);
    assert!(again.stderr.contains("is there already"), "{}", again.stderr);
}
