//! Runs the binary on the papers' programs.
#![allow(dead_code, reason = "each test uses its part")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The folder with the papers' programs, compiled once per test run.
pub fn papers() -> &'static Path {
    static PAPERS: OnceLock<PathBuf> = OnceLock::new();
    PAPERS.get_or_init(|| {
        let sources = files(&repository().join("fixtures/papers"));
        let sources: Vec<PathBuf> =
            sources.into_iter().filter(|it| it.extension() == Some(OsStr::new("java"))).collect();
        let folder = scratch("papers");
        compile(&sources, "", &folder);
        folder
    })
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A new folder for this process and purpose.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles Java sources with full debug information.
pub fn compile(sources: &[PathBuf], class_path: &str, to: &Path) {
    javac(&[], sources, class_path, to);
}

/// Compiles Java sources to class files that this release of the JDK, and tools that know no later one, can read.
pub fn compile_for(release: &str, sources: &[PathBuf], class_path: &str, to: &Path) {
    javac(&["--release", release], sources, class_path, to);
}

fn javac(options: &[&str], sources: &[PathBuf], class_path: &str, to: &Path) {
    compile_with(Path::new("javac"), options, sources, class_path, to);
}

/// Compiles Java sources with this compiler and these options.
pub fn compile_with(compiler: &Path, options: &[&str], sources: &[PathBuf], class_path: &str, to: &Path) {
    assert!(!sources.is_empty(), "nothing to compile");
    let mut javac = Command::new(compiler);
    javac.args(options).args(["-g", "-nowarn", "-Xlint:none", "-encoding", "UTF-8", "-cp", class_path, "-d"]);
    // Names of files may have any letters.
    let output = javac.arg(to).args(sources).env("LC_ALL", "C.UTF-8").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The result of a run of the binary.
#[derive(Debug)]
pub struct Run {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// The run, if it ended with this code; otherwise its messages.
    #[track_caller]
    pub fn expect(self, code: i32) -> Run {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }
}

/// The binary in this folder, with none of this machine's settings but the JDK and JUnit.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupping"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("CLICOLOR_FORCE");
    command
}

/// Runs the binary in this folder.
pub fn cupping(folder: &Path, args: &[&str]) -> Run {
    let output = command(folder, args).output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs `generate` on classes of the papers, with a budget that none of them uses up; afterwards the folder contains
/// `tests` and `report.json`.
pub fn generate(folder: &Path, args: &[&str]) -> Run {
    let papers = papers().to_str().unwrap();
    let all = [
        &["generate", "--classpath", papers, "--out", "tests", "--json", "report.json", "--budget", "60s"],
        args,
    ];
    cupping(folder, &all.concat())
}

/// All files under a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Content by path relative to the folder.
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let relative = |path: &PathBuf| path.strip_prefix(folder).unwrap().to_owned();
    files(folder).iter().map(|path| (relative(path), fs::read_to_string(path).unwrap())).collect()
}

/// A test method: its name and the lines of its body.
pub type Method = (String, Vec<String>);

/// The `@Test` methods of an emitted class.
pub fn methods(source: &str) -> Vec<Method> {
    let mut methods: Vec<Method> = Vec::new();
    let mut inside = false;
    for line in source.lines() {
        if let Some(name) = line.trim().strip_prefix("void ").or(line.trim().strip_prefix("public void ")) {
            methods.push((name.split('(').next().unwrap().to_owned(), Vec::new()));
            inside = true;
        } else if line == "    }" {
            inside = false;
        } else if inside && let Some((_, lines)) = methods.last_mut() {
            lines.push(line.trim().to_owned());
        }
    }
    methods
}

/// The names of the methods called on any receiver or class in these lines, in order, except for JUnit's.
pub fn calls(lines: &[String]) -> Vec<String> {
    let statements = lines.iter().filter(|line| !line.starts_with("assert"));
    let names = statements.filter_map(|line| {
        let head = line.split('(').next()?;
        match head.rsplit_once("new ") {
            Some((_, class)) => Some(format!("new {class}")),
            None => head.rsplit_once('.').map(|(_, name)| name.to_owned()),
        }
    });
    names.collect()
}

/// The libraries that run tests of JUnit 5.
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

/// The class path of JUnit.
pub fn junit() -> String {
    JUNIT.map(|name| format!("/usr/share/java/{name}.jar")).join(":")
}
