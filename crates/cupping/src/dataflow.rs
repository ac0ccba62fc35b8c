//! `cupping dataflow`: pairs, conditions and sequences of classes, one class after the other.

mod said;
pub(crate) mod suite;

use crate::classes::{PerClass, one_after_the_other};
use crate::console::{self, bad_input};
use crate::dataflow_args::DataflowArgs;
use crate::exit::Status;
use crate::interrupt::interrupted;
use crate::jobs::End;
use crate::names;
use crate::selection;
use crate::settle::Settler;
use cupping_classfile::{Jdk, Program};
use cupping_dataflow::claims::Claims;
use cupping_dataflow::{Analysis, Verdict, analyse, open};
use cupping_generate::{ClassOutcome, Session, Statistics, Workbench, Written};
use cupping_machine::Machine;
use cupping_report::files::{Author, Mark, TestFolder, put_generated};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use suite::Suite;

/// Runs the command.
pub fn dataflow(args: &DataflowArgs, author: &Author) -> Status {
    let jdk = match Jdk::locate(args.jdk.as_deref()) {
        Ok(jdk) => jdk,
        Err(error) => return bad_input(&error.to_string()),
    };
    let (program, selection) = selection::choose(&args.selectors, args.classpath.as_deref(), jdk);
    let mut status = Status::DONE;
    for error in &selection.errors {
        status.add(bad_input(error));
    }
    let said = match said::Said::of(args, &program, &selection) {
        Ok(said) => said,
        Err(error) => {
            let named: Vec<String> = args.invariants.iter().map(|it| it.method.clone()).collect();
            match names::methods("--invariant", &named, &program, &selection).first() {
                Some(unknown) => console::error(unknown),
                None => crate::spec::eprint_all(&error),
            }
            return Status::BAD_INPUT;
        }
    };
    for unused in &said.claims.unused {
        console::error(&format!("--contract: {unused}; it is not made use of"));
    }
    let program = said.program;
    // What certifies and writes tests, if they are asked for.
    let settler = args.out.as_deref().map(|out| {
        let mut tests = TestFolder::new(out, author.clone(), args.emission.name_pattern.clone());
        tests.reserve(selection.classes.iter().map(|class| class.name.as_str()));
        Settler::of_command(author, &program, tests, &args.emission)
    });
    let settler = match settler.transpose() {
        Ok(settler) => settler,
        Err(error) => return bad_input(&error),
    };
    let names: Vec<&str> =
        selection.classes.iter().filter(|c| c.error.is_none()).map(|c| c.name.as_str()).collect();
    let mut session = match Session::new(Arc::clone(&program)) {
        Ok(session) => session,
        Err(error) => return bad_input(&error.to_string()),
    };
    let suite = match args.suite.as_deref() {
        None => None,
        Some(path) => match Suite::run(args, path, &program, &mut session, &names) {
            Ok(suite) => Some(suite),
            Err(error) => return bad_input(&error),
        },
    };
    let command = format!("cupping dataflow {}", author.options);
    let mut work = Work { args, claims: &said.claims, program: &program, suite, settler, command };
    status.add(one_after_the_other(&mut work, session, &selection.classes, interrupted));
    // With --complete, that there is nothing to write is as good as it gets.
    if let Some(settler) = work.settler.as_ref().filter(|_| !args.complete) {
        status.add(settler.nothing_written(status));
    }
    status
}

/// What is done for each class.
struct Work<'a> {
    args: &'a DataflowArgs,
    claims: &'a Arc<Claims>,
    program: &'a Arc<Program>,
    suite: Option<Suite>,
    settler: Option<Settler<'a>>,
    command: String,
}

impl PerClass for Work<'_> {
    type Session = Session;

    fn boot(&mut self) -> Result<Session, String> {
        Session::new(Arc::clone(self.program)).map_err(|error| error.to_string())
    }

    fn work(&mut self, session: &mut Session, class: &str) -> Result<Status, String> {
        one(self.args, self.claims, session, class, self.suite.as_ref(), self.settler.as_mut())
    }

    fn command(&self) -> String {
        self.command.clone()
    }

    fn out(&self) -> Option<PathBuf> {
        self.args.out.clone()
    }
}

fn one(
    args: &DataflowArgs,
    claims: &Arc<Claims>,
    session: &mut Session,
    class: &str,
    suite: Option<&Suite>,
    settler: Option<&mut Settler<'_>>,
) -> Result<Status, String> {
    let started = Instant::now();
    let options = args.options(claims);
    let mut bench = open(session, class, &options).map_err(|error| error.to_string())?;
    let mut analysis = analyse(&mut bench, &options, &mut |_| !interrupted());
    let exercised = suite.map(|suite| suite.exercised(&analysis));
    exercised.iter().for_each(|exercised| analysis.exercised_by_suite(exercised));
    draw(args, class, &analysis, bench.machine())?;
    if !args.quiet {
        console::say(&text(args, class, &analysis, bench.machine(), exercised.as_ref()));
    }
    let mut status = Status::DONE;
    for (pair, calls) in &analysis.refuted {
        console::error(&format!(
            "{}: pair {} was said to be infeasible, and these calls exercise it: {}; please report this",
            class.replace('/', "."),
            pair + 1,
            calls.join(", ")
        ));
        status.add(Status::WRONG);
    }
    if let (Some(exercised), true) = (&exercised, args.complete) {
        analysis.tests.retain(|(_, pairs)| pairs.iter().any(|pair| !exercised.contains(pair)));
    }
    if let Some(settler) = settler {
        status.add(emit(args, class, analysis, bench, settler, started));
    }
    Ok(status)
}

/// Writes the tests of a class.
fn emit(
    args: &DataflowArgs,
    class: &str,
    analysis: Analysis,
    bench: Workbench<'_>,
    settler: &mut Settler<'_>,
    started: Instant,
) -> Status {
    let tests: Vec<_> = analysis
        .tests
        .iter()
        .map(|(candidate, pairs)| {
            let numbers: Vec<String> = pairs.iter().map(|p| (p + 1).to_string()).collect();
            (candidate.clone(), format!("pair {}", numbers.join(" ")))
        })
        .collect();
    let Written { suite, coverage, errors } = bench.write(&tests);
    let outcome = ClassOutcome {
        suite,
        coverage,
        explanation: None,
        sequences: None,
        internal_errors: errors,
        unanswered: Vec::new(),
        unreached: Vec::new(),
        statistics: Statistics::default(),
        work: started.elapsed(),
        wants_more: false,
        elapsed: started.elapsed(),
    };
    settler.settle(class, End::Done(Box::new(outcome))).tell(args.quiet)
}

/// Writes drawings and pages.
fn draw(args: &DataflowArgs, class: &str, analysis: &Analysis, machine: &Machine) -> Result<(), String> {
    use cupping_dataflow::graph::{dot, svg};
    let Analysis { flat, graph, accesses, .. } = analysis;
    if let Some(folder) = &args.dot {
        write(folder, class, "dot", Mark::Slashes, &dot(machine, flat, graph, accesses))?;
    }
    if let Some(folder) = &args.svg {
        write(folder, class, "svg", Mark::Html, &svg(machine, flat, graph, accesses))?;
    }
    if let Some(folder) = &args.html {
        write(folder, class, "html", Mark::Html, &analysis.page(machine))?;
    }
    Ok(())
}

fn write(folder: &Path, class: &str, suffix: &str, mark: Mark, text: &str) -> Result<(), String> {
    let class = class.replace('/', ".");
    let file = folder.join(format!("{class}.{suffix}"));
    let author = Author { command: "dataflow".into(), options: String::new() };
    put_generated(&file, mark, &author, &class, text).map_err(|error| {
        format!("{}: cannot be written ({error}); name a folder that can be written to", file.display())
    })
}

/// What is printed about a class.
fn text(
    args: &DataflowArgs,
    class: &str,
    analysis: &Analysis,
    machine: &Machine,
    exercised: Option<&BTreeSet<usize>>,
) -> String {
    let mut out = format!("{}\n\n", class.replace('/', "."));
    if args.conditions {
        out += &analysis.conditions(machine);
        out.push('\n');
    }
    out += &analysis.table(machine);
    for number in &args.trees {
        let pair = number.get() - 1;
        match analysis.tree(machine, pair) {
            Some(tree) => out += &format!("\npair {number}\n{tree}"),
            None => out += &format!("\npair {number}: no tree was built\n"),
        }
    }
    if let Some(exercised) = exercised {
        out += &of_suite(analysis, exercised);
    }
    out.push('\n');
    out
}

/// What the user's tests exercise and what they leave.
fn of_suite(analysis: &Analysis, exercised: &BTreeSet<usize>) -> String {
    let is_feasible = |pair: &usize| matches!(analysis.verdicts[*pair], Verdict::Covered { .. });
    let all: BTreeSet<usize> =
        (0..analysis.pairs.len()).filter(is_feasible).chain(exercised.iter().copied()).collect();
    let numbers = |pairs: Vec<&usize>| -> String {
        let texts: Vec<String> = pairs.into_iter().map(|pair| (pair + 1).to_string()).collect();
        if texts.is_empty() { "none".to_owned() } else { texts.join(" ") }
    };
    format!(
        "the suite exercises {} of {} feasible pairs: {}\nmissing: {}\n",
        exercised.len(),
        all.len(),
        numbers(exercised.iter().collect()),
        numbers(all.difference(exercised).collect())
    )
}
