//! JaCoCo, from Debian's packages, by way of `Oracle.java`.

use cupping_classfile::{ClassFile, ClassPath, Jdk};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

const JARS: [&str; 5] = ["org.jacoco.core", "asm", "asm-commons", "asm-tree", "asm-analysis"];

/// JaCoCo, ready to be asked.
pub struct Oracle {
    jdk: Jdk,
    classes: TempDir,
    class_path: String,
}

/// What JaCoCo says of a class.
pub struct Figures {
    pub name: String,
    pub file: Arc<ClassFile>,
    pub hits: Vec<u64>,
    pub text: String,
}

impl Oracle {
    pub fn new() -> Oracle {
        let jars = JARS.map(|jar| format!("/usr/share/java/{jar}.jar"));
        for jar in &jars {
            assert!(Path::new(jar).exists(), "{jar} is missing: install libjacoco-java");
        }
        let jdk = Jdk::locate(None).expect("a JDK");
        let classes = folder();
        let class_path = format!("{}:{}", jars.join(":"), classes.path().display());
        javac(&jdk, &source("Oracle.java"), classes.path(), &["-cp", &class_path]);
        Oracle { jdk, classes, class_path }
    }

    /// Compiles a source of this folder.
    pub fn compile(&self, name: &str, options: &[&str]) -> TempDir {
        let to = folder();
        javac(&self.jdk, &source(name), to.path(), options);
        to
    }

    /// The figures for made-up hits of all classes of a folder or jar.
    pub fn made_up(&self, seed: u64, path: &Path) -> Vec<Figures> {
        self.ask(path, &["random", &seed.to_string(), &path.display().to_string()])
    }

    /// The figures for a run of a program that is in a folder.
    pub fn run(&self, main: &str, folder: &Path) -> Vec<Figures> {
        self.ask(folder, &["run", main, &folder.display().to_string()])
    }

    fn ask(&self, path: &Path, arguments: &[&str]) -> Vec<Figures> {
        let _keep = &self.classes;
        let mut java = Command::new(self.jdk.java_binary());
        let output = java.args(["-ea", "-cp", &self.class_path, "Oracle"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let class_path = ClassPath::open(&path.display().to_string(), 11).unwrap();
        let entry = class_path.entries().next().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let classes = text.split("class ").filter(|class| !class.is_empty());
        classes.map(|class| figures(class, entry)).collect()
    }
}

fn figures(class: &str, entry: &cupping_classfile::ClassPathEntry) -> Figures {
    let (name, rest) = class.split_once('\n').unwrap();
    let (probes, text) = rest.split_once('\n').unwrap();
    let probes = probes.strip_prefix("probes ").unwrap();
    let file = format!("{name}.class");
    let bytes = entry.read(&file).unwrap().unwrap();
    let origin = cupping_classfile::Origin::Made;
    Figures {
        name: name.to_owned(),
        file: Arc::new(ClassFile::parse(bytes, &file, origin).unwrap()),
        hits: words(probes),
        text: text.to_owned(),
    }
}

/// Bits of the hexadecimal digits, eight in two digits, lowest first.
fn words(hex: &str) -> Vec<u64> {
    let bytes: Vec<u8> =
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()).collect();
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks(8).map(word).collect()
}

fn javac(jdk: &Jdk, source: &Path, to: &Path, options: &[&str]) {
    let mut command = Command::new(jdk.javac_binary());
    let output = command.arg("-nowarn").args(options).arg("-d").arg(to).arg(source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coverage").join(name)
}

fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}
