//! `cupping watch`: a program in test mode.

pub mod arguments;
mod earlier;
mod suite;

use crate::frame::documents::{self, CommandOutcome};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::{self, interrupted};
use crate::shared::budget::steps_of;
use crate::shared::findings::{FindingSet, ReportedFindings, SourceFolders};
use crate::shared::specifications;
use crate::shared::suite::Junit;
use crate::shared::{names, parallel, program, write};
use arguments::{Arguments, OutcomeName};
use cupping_report::files::Author;
use cupping_watch::{CheckOptions, Report, TripleEnd, WatchOptions, Watcher, branches, generalize};
use earlier::Earlier;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    match watched(args) {
        Ok((code, report, reported)) => {
            let is_open =
                |it: &OutcomeName| reported.open.iter().any(|found| found.rule == it.outcome().name());
            // Calls of methods without triples are counted, and are no findings.
            let is_untested =
                |it: &OutcomeName| *it == OutcomeName::Untested && report.count(it.outcome()) > 0;
            let failed = args.fail_on.iter().any(|it| is_open(it) || is_untested(it));
            if !console::is_quiet() {
                eprint!("{}", cupping_watch::text(&report));
                reported.remark().iter().for_each(|remark| eprint!("{remark}"));
            }
            let code = if code == 0 && failed { Status::WRONG.code() } else { code };
            ExitCode::from(code)
        }
        Err(message) => {
            console::diagnostic(&message);
            ExitCode::from(Status::BAD_INPUT.code())
        }
    }
}

fn watched(args: &Arguments) -> Result<(u8, Report, ReportedFindings), String> {
    args.report.findings.check()?;
    let (mut machine, main_class, arguments) = program::start(&args.program)?;
    names::require_classes("--changed", &args.changed, machine.program())?;
    let options = CheckOptions {
        tries: args.tries,
        seed: args.program.seed,
        depth: args.depth,
        ..CheckOptions::default()
    };
    let jobs = args.budget.jobs.threads();
    let mut tested = specifications::test(&args.specs, machine.program().clone(), &options, jobs)?;
    // A triple that does not hold by itself says nothing about the program.
    if tested.checked.results.iter().any(|it| it.end != TripleEnd::Passed) {
        eprint!("{}", specifications::results(&tested));
    }
    let mut branches = branches(&tested.compiled, &tested.specifications, &tested.checked);
    let (mut replaced, mut earlier_code) = (None, None);
    if !args.suite.suite.is_empty() {
        let open = |path: &String| Earlier::open(path, machine.program());
        let earlier = args.suite_class_path.as_ref().map(open).transpose()?;
        let program = earlier.as_ref().map_or(machine.program(), |it| &it.program);
        let coverage = earlier.as_ref().map_or(&tested.coverage, |it| &it.coverage);
        replaced = earlier.as_ref().map(|it| it.replaced.clone());
        earlier_code = earlier.as_ref().map(|it| Arc::new(it.code(machine.program())));
        let replaced = replaced.clone().unwrap_or_default();
        let junit = Junit::prepare(&args.junit, &args.suite.suite, program)?;
        let collected = parallel::in_order(jobs, &args.suite.suite, |place, name| {
            suite::triples(args, name, &junit, program, coverage, replaced.clone(), place)
        });
        for taken in collected {
            let mut taken = taken?;
            if let Some(earlier) = &earlier {
                earlier.fit(&mut taken.triples, &tested.coverage);
            }
            taken.left_out(earlier.is_some()).iter().for_each(|it| console::error(it));
            taken.triples.number_from(tested.compiled.cases.len());
            tested.compiled.cases.extend(taken.triples.cases);
            tested.compiled.classes.extend(taken.triples.classes);
            branches.extend(taken.triples.branches);
        }
        machine.set_guests(suite::suite_class_path(&args.suite.suite, &junit, machine.program().jdk())?);
    }
    generalize(&tested.compiled, &mut branches);
    let changed = args.changed.iter().map(|it| it.replace('/', ".")).collect();
    let overhead = Some(args.overhead).filter(|it| *it > 0);
    let budget = args.budget.budget.map(steps_of);
    let options = WatchOptions {
        depth: args.depth,
        changed,
        overhead,
        budget,
        replaced,
        earlier: earlier_code,
        ..WatchOptions::default()
    };
    let specifications = Rc::new(tested.specifications);
    let compiled = Rc::new(tested.compiled);
    let coverage = Rc::new(tested.coverage);
    let watcher = Watcher::install(&mut machine, compiled, specifications, branches, coverage, options)?;
    machine.end_when(interrupted);
    interrupt::so_far("the report was not created".into());
    let code = program::launch(&args.program, &mut machine, &main_class, &arguments);
    interrupt::closing();
    let code = if interrupted() { Status::INTERRUPTED.code() } else { code };
    let report = watcher.report(&machine);
    show(args, &report)?;
    let (rules, findings) = cupping_watch::findings(&report);
    let folders = SourceFolders::of(&args.report.sources, &machine.program().class_path().paths());
    let set = FindingSet { rules, findings };
    let (reported, mut status) = args.report.findings.apply("watch", set, &folders);
    if let Err(error) = args.report.findings.write("watch", &reported) {
        status.add(console::bad_input(&error));
    }
    let code = if status == Status::DONE || code != 0 { code } else { status.code() };
    Ok((code, report, reported))
}

/// Writes the report into the files that the user names.
fn show(args: &Arguments, report: &Report) -> Result<(), String> {
    if let Some(path) = &args.report.html {
        let is_file = path.extension().is_some_and(|it| it == "html");
        let file = if is_file { path.clone() } else { path.join("index.html") };
        write::file(&file, cupping_watch::html(report).as_bytes(), "name another place with --html")?;
    }
    let status = if interrupted() { Status::INTERRUPTED } else { Status::DONE };
    let outcome = CommandOutcome { command: "watch", status: status.word(), problems: Vec::new() };
    documents::write_json(&args.report, || outcome.json(report))
}
