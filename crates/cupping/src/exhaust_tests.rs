//! Counterexamples as JUnit tests, certified: they compile, and they fail, with what they are to fail with.

use crate::console;
use crate::exhaust_args::ExhaustArgs;
use crate::exit::Status;
use crate::facts::ProgramFacts;
use cupping_case::Case;
use cupping_classfile::Program;
use cupping_exhaust::{Checked, Error, Specification, World, emit};
use cupping_report::certify::{Certifier, CertifierOptions, JarSources, Verdict};
use cupping_report::files;
use cupping_report::junit::counterexample_class;
use cupping_report::withheld;
use std::path::PathBuf;

/// Writes the counterexamples of a check as tests, if that is asked for.
pub fn write_tests(
    args: &ExhaustArgs,
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
    let Some(class) = counterexample_class(&class, &emitted.cases, args.version(), &facts) else {
        return Ok(Status::DONE);
    };
    let mut options = CertifierOptions::new(program.jdk().home(), args.version());
    options.jars = JarSources::of_machine(&args.junit_jar);
    let mut certifier = Certifier::start(options).map_err(|error| failed(&error))?;
    let class_path: Vec<PathBuf> = program.class_path().entries().map(|it| it.path().to_owned()).collect();
    let Verdict { classes, divergences } =
        certifier.certify(vec![class], &class_path).map_err(|error| failed(&error))?;
    for path in files::write(out, &classes).map_err(|error| failed(&error))? {
        let tests: usize = classes.iter().map(|it| it.methods.len()).sum();
        say(format!("{}: {tests} tests, each fails as long as the defect is there\n", path.display()));
    }
    let mut status = Status::DONE;
    for it in divergences {
        status.add(Status::WRONG);
        console::error(&format!("{}.{} was dropped: {}", it.class, it.test, it.detail));
    }
    Ok(status)
}
