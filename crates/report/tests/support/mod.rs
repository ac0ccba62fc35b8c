//! Hand-made suites, Java fixtures and the JDKs of this machine.
#![allow(dead_code)]

pub mod browser;
pub mod explained;
pub mod suites;

use cupping_report::certify::{Certifier, CertifierOptions};
use cupping_report::framework::Framework;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// The JDK that `java` on the path belongs to, or `JAVA_HOME`.
pub fn jdk_home() -> PathBuf {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return home.into();
    }
    let output = Command::new("java").args(["-XshowSettings:properties", "-version"]).output().expect("java");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let home = text.lines().find_map(|line| line.trim().strip_prefix("java.home = ")).expect("java.home");
    home.into()
}

/// The fixture classes, compiled once.
pub fn fixture_classes() -> &'static Path {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    CLASSES
        .get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            compile(&fixtures().join("java"), folder.path());
            folder
        })
        .path()
}

/// Compiles all Java files below a folder.
pub fn compile(sources: &Path, to: &Path) {
    let files = java_files(sources);
    let javac = jdk_home().join("bin/javac");
    let output = Command::new(javac).arg("-d").arg(to).args(&files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles copies of classes of the JDK: those of each module lie in a folder of its name.
pub fn compile_copies(sources: &Path, to: &Path) {
    for module in std::fs::read_dir(sources).unwrap().map(|it| it.unwrap().path()) {
        let name = module.file_name().unwrap().to_string_lossy();
        let patch = format!("{name}={}", module.display());
        let mut javac = Command::new(jdk_home().join("bin/javac"));
        javac.args(["--patch-module", &patch, "-d"]).arg(to).args(java_files(&module));
        let output = javac.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Compares with a file below `fixtures/expected`, or rewrites it where `CUPPING_BLESS` is set.
pub fn check_file(name: &str, text: &str) {
    let path = fixtures().join("expected").join(name);
    if std::env::var_os("CUPPING_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == wanted, "{} differs; CUPPING_BLESS=1 rewrites it. Now:\n{text:.20000}", path.display());
}

pub fn certifier(version: Framework) -> Certifier {
    Certifier::start(certifier_options(version)).unwrap()
}

pub fn certifier_options(version: Framework) -> CertifierOptions {
    let mut options = CertifierOptions::new(&jdk_home(), version);
    options.class_path.push(fixture_classes().into());
    options.test_limit = Duration::from_millis(1500);
    options
}

/// All Java files below a folder, sorted.
pub fn java_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "java") {
            files.push(path);
        }
    }
}
