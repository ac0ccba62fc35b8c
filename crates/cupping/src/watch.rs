//! `cupping watch`: a program in test mode.

mod suite;

use crate::console;
use crate::exit::Status;
use crate::interrupt::{self, interrupted};
use crate::names;
use crate::run;
use crate::spec::{self, eprint_all};
use crate::spec_args::WatchArgs;
use cupping_report::files;
use cupping_watch::{Options, Report, Settings, TripleEnd, Watcher, branches, generalize};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

/// Runs the command.
pub fn run(args: &WatchArgs) -> ExitCode {
    match watched(args) {
        Ok((code, report)) => {
            let failed = args.fail_on.iter().any(|it| report.count(it.outcome()) > 0);
            if !args.quiet {
                eprint!("{}", cupping_watch::text(&report));
            }
            let code = if code == 0 && failed { Status::WRONG.code() } else { code };
            ExitCode::from(code)
        }
        Err(message) => {
            eprint_all(&message);
            ExitCode::from(Status::BAD_INPUT.code())
        }
    }
}

fn watched(args: &WatchArgs) -> Result<(u8, Report), String> {
    let (mut machine, main_class, arguments) = run::start(&args.run)?;
    names::classes("--changed", &args.changed, &machine.program)?;
    let settings =
        Settings { tries: args.tries, seed: args.run.seed, depth: args.depth, ..Settings::default() };
    let mut tested = spec::test(&args.specs, machine.program.clone(), &settings)?;
    // What does not hold by itself is told, and says nothing of the program.
    if tested.checked.results.iter().any(|it| it.end != TripleEnd::Passed) {
        eprint!("{}", spec::results(&tested));
    }
    let mut branches = branches(&tested.compiled, &tested.specifications, &tested.checked);
    for path in &args.suite {
        let first = tested.compiled.cases.len();
        let triples = suite::triples(args, path, &machine.program, &tested.coverage, first)?;
        triples.left_out(path).iter().for_each(|it| console::error(it));
        let triples = triples.triples;
        tested.compiled.cases.extend(triples.cases);
        tested.compiled.classes.extend(triples.classes);
        branches.extend(triples.branches);
    }
    generalize(&tested.compiled, &mut branches);
    if !args.suite.is_empty() {
        machine.set_guests(suite::beside(args, machine.program.jdk())?);
    }
    let changed = args.changed.iter().map(|it| it.replace('/', ".")).collect();
    let overhead = Some(args.overhead).filter(|it| *it > 0);
    let options = Options { depth: args.depth, changed, overhead, ..Options::default() };
    let specifications = Rc::new(tested.specifications);
    let compiled = Rc::new(tested.compiled);
    let coverage = Rc::new(tested.coverage);
    let watcher = Watcher::install(&mut machine, compiled, specifications, branches, coverage, options)?;
    machine.end_when(interrupted);
    interrupt::so_far("the report was not made".into());
    let code = run::launch(&args.run, &mut machine, &main_class, &arguments);
    interrupt::closing();
    let code = if interrupted() { Status::INTERRUPTED.code() } else { code };
    let report = watcher.report(&machine);
    if let Some(path) = &args.html {
        write(path, &cupping_watch::html(&report))?;
    }
    if let Some(path) = &args.json {
        write(path, &cupping_watch::json(&report))?;
    }
    if let Some(path) = &args.sarif {
        write(path, &cupping_watch::sarif(&report))?;
    }
    Ok((code, report))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    files::put(path, text.as_bytes())
        .map_err(|error| format!("{}: it cannot be written ({error}); name another place", path.display()))
}
