//! Counterexamples as JUnit tests, certified: they compile, and they fail, with what they are to fail with.

use crate::console;
use crate::exhaust_args::ExhaustArgs;
use crate::exit::Status;
use crate::facts::ProgramFacts;
use crate::interrupt::interrupted;
use cupping_case::Case;
use cupping_classfile::Program;
use cupping_exhaust::{Checked, Error, Specification, World, emit};
use cupping_report::certify::{Stage, Verdict};
use cupping_report::files::{Author, TestFolder};
use cupping_report::junit::{JunitClass, counterexample_class};
use cupping_report::withheld;

/// Writes the counterexamples of a check as tests, if that is asked for.
pub fn write_tests(
    args: &ExhaustArgs,
    author: &Author,
    world: &mut World,
    program: &Program,
    specification: &Specification,
    predicate: Option<&str>,
    checked: &Checked,
) -> Result<Status, Error> {
    let Some(out) = &args.out else { return Ok(Status::DONE) };
    let failed = |error: &dyn std::fmt::Display| Error::Other(error.to_string());
    let emitted = emit(world, program, specification, predicate, checked)?;
    let say = |line: String| {
        if !args.quiet {
            console::say(&line);
        }
    };
    for why in &emitted.left_out {
        say(format!("note: {why}\n"));
    }
    let class = match &specification.target {
        Some(target) => specification.plan.receiver.clone().unwrap_or_else(|| target.class.clone()),
        None => return Ok(Status::DONE),
    };
    let cases: Vec<&Case> = emitted.cases.iter().map(|it| &it.case).collect();
    say(withheld::text(&class.replace('/', "."), &withheld::of_cases(cases)));
    let facts = ProgramFacts::new(program);
    let tests = TestFolder::new(out, author.clone(), args.emission.name_pattern.clone());
    let put = |classes: &[JunitClass]| -> Result<(), Error> {
        let is_whole = checked.is_complete && args.limit.is_none() && !interrupted();
        let written = tests.write(&class, classes, is_whole).map_err(|error| failed(&error))?;
        for (path, class) in written.paths.iter().zip(classes) {
            let count = class.methods.len();
            say(format!("{}: {count} tests, each fails as long as the defect is there\n", path.display()));
        }
        written.notes.iter().for_each(|note| say(format!("note: {note}\n")));
        Ok(())
    };
    let Some(mut junit) = counterexample_class(&class, &emitted.cases, args.emission.version(), &facts)
    else {
        put(&[])?;
        return Ok(Status::DONE);
    };
    tests.name(&mut junit);
    let mut certifier = args.emission.certifier(program).map_err(|error| failed(&error))?;
    let Verdict { classes, divergences } = certifier.certify(vec![junit]).map_err(|error| failed(&error))?;
    put(&classes)?;
    let mut status = Status::DONE;
    for it in divergences {
        if it.stage != Stage::NotRun {
            status.add(Status::WRONG);
        }
        console::error(&it);
    }
    Ok(status)
}
