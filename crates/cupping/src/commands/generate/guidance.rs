//! Guidance of the search: `--setup`, the tests of `--suite`, and the tests of an earlier run.

use super::arguments::Arguments;
use crate::shared::selection::Selection;
use cupping_case::RecordedTest;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{Guidance, is_of_objects, prelude};
use cupping_report::corpus;
use std::collections::BTreeMap;

/// Reads what `--setup` and `--suite` name. Anything unreadable is an error; the rest is used.
pub fn read(args: &Arguments, program: &Program) -> (Guidance, Vec<String>) {
    let mut guidance = Guidance::default();
    let mut errors = Vec::new();
    let jdk = program.jdk();
    for setup in &args.setup {
        if let Err(error) = read_setup(setup, &args.suite.suite, program, &mut guidance) {
            errors.push(format!("--setup {setup}: {error}"));
        }
    }
    for suite in &args.suite.suite {
        if let Err(error) = read_suite(suite, jdk, &mut guidance) {
            errors.push(format!("--suite {error}"));
        }
    }
    (guidance, errors)
}

/// Reads a static method that creates objects, or the set-up of a test class.
fn read_setup(
    setup: &str,
    suites: &[String],
    program: &Program,
    guidance: &mut Guidance,
) -> Result<(), String> {
    let internal = |class: &str| class.replace('.', "/");
    let (owner, method) = setup.rsplit_once('.').unwrap_or(("", setup));
    let (class, owner) = (internal(setup), internal(owner));
    let with_suite = |suite: &String| {
        let mut class_path = ClassPath::open(suite, program.jdk().feature_version()).ok()?;
        class_path.append(program.class_path());
        Some(Program::new(program.jdk().clone(), class_path))
    };
    let others: Vec<Program> = suites.iter().filter_map(with_suite).collect();
    for program in std::iter::once(program).chain(&others) {
        if program.require(&class).is_ok() {
            guidance.begin_with(prelude(program, &class, None)?);
            return Ok(());
        }
        if is_of_objects(program, &owner, method) {
            guidance.begin_with(prelude(program, &owner, Some(method))?);
            return Ok(());
        }
    }
    if owner.is_empty() {
        return Err(
            "there is no such test class; write a factory as CLASS.METHOD, as app.Fixtures.newTill".into()
        );
    }
    guidance.set_up(&owner, method);
    Ok(())
}

/// Reads the tests of an earlier run for the selected classes (`--corpus`). An unreadable file is an error, and its
/// class starts over.
pub fn read_corpus(
    args: &Arguments,
    selection: &Selection,
) -> (BTreeMap<Box<str>, Vec<RecordedTest>>, Vec<String>) {
    let (mut known, mut errors) = (BTreeMap::new(), Vec::new());
    let Some(folder) = &args.corpus else { return (known, errors) };
    for class in &selection.classes {
        match corpus::read(folder, &class.name) {
            Ok(tests) => {
                known.insert(class.name.as_str().into(), tests);
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    (known, errors)
}

fn read_suite(
    suite: &str,
    jdk: &Jdk,
    guidance: &mut Guidance,
) -> Result<(), cupping_classfile::ClassFileError> {
    let class_path = ClassPath::open(suite, jdk.feature_version())?;
    let program = Program::new(jdk.clone(), class_path);
    for entry in program.class_path().entries() {
        for name in entry.class_names()? {
            guidance.read(&*program.require(&name)?);
        }
    }
    Ok(())
}
