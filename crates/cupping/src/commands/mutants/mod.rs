//! `cupping mutants`: how many small faults each suite of tests notices.
//!
//! Each suite gets machines of its own, a thread each. On each its tests are found and run once, from the
//! same frozen state, which shows what they reach. Then, the quickest first, each is run again as far as it
//! reaches mutants that none has noticed: these are judged on forks of that run ([`mod@judge`],
//! [`mod@forks`]).

pub mod arguments;
mod faults;
mod forks;
mod judge;
mod report;

use crate::frame::documents::{self, Outcome};
use crate::frame::schedule::Schedule;
use crate::frame::{Budget, End as UnitEnd, Failure, Share, Work};
use crate::process::console::{self, bad_input};
use crate::process::exit::Status;
use crate::process::interrupt::{self, interrupted};
use crate::process::progress::{Board, Line};
use crate::shared::suite::{Junit, Suite};
use arguments::Arguments;
use cupping_report::files::Author;
use cupping_report::mutants::{End, Row, Scores};
use cupping_view::Problem;
use faults::{Faults, faults};
use judge::{Judge, Judged};
use std::process::ExitCode;
use std::time::Duration;

/// Steps that an ordinary machine takes in a millisecond.
const STEPS_OF_MILLISECOND: u64 = 10_000;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    ExitCode::from(mutants(args).unwrap_or_else(|error| bad_input(&error)).code())
}

fn mutants(args: &Arguments) -> Result<Status, String> {
    let (program, selectors, errors) = args.classes.open(args.jdk.locate()?);
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let faults = faults(args, &selectors, &program)?;
    let junit = Junit::prepare(&args.junit, &args.suite.suite, &program)?;
    let open = |name: &String| Suite::open(name, &junit, &program, &[]);
    let suites: Vec<Suite> = args.suite.suite.iter().map(open).collect::<Result<_, _>>()?;
    let (parts, judged) = judge(args, &faults, &suites);
    let mut problems = Vec::new();
    let mut status = Status::DONE;
    let mut all = Vec::new();
    for (at, end) in judged {
        let suite = &suites[at / parts].name;
        let judged = match end {
            UnitEnd::Done(judged) => Some(judged),
            UnitEnd::Failed(Failure::Interrupted) => None,
            UnitEnd::Failed(Failure::Boot(error) | Failure::Input(error)) => return Err(error),
            UnitEnd::Panicked(panic) => {
                problems.push(Problem::of(
                    suite,
                    format!("{suite}: internal error: panic: {panic}; please report it"),
                ));
                status.add(Status::WRONG);
                None
            }
        };
        for panic in judged.iter().flat_map(|it| &it.panics) {
            problems.push(Problem::of(suite, format!("{panic}; please report it")));
            status.add(Status::WRONG);
        }
        if at.is_multiple_of(parts) {
            judged.iter().flat_map(|it| &it.notes).for_each(|note| console::error(note));
        }
        all.push(judged);
    }
    problems.iter().for_each(|problem| console::error(&problem.message));
    interrupt::closing();
    let by_suite = all.chunks(parts).map(|parts| merged(args, &faults, parts)).collect::<Vec<_>>();
    let scores = scores(args, &faults, &by_suite);
    if interrupted() {
        status.add(Status::INTERRUPTED);
    }
    documents::write_index(&args.report, "mutants", || report::page(&scores))?;
    let outcome = Outcome { command: "mutants", status: status.word(), problems };
    documents::write_json(&args.report, || outcome.json(&scores))?;
    console::say(&scores.table());
    if args.survivors {
        console::say(&scores.survivors());
    }
    if interrupted() {
        console::error(&"interrupted; mutants that were not judged count as such");
    }
    Ok(status)
}

/// Judges all suites, each in as many parts as there are threads for it; how many parts, and the end of each, by suite
/// and part.
fn judge(args: &Arguments, faults: &Faults, suites: &[Suite]) -> (usize, Vec<(usize, UnitEnd<Judged>)>) {
    let jobs = args.budget.jobs.threads();
    let parts = jobs.get().div_ceil(suites.len().max(1)).clamp(1, faults.mutants.len());
    let units: Vec<String> = (0..suites.len() * parts).map(|at| at.to_string()).collect();
    let names: Vec<&str> = units.iter().map(String::as_str).collect();
    let board = Board::hidden();
    let schedule =
        Schedule { units: &names, jobs, budget: Budget::Each(Duration::MAX), interrupted, board: &board };
    let mut ends = Vec::new();
    schedule.run(&Judges { args, faults, suites, parts }, |at, end| ends.push((at, end)));
    ends.sort_by_key(|(at, _)| *at);
    (parts, ends)
}

/// Judges a part of the mutants by a suite.
struct Judges<'a> {
    args: &'a Arguments,
    faults: &'a Faults,
    suites: &'a [Suite],
    parts: usize,
}

impl Work for Judges<'_> {
    type Session = ();
    type Found = Judged;

    fn boot(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn work(&self, (): &mut (), unit: &str, _: Share, _: &Line) -> Result<Judged, Failure> {
        let at: usize = unit.parse().unwrap_or_default();
        let judge =
            Judge::new(self.args, &self.suites[at / self.parts], self.faults).map_err(Failure::Input)?;
        judge.judge(at % self.parts, self.parts).map_err(Failure::Input)
    }
}

/// What a suite's parts found of all mutants.
struct Merged {
    ends: Vec<End>,
    passed: usize,
    left_out: usize,
}

/// Puts the parts together. With a budget, mutants count until those before them have used it up, whatever
/// the number of threads.
fn merged(args: &Arguments, faults: &Faults, parts: &[Option<Judged>]) -> Merged {
    let mut ends = vec![(End::NotJudged, 0); faults.mutants.len()];
    for (at, end, steps) in parts.iter().flatten().flat_map(|it| &it.ends) {
        ends[*at] = (*end, *steps);
    }
    let most = args.budget.budget.map_or(u64::MAX, |budget| {
        u64::try_from(budget.as_millis()).unwrap_or(u64::MAX).saturating_mul(STEPS_OF_MILLISECOND)
    });
    let mut used = 0u64;
    let counted = ends.into_iter().map(|(end, steps)| {
        let is_in_budget = used < most;
        used = used.saturating_add(steps);
        if is_in_budget { end } else { End::NotJudged }
    });
    let first = parts.iter().flatten().next();
    let (passed, left_out) = first.map_or((0, 0), |it| (it.passed, it.left_out));
    Merged { ends: counted.collect(), passed, left_out }
}

fn scores(args: &Arguments, faults: &Faults, judged: &[Merged]) -> Scores {
    let rows = faults.mutants.iter().enumerate().map(|(number, (class, mutant))| {
        let file = &faults.files[*class];
        Row {
            class: file.name.replace('/', "."),
            method: format!("{}{}", file.methods[mutant.method].name, file.methods[mutant.method].descriptor),
            line: mutant.line.map(u32::from),
            operator: mutant.operator,
            pit: mutant.replacement.pit,
            what: mutant.replacement.what.clone(),
            ends: judged.iter().map(|it| it.ends.get(number).copied().unwrap_or(End::NotJudged)).collect(),
        }
    });
    Scores {
        suites: args.suite.suite.clone(),
        tests: judged.iter().map(|it| (it.passed, it.left_out)).collect(),
        operators: args.operators.operators().map(|it| it.name).collect(),
        rows: rows.collect(),
    }
}
