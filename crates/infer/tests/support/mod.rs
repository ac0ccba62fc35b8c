//! Subjects compiled and opened.
#![allow(dead_code, reason = "each test uses its part")]

pub mod completeness;
pub mod opponent;
pub mod truths;

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::Session;
use cupping_infer::{InferOptions, InferenceOutcome, Recording, Subject, infer_class};
use cupping_machine::Machine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Where the fixtures of inference are.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/infer")
}

/// The JDK of the tests.
pub fn jdk() -> Jdk {
    Jdk::locate(None).expect("the tests need a JDK")
}

/// The files of a folder of the fixtures, sorted.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let found = fs::read_dir(fixtures().join(folder)).expect("the fixtures are there").flatten();
    let mut found: Vec<PathBuf> = found.map(|it| it.path()).collect();
    found.sort();
    found
}

/// Compiles sources into a folder.
pub fn compile(sources: &[PathBuf], class_path: &str, to: &Path) {
    let mut javac = Command::new(jdk().javac_binary());
    javac.args(["-g", "-nowarn", "-Xlint:none", "--release", "17", "-cp", class_path, "-d"]);
    let output = javac.arg(to).args(sources).output().expect("javac can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a class on the JDK; what it prints.
pub fn java(options: &[&str], class_path: &str, arguments: &[&str]) -> Result<String, String> {
    let mut java = Command::new(jdk().java_binary());
    let output =
        java.args(options).args(["-cp", class_path]).args(arguments).output().expect("java can be run");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(out.into_owned()) } else { Err(format!("{out}{err}")) }
}

/// A session on a folder of classes.
pub fn session(classes: &Path) -> Session {
    let jdk = jdk();
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).expect("a folder");
    let words = cupping_machine::RunLimits::default().heap_words;
    Session::sized(Arc::new(Program::new(jdk, class_path)), words).expect("the JDK boots")
}

/// Opens a class and looks at it.
pub fn opened<T>(session: &mut Session, class: &str, look: impl FnOnce(&mut Machine, &Subject) -> T) -> T {
    let mut bench =
        session.open(class, &[], &cupping_generate::GenerateOptions::default()).expect("it loads");
    bench.reset();
    let subject = Subject::new(&mut bench);
    bench.reset();
    look(bench.machine(), &subject)
}

/// The specification of a class inferred from exploration alone, passed to `look`.
pub fn inferred<T>(
    session: &mut Session,
    class: &str,
    options: InferOptions,
    look: impl FnOnce(&Subject, &InferenceOutcome) -> T,
) -> T {
    opened(session, class, |machine, subject| {
        let outcome = infer_class(machine, subject, &Recording::default(), &options);
        look(subject, &outcome)
    })
}
