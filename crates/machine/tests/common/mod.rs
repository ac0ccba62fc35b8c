//! The fidelity corpus: compiled once per content, with what a JDK prints for each program.
#![allow(dead_code, reason = "each test uses its part")]

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Exit, Machine, RunLimits, Step, Value};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The folder with all fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Every JDK of this machine, the oldest first.
pub fn all_jdks() -> Vec<Jdk> {
    let mut homes: Vec<PathBuf> = std::fs::read_dir("/usr/lib/jvm")
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    homes.extend(Jdk::locate(None).ok().map(|jdk| jdk.home().to_owned()));
    let mut homes: Vec<PathBuf> = homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
    homes.sort();
    homes.dedup();
    homes.retain(|home| home.join("lib/modules").is_file() && home.join("bin/javac").is_file());
    let mut jdks: Vec<Jdk> = homes.iter().map(|home| Jdk::open(home).unwrap()).collect();
    jdks.sort_by_key(Jdk::feature_version);
    assert!(!jdks.is_empty(), "the tests need a JDK");
    jdks
}

/// The JDK's option for an oracle's run. Compiled code that throws often would throw exceptions without a
/// message, from a point of the compiler's choice on.
const ORACLE_OPTION: &str = "-XX:-OmitStackTraceInFastThrow";

/// A compiled corpus and what the JDK makes of it.
pub struct Corpus {
    /// Folder of the classes.
    pub classes: PathBuf,
    /// Expected output by program; the last line says how it ended.
    pub expected: BTreeMap<String, String>,
}

/// The sources of the corpus by name of the program.
pub fn programs() -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for topic in std::fs::read_dir(fixtures().join("java")).unwrap().flatten() {
        for file in std::fs::read_dir(topic.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|e| e == "java") {
                found.insert(path.file_stem().unwrap().to_string_lossy().into_owned(), path);
            }
        }
    }
    assert!(found.len() > 100, "the corpus is not there");
    found
}

/// Compiles and runs the corpus on a JDK, unless that was done for these sources before.
pub fn corpus(jdk: &Jdk, class_compiler: &Jdk) -> Corpus {
    let programs = programs();
    let mut hasher = DefaultHasher::new();
    ORACLE_OPTION.hash(&mut hasher);
    let oracle = fixtures().join("oracle/Oracle.java");
    for path in programs.values().chain([&oracle]) {
        std::fs::read(path).unwrap().hash(&mut hasher);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "corpus-{}-{:016x}",
        jdk.feature_version(),
        hasher.finish()
    ));
    if !folder.is_dir() {
        // Test processes run in parallel: the first to finish puts its folder in place.
        let own = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (classes, expected) = (own.path().join("classes"), own.path().join("expected"));
        let at_oracle = own.path().join("oracle");
        let compile = |to: &Path, sources: &[&PathBuf], options: &[&str]| {
            run(Command::new(class_compiler.javac_binary())
                .args(["-g", "-nowarn", "-encoding", "UTF-8", "-d"])
                .arg(to)
                .args(options)
                .args(sources));
        };
        compile(&classes, &programs.values().collect::<Vec<_>>(), &["--release", "17"]);
        compile(&at_oracle, &[&oracle], &["--release", "17"]);
        run(Command::new(jdk.java_binary())
            .args([ORACLE_OPTION, "-cp"])
            .arg(&at_oracle)
            .arg("Oracle")
            .args([&classes, &expected])
            .args(programs.keys()));
        let moved = std::fs::rename(own.keep(), &folder);
        assert!(moved.is_ok() || folder.is_dir(), "{}: {moved:?}", folder.display());
    }
    let (classes, expected) = (folder.join("classes"), folder.join("expected"));
    let expected = programs
        .keys()
        .map(|name| {
            let text = std::fs::read_to_string(expected.join(format!("{name}.expected")));
            (name.clone(), text.unwrap_or_else(|e| panic!("no expectation for {name}: {e}")))
        })
        .collect();
    Corpus { classes, expected }
}

/// A machine booted on a JDK with one entry of the class path.
pub fn boot(jdk: &Jdk, classes: &Path) -> Machine {
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).unwrap();
    let program = Arc::new(Program::new(jdk.clone(), class_path));
    Machine::boot(program, RunLimits::default())
        .unwrap_or_else(|e| panic!("JDK {}: {e}", jdk.feature_version()))
}

/// Runs a program's `main` on the machine; returns its output in the oracle's format.
pub fn observe(machine: &mut Machine, name: &str, fuel: u64) -> String {
    machine.set_fuel(fuel);
    let ending = match run_main(machine, name) {
        Ok(Exit::Returned(_)) => "normal".into(),
        Ok(Exit::Threw(exception)) => format!("uncaught {}", to_string(machine, exception)),
        Ok(other) => format!("{other:?}"),
        Err(cupping_machine::Trap::Throw(exception)) => {
            format!("uncaught {}", to_string(machine, exception))
        }
        Err(trap) => format!("stopped: {}", machine.describe_trap(&trap)),
    };
    let text = String::from_utf8_lossy(&machine.written(1)).into_owned();
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{gap}--- exit: {ending}\n")
}

fn run_main(machine: &mut Machine, name: &str) -> Step<Exit> {
    let class = machine.initialize_now(name)?;
    let main = machine
        .find_method(class, "main", "([Ljava/lang/String;)V")
        .ok_or_else(|| cupping_machine::Trap::unsupported("no main"))?;
    let strings = machine.load("[Ljava/lang/String;")?;
    let arguments = machine.new_array(strings, 0)?;
    machine.enter(main, &[Value::reference(arguments)])?;
    Ok(machine.run())
}

fn to_string(machine: &mut Machine, exception: u32) -> String {
    let class = machine.class_of(exception);
    let method = machine.find_method(class, "toString", "()Ljava/lang/String;").unwrap();
    machine.set_fuel(u64::MAX);
    match machine.call(method, &[Value::reference(exception)]) {
        Ok(text) => machine.text(text.as_ref()),
        Err(trap) => format!("(toString: {})", machine.describe_trap(&trap)),
    }
}

/// The output of a command that must succeed.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
