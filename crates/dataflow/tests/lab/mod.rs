//! The fixtures, compiled once per test binary.
#![allow(dead_code, reason = "each test uses its part")]

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_dataflow::claims::{Claims, Invariant};
use cupping_dataflow::{Analysis, DataflowOptions, PairVerdict, analyse, open};
use cupping_generate::{GenerateOptions, NO_CLOCK, Session};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

static CLASSES: LazyLock<(tempfile::TempDir, Jdk)> = LazyLock::new(|| {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dataflow/flows");
    let mut files: Vec<_> =
        std::fs::read_dir(sources).expect("the fixtures are there").flatten().map(|e| e.path()).collect();
    files.sort();
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    (javac(&jdk, &files), jdk)
});

/// A folder with the classes of these sources.
fn javac(jdk: &Jdk, files: &[PathBuf]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let output = Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "--release", "11", "-d"])
        .arg(folder.path())
        .args(files)
        .output()
        .expect("javac can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// A session on the classes of these sources, which exist as long as the folder.
pub fn compiled(files: &[PathBuf]) -> (tempfile::TempDir, Session) {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let folder = javac(&jdk, files);
    let class_path =
        ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).expect("a folder");
    let session = Session::new(Arc::new(Program::new(jdk, class_path))).expect("the JDK boots");
    (folder, session)
}

/// Options for tests: deduction alone.
pub fn options() -> DataflowOptions {
    DataflowOptions {
        // Only work counts, so that the load of the machine does not matter.
        search: GenerateOptions {
            budget: Duration::from_secs(2),
            clock: Some(NO_CLOCK),
            ..GenerateOptions::default()
        },
        forward: false,
        ..DataflowOptions::default()
    }
}

/// A session on the fixtures.
pub fn session() -> Session {
    Session::new(Arc::new(program())).expect("the JDK boots")
}

/// The fixtures.
fn program() -> Program {
    let (folder, jdk) = &*CLASSES;
    let class_path =
        ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).expect("a folder");
    Program::new(jdk.clone(), class_path)
}

/// The result for a fixture, as `look` extracts it.
pub fn analysed<T>(
    class: &str,
    options: &DataflowOptions,
    look: impl FnOnce(&Analysis, &cupping_machine::Machine) -> T,
) -> T {
    analysed_in(session(), class, options, look)
}

/// The verdicts on a fixture's pairs if `assert` statements are on, or off.
pub fn with_assertions(class: &str, assertions: bool) -> Vec<String> {
    let program = program().with_assertions(assertions);
    analysed_in(Session::new(Arc::new(program)).expect("the JDK boots"), class, &options(), rows)
}

fn analysed_in<T>(
    mut session: Session,
    class: &str,
    options: &DataflowOptions,
    look: impl FnOnce(&Analysis, &cupping_machine::Machine) -> T,
) -> T {
    let mut bench = open(&mut session, &format!("flows/{class}"), options).expect("it loads");
    let analysis = analyse(&mut bench, options, &mut |_| true);
    look(&analysis, bench.machine())
}

/// The result with claims about loops and methods.
pub fn with_claims<T>(
    class: &str,
    invariants: &[Invariant],
    specifications: &[String],
    options: &DataflowOptions,
    look: impl FnOnce(&Analysis, &cupping_machine::Machine) -> T,
) -> T {
    let (folder, jdk) = &*CLASSES;
    let open_path = |path: &str| ClassPath::open(path, jdk.feature_version()).expect("folders");
    let classes = folder.path().to_string_lossy().into_owned();
    let program = Program::new(jdk.clone(), open_path(&classes));
    let read =
        |text: &String| cupping_contract::read(&cupping_contract::SpecificationSource::new("a.tj", text));
    let specifications = specifications.iter().map(|text| read(text).expect("it is read")).collect();
    let name = format!("flows/{class}");
    let claims = Claims::compile(&program, &[&name], invariants, specifications).expect("it is compiled");
    assert_eq!(claims.unused, Vec::<String>::new());
    let made = tempfile::tempdir().expect("a folder can be made");
    for (name, bytes) in &claims.classes {
        let file = made.path().join(format!("{name}.class"));
        std::fs::create_dir_all(file.parent().expect("it has one")).expect("it can be made");
        std::fs::write(file, bytes).expect("it can be written");
    }
    let program = Program::new(jdk.clone(), open_path(&format!("{classes}:{}", made.path().display())));
    let mut session = Session::new(Arc::new(program)).expect("the JDK boots");
    let options = DataflowOptions { claims: Arc::new(claims), ..options.clone() };
    let mut bench = open(&mut session, &name, &options).expect("it loads");
    let analysis = analyse(&mut bench, &options, &mut |_| true);
    look(&analysis, bench.machine())
}

/// The pairs as `variable definition -> use: verdict`, with the verdict's initial letters.
pub fn rows(analysis: &Analysis, machine: &cupping_machine::Machine) -> Vec<String> {
    let rows = analysis.pairs.iter().zip(&analysis.verdicts).map(|(pair, verdict)| {
        let letter = match verdict {
            PairVerdict::Covered { .. } => "covered",
            PairVerdict::Infeasible(_) => "infeasible",
            PairVerdict::Inconclusive(_) => "inconclusive",
        };
        let name = |access: usize| {
            let access = &analysis.accesses.all[access];
            analysis.flat.method_name(machine, access.method)
        };
        let variable = &analysis.flat.variables[pair.variable].name;
        format!("{variable} {} -> {}: {letter}", name(pair.definition), name(pair.usage))
    });
    rows.collect()
}
