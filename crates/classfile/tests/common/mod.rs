//! Fixtures: Java sources under `tests/fixtures`, compiled by the JDK's own compiler on demand.
#![allow(dead_code, reason = "each test uses its part")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cupping_classfile::{ClassFile, ClassPath, Jdk, Origin, Program};
use tempfile::TempDir;

/// The JDK that the tests run with.
pub fn jdk() -> Jdk {
    Jdk::locate(None).expect("the tests need a JDK")
}

/// Every JDK of this machine: those in Debian's folder, and the detected one.
pub fn all_jdks() -> Vec<Jdk> {
    let mut homes: Vec<PathBuf> = std::fs::read_dir("/usr/lib/jvm")
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    homes.push(jdk().home().to_owned());
    let mut homes: Vec<PathBuf> = homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
    homes.sort();
    homes.dedup();
    homes.retain(|home| home.join("lib/modules").is_file());
    homes.iter().map(|home| Jdk::open(home).unwrap()).collect()
}

/// A folder that goes away with the value.
pub fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn fixture_root(fixture: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture)
}

/// Compiles all sources of a fixture folder into `to`.
pub fn compile(fixture: &str, to: &Path, options: &[&str]) {
    let root = fixture_root(fixture);
    let mut sources = Vec::new();
    java_files(&root, &mut sources);
    assert!(!sources.is_empty(), "no sources in {}", root.display());
    run(Command::new(jdk().javac_binary()).args(options).arg("-d").arg(to).args(sources));
}

/// The classes of a fixture, compiled once for all test processes that ask for the same sources and options.
pub fn compiled(fixture: &str, name: &str, options: &[&str]) -> PathBuf {
    let mut sources = Vec::new();
    java_files(&fixture_root(fixture), &mut sources);
    let mut hasher = DefaultHasher::new();
    (options, jdk().home()).hash(&mut hasher);
    for source in &sources {
        (source, std::fs::read(source).unwrap()).hash(&mut hasher);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{:016x}", hasher.finish()));
    if !folder.is_dir() {
        // Test processes run in parallel: each compiles into its own folder, and the first moves it into place.
        let own = self::folder();
        compile(fixture, &own.path().join("classes"), options);
        let moved = std::fs::rename(own.path().join("classes"), &folder);
        assert!(moved.is_ok() || folder.is_dir(), "{}: {moved:?}", folder.display());
    }
    folder
}

/// The output of a command that must succeed.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn java_files(folder: &Path, to: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            java_files(&path, to);
        } else if path.extension().is_some_and(|extension| extension == "java") {
            to.push(path);
        }
    }
    to.sort();
}

/// The program of a class path given as text.
pub fn program(class_path: &str) -> Program {
    let jdk = jdk();
    let class_path = ClassPath::open(class_path, jdk.feature_version()).unwrap();
    Program::new(jdk, class_path)
}

/// Reads a class from bytes that a test has made.
pub fn parse(bytes: &[u8]) -> Result<ClassFile, cupping_classfile::ClassFileError> {
    ClassFile::parse(Arc::from(bytes), "test.class", Origin::Made)
}

/// Requests everything that a class decodes lazily; returns the number of answers.
pub fn walk(class: &ClassFile) -> Result<usize, cupping_classfile::ClassFileError> {
    let mut answers = 0;
    // Entries behind a `long` or `double` do not exist, so errors are expected here.
    answers += (0..=class.constant_count()).filter(|index| class.constant(*index).is_ok()).count();
    for method in class.methods.iter() {
        if let Some(code) = class.code(method)? {
            answers += code
                .line_numbers
                .entries()
                .iter()
                .filter(|line| code.line_at(line.pc.into()).is_some())
                .count();
            let _ = code.variable_at(0, 0);
            cupping_classfile::disassemble::method_listing(class, method)?;
            answers += 1;
        }
    }
    Ok(answers)
}
