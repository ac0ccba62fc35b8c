//! Call sites, constants and handles that the corpus does not reach: pattern switches, bootstrap methods of
//! users, and symbolic values that pass through synthetic code.

mod common;

use common::{all_jdks, boot, fixtures, observe, run};
use cupping_classfile::Jdk;
use cupping_machine::{Exit, Machine, Value, shadow_of, term_of};
use cupping_term::{Evaluator, Model, Sort};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Backward jumps and calls that a program may make.
const FUEL: u64 = 50_000_000;

fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(fixtures().join(folder))
        .unwrap_or_else(|e| panic!("{folder}: {e}"))
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "java"))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{folder} has no programs");
    found
}

fn compile(jdk: &Jdk, release: &str, to: &Path, files: &[PathBuf]) {
    run(Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "-encoding", "UTF-8", "--release", release, "-d"])
        .arg(to)
        .args(files));
}

/// Compares what a program prints on the JDK with what it prints on the machine.
fn check(jdk: &Jdk, machine: &mut Machine, classes: &Path, name: &str) {
    let expected = run(Command::new(jdk.java_binary()).arg("-cp").arg(classes).arg(name));
    let actual = observe(machine, name, FUEL);
    assert_eq!(actual, format!("{expected}--- exit: normal\n"), "{name} on JDK {}", jdk.feature_version());
}

#[test]
fn pattern_switches_do_as_on_the_jdk() {
    let jdks = all_jdks();
    let jdk = &jdks[jdks.len() - 1];
    if jdk.feature_version() < 21 {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for classes");
    let files = sources("java21/patterns");
    compile(jdk, "21", folder.path(), &files);
    let mut machine = boot(jdk, folder.path());
    let booted = machine.snapshot();
    for file in &files {
        machine.restore(&booted);
        check(jdk, &mut machine, folder.path(), &file.file_stem().unwrap_or_default().to_string_lossy());
    }
}

/// The classes of `fixtures/sites`, `Sites` written by `MakeSites`; `None` without a JDK that has the class
/// file API.
fn sites() -> Option<tempfile::TempDir> {
    let jdks = all_jdks();
    let newest = &jdks[jdks.len() - 1];
    if newest.feature_version() < 24 {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder for classes");
    let (made, maker): (Vec<_>, Vec<_>) =
        sources("sites").into_iter().partition(|path| !path.ends_with("MakeSites.java"));
    compile(newest, "17", folder.path(), &made);
    let tools = tempfile::tempdir().expect("a folder for the generator");
    compile(newest, "24", tools.path(), &maker);
    run(Command::new(newest.java_binary()).arg("-cp").arg(tools.path()).arg("MakeSites").arg(folder.path()));
    Some(folder)
}

#[test]
fn bootstrap_methods_of_users_link_once_on_every_fork() {
    let Some(folder) = sites() else { return };
    for jdk in all_jdks() {
        let mut machine = boot(&jdk, folder.path());
        let booted = machine.snapshot();
        check(&jdk, &mut machine, folder.path(), "Sites");
        // What was linked was linked on a fork that is gone.
        machine.restore(&booted);
        check(&jdk, &mut machine, folder.path(), "Sites");
    }
}

/// Methods of `Flows`: each from an int to an int.
const FLOWS: [&str; 10] = [
    "lambda",
    "captured",
    "boxed",
    "widened",
    "recordHash",
    "varHandle",
    "element",
    "handle",
    "generic",
    "combined",
];

#[test]
fn symbolic_values_keep_their_terms_through_synthetic_code() {
    let Some(folder) = sites() else { return };
    let jdk = &all_jdks()[0];
    let mut machine = boot(jdk, folder.path());
    let flows = machine.initialize_now("Flows").expect("Flows is compiled");
    let start = machine.snapshot();
    for name in FLOWS {
        let method = machine.find_method(flows, name, "(I)I").expect("a method of Flows");
        let mut results = Vec::new();
        for input in [1000, -7] {
            machine.restore(&start);
            results.push(machine.call(method, &[Value::int(input)]).expect("it returns").as_int());
        }
        machine.restore(&start);
        let variable = machine.terms_mut().new_variable("x", Sort::Bv32);
        let argument = Value { bits: 1000, shadow: shadow_of(variable) };
        machine.enter(method, &[argument]).expect("it can be entered");
        let result = loop {
            match machine.run() {
                Exit::Returned(value) => break value,
                Exit::Decision(_) => {}
                other => panic!("{name}: {other:?}"),
            }
        };
        assert_eq!(result.as_int(), results[0], "{name}");
        let term = term_of(result.shadow).unwrap_or_else(|| panic!("{name}: the result has no term"));
        let mut model = Model::new();
        for index in machine.terms().variables(variable).to_vec() {
            model.set(index, -7i32 as u32 as u64);
        }
        let value = Evaluator::new().eval(machine.terms(), &model, term) as u32 as i32;
        assert_eq!(value, results[1], "{name} under another model");
    }
}
