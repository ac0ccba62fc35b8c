//! JaCoCo, from Debian's packages, run by `Oracle.java`.

use cupping_classfile::{ClassFile, ClassPath, Jdk};
use std::collections::BTreeMap;
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

/// JaCoCo's figures for a class.
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
        javac(&jdk, &[source("Oracle.java")], classes.path(), &["-cp", &class_path]);
        Oracle { jdk, classes, class_path }
    }

    /// Compiles a source of this folder.
    pub fn compile(&self, name: &str, options: &[&str]) -> TempDir {
        self.compile_all(&[source(name)], options)
    }

    /// Compiles sources.
    pub fn compile_all(&self, sources: &[PathBuf], options: &[&str]) -> TempDir {
        let to = folder();
        javac(&self.jdk, sources, to.path(), options);
        to
    }

    /// The figures for made-up hits of all classes of a folder or jar.
    pub fn made_up(&self, seed: u64, path: &Path) -> Vec<Figures> {
        parse(&self.ask(&["random", &seed.to_string(), &path.display().to_string()]), path)
    }

    /// The output of programs in a folder, and the figures after running them one after the other.
    pub fn run(&self, mains: &[String], folder: &Path) -> (BTreeMap<String, Vec<u8>>, Vec<Figures>) {
        let text = self.ask(&["run", &mains.join(","), &folder.display().to_string()]);
        let lines = text.lines().filter_map(|line| line.strip_prefix("output "));
        let outputs = lines.filter_map(|line| line.split_once(' '));
        (outputs.map(|(main, hex)| (main.to_owned(), bytes(hex))).collect(), parse(&text, folder))
    }

    fn ask(&self, arguments: &[&str]) -> String {
        let _keep = &self.classes;
        let mut java = Command::new(self.jdk.java_binary());
        let output = java.args(["-ea", "-cp", &self.class_path, "Oracle"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The figures in the oracle's answer, of the classes of a folder or jar.
fn parse(text: &str, path: &Path) -> Vec<Figures> {
    let class_path = ClassPath::open(&path.display().to_string(), 11).unwrap();
    let entry = class_path.entries().next().unwrap();
    let start = text.find("class ").expect("a class");
    let classes = text[start..].split("class ").filter(|class| !class.is_empty());
    classes.map(|class| figures(class, entry)).collect()
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
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes(hex).chunks(8).map(word).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()).collect()
}

fn javac(jdk: &Jdk, sources: &[PathBuf], to: &Path, options: &[&str]) {
    let mut command = Command::new(jdk.javac_binary());
    let output = command.arg("-nowarn").args(options).arg("-d").arg(to).args(sources).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coverage").join(name)
}

fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}
