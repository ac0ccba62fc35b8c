//! The Java classes under exploration, compiled once per content.

use cupping_classfile::{ClassPath, Jdk, Program};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The JDK with the papers' programs (`papers/…`) and the samples (`samples/…`) on the class path.
pub fn program() -> Program {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let classes = compiled(&jdk);
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).expect("a folder");
    Program::new(jdk, class_path)
}

fn compiled(jdk: &Jdk) -> PathBuf {
    let sources = sources();
    let mut hasher = DefaultHasher::new();
    jdk.home().hash(&mut hasher);
    for source in &sources {
        std::fs::read(source).expect("a source can be read").hash(&mut hasher);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("explore-{:016x}", hasher.finish()));
    if !folder.is_dir() {
        // Tests run in parallel processes: the first to finish moves its folder into place.
        let own = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
        let output = Command::new(jdk.javac_binary())
            .args(["-g", "-nowarn", "--release", "11", "-encoding", "UTF-8", "-d"])
            .arg(own.path())
            .args(&sources)
            .output()
            .expect("javac can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let _ = std::fs::rename(own.keep(), &folder);
    }
    folder
}

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("../../fixtures/papers/papers"), root.join("tests/fixtures/samples")];
    let mut sources: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("the fixtures are there").flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "java"))
        .collect();
    sources.sort();
    sources
}
