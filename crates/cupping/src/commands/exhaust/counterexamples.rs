//! Counterexamples as JUnit tests, certified to compile and to fail as expected.

use super::arguments::Arguments;
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::shared::class_facts::ProgramFacts;
use crate::shared::emit::{EmissionResult, Emitter, test_folder};
use cupping_case::Case;
use cupping_classfile::Program;
use cupping_exhaust::{CheckResult, Error, Specification, World, emit};
use cupping_report::files::Author;
use cupping_report::junit::counterexample_class;
use cupping_report::withheld_tests;

/// Writes the counterexamples of a check as tests, if requested.
pub fn write_tests(
    args: &Arguments,
    author: &Author,
    world: &mut World,
    program: &Program,
    specification: &Specification,
    predicate: Option<&str>,
    checked: &CheckResult,
) -> Result<Status, Error> {
    let Some(out) = &args.out else { return Ok(Status::DONE) };
    let failed = |error: &dyn std::fmt::Display| Error::Other(error.to_string());
    let emitted = emit(world, program, specification, predicate, checked)?;
    for why in &emitted.left_out {
        console::say(&format!("note: {why}\n"));
    }
    let class = match &specification.target {
        Some(target) => specification.plan.receiver.clone().unwrap_or_else(|| target.class.clone()),
        None => return Ok(Status::DONE),
    };
    let cases: Vec<&Case> = emitted.cases.iter().map(|it| &it.case).collect();
    console::say(&withheld_tests::text(&class.replace('/', "."), &withheld_tests::of_cases(cases)));
    let facts = ProgramFacts::new(program);
    let is_whole = checked.is_complete && args.limit.is_none() && !interrupted();
    let form = args.emission.form(program).map_err(|error| failed(&error))?;
    let Some(mut junit) = counterexample_class(&class, &emitted.cases, form, &facts) else {
        let tests = test_folder(&args.emission, author, out);
        let written = tests.write(&class, &[], is_whole).map_err(|error| failed(&error))?;
        written.notes.iter().for_each(|note| console::say(&format!("note: {note}\n")));
        return Ok(Status::DONE);
    };
    let mut emitter =
        Emitter::start(&args.emission, author, out, program, []).map_err(|error| failed(&error))?;
    emitter.name(&mut junit);
    let EmissionResult { classes, paths, divergences, notes, status, error } =
        emitter.classes(&class, vec![junit], is_whole);
    for (path, class) in paths.iter().zip(&classes) {
        let count = class.methods.len();
        let text = format!("{}: {count} tests, each fails until the defect is fixed\n", path.display());
        console::say(&text);
    }
    notes.iter().for_each(|note| console::say(&format!("note: {note}\n")));
    divergences.iter().for_each(|it| console::error(it));
    match error {
        Some(error) => Err(Error::Other(error)),
        None => Ok(status),
    }
}
