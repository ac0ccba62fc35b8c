//! The fixtures, compiled once a test run.
#![allow(dead_code, reason = "each test uses its part")]

use cupping_classfile::{ClassPath, Jdk, Program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

/// The folder of the fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/exhaust")
}

/// The compiled fixtures over the JDK.
pub fn program() -> Arc<Program> {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    compiled(&CLASSES, &fixtures())
}

/// The compiled structures with predicates.
pub fn structures() -> Arc<Program> {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    compiled(&CLASSES, &fixtures().join("structures"))
}

/// The compiled classes of mistaken specifications.
pub fn mistakes() -> Arc<Program> {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    compiled(&CLASSES, &fixtures().join("mistakes"))
}

/// The compiled drivers of methods of the JDK's collections.
pub fn collections() -> Arc<Program> {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    compiled(&CLASSES, &fixtures().join("jdk"))
}

fn compiled(classes: &OnceLock<tempfile::TempDir>, from: &Path) -> Arc<Program> {
    let folder = classes.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sources: Vec<PathBuf> = std::fs::read_dir(from)
            .expect("fixtures/exhaust")
            .map(|it| it.expect("an entry").path())
            .filter(|it| it.extension().is_some_and(|it| it == "java"))
            .collect();
        sources.sort();
        let mut javac = Command::new("javac");
        javac.args(["-g", "--release", "11", "-nowarn", "-Xlint:none", "-d"]);
        let output = javac.arg(folder.path()).args(sources).output().expect("javac");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder
    });
    let jdk = Jdk::locate(None).expect("a JDK");
    let path = ClassPath::open(&folder.path().display().to_string(), jdk.feature_version()).expect("classes");
    Arc::new(Program::new(jdk, path))
}
