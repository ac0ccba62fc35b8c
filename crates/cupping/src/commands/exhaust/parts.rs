//! The search in parts: each is a job, and the results are joined in their order.
//!
//! With `--parts` a run enumerates the inputs part by part, so that it numbers them as joined jobs do.

use super::arguments::Arguments;
use super::limits::{limits, plain};
use crate::frame::parts::{Parts, PartsEnd};
use crate::frame::schedule::Schedule;
use crate::frame::store_context::StoreContext;
use crate::frame::{Budget, Failure, Share as BudgetShare, UnitEnd, Work};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::process::progress::{Board, Line};
use crate::shared::store::Stage;
use cupping_classfile::Program;
use cupping_exhaust::portions::{self, Progress};
use cupping_exhaust::{CheckLimits, CheckResult, Error, Predicate, Share, Specification, World};
use cupping_jobs::Digest;
use cupping_relation::Scope;
use cupping_report::files::Author;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Estimated work on a part, in milliseconds: nothing is known about it.
const COST: u64 = 10_000;

/// The result of a part; counters are those of the part alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PartResult {
    /// What was checked; if inputs are only counted, their number.
    pub checked: CheckResult,
    /// Candidates that the predicate was run on, if there is one.
    pub candidates: u64,
}

/// Where inputs come from. Each part reads it again, since formulas cannot be shared between threads.
pub enum InputSource<'a> {
    /// A specification: its file, its text, and the scope.
    Specification { file: &'a str, text: &'a str, scope: &'a Scope },
    /// The predicate of `--repok`.
    Predicate(&'a str),
}

/// Whether the search is in parts.
pub fn are_wanted(args: &Arguments) -> bool {
    args.parts > 1 || args.store.is_wanted()
}

/// Whether the present stage is possible with these options.
///
/// # Errors
///
/// They cannot be planned.
pub fn check_stage(args: &Arguments) -> Result<(), String> {
    let part = match () {
        () if args.grow => "--grow",
        () if args.show.is_some() => "--show",
        () if !args.equivalent.is_empty() => "--equivalent",
        () => return Ok(()),
    };
    match args.store.stage {
        Stage::All => Ok(()),
        _ => Err(format!("exhaust {part} cannot be planned")),
    }
}

/// Finds, does or plans all parts; the result is `None` if the command is over then.
///
/// # Errors
///
/// A part cannot be searched, or there is no store.
pub fn all(
    args: &Arguments,
    author: &Author,
    program: &Arc<Program>,
    source: &InputSource<'_>,
) -> Result<(Option<PartResult>, Status), String> {
    let count = args.parts;
    let names: Vec<String> = (1..=count).map(|number| format!("part {number} of {count}")).collect();
    let units: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut keeping = StoreContext::wanted(&args.store, "exhaust", &author.options, &[], program)?;
    if let Some(keeping) = &mut keeping {
        for name in &names {
            keeping.depends_on(name, source.digest());
            keeping.costs(name, COST);
        }
    }
    let board = Board::hidden();
    let schedule = Schedule {
        units: &units,
        jobs: args.budget.jobs.threads(),
        budget: Budget::Each(Duration::ZERO),
        interrupted,
        board: &board,
    };
    let mut results: Vec<Option<PartResult>> = vec![None; units.len()];
    let mut failure = None;
    let searches = Searches { args, program, source };
    let parts = Parts { command: "exhaust", schedule, keeping: keeping.as_ref() };
    let PartsEnd { is_over, mut status } =
        parts.conduct(&searches, &mut |_, found| Ok(found), &mut |at, end| match end {
            UnitEnd::Done(result) => results[at] = Some(result),
            UnitEnd::Failed(Failure::Interrupted | Failure::Late) => {}
            UnitEnd::Failed(Failure::Boot(error) | Failure::Input(error)) => {
                failure.get_or_insert(error);
            }
            UnitEnd::Panicked(panic) => {
                failure.get_or_insert(format!("internal error: panic: {panic}; please report it"));
            }
        });
    if is_over {
        return Ok((None, status));
    }
    // Jobs that are not done have been reported.
    if let Some(failure) = failure.filter(|_| status == Status::DONE) {
        return Err(failure);
    }
    let mut joined = PartResult::default();
    joined.checked.is_complete = true;
    for result in results {
        match result {
            Some(part) => {
                joined.checked.append(part.checked, args.examples.max(1));
                joined.candidates += part.candidates;
            }
            None => joined.checked.is_complete = false,
        }
    }
    if !joined.checked.is_complete && !interrupted() && status == Status::DONE {
        console::remark(|| "some inputs were not tried within the budget".to_owned());
    }
    if interrupted() {
        status.add(Status::INTERRUPTED);
    }
    Ok((Some(joined), status))
}

impl InputSource<'_> {
    fn digest(&self) -> Digest {
        match self {
            // The options name the scope, if the specification does not.
            InputSource::Specification { text, .. } => Digest::of(text.as_bytes()),
            InputSource::Predicate(predicate) => Digest::of(predicate.as_bytes()),
        }
    }
}

/// The work on parts.
struct Searches<'a> {
    args: &'a Arguments,
    program: &'a Arc<Program>,
    source: &'a InputSource<'a>,
}

impl Work for Searches<'_> {
    type Session = ();
    type Findings = PartResult;

    fn boot(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn work(&self, (): &mut (), unit: &str, _: BudgetShare, _: &Line) -> Result<PartResult, Failure> {
        let of = self.args.parts;
        let numbers = (1..=of).position(|it| unit == format!("part {it} of {of}"));
        let part = u32::try_from(numbers.unwrap_or_default()).unwrap_or_default();
        let mut limits = limits(self.args);
        // Each part has an equal share of the budget.
        if limits.work != u64::MAX {
            limits.work /= u64::from(of);
        }
        match self.source {
            InputSource::Specification { file, text, scope } => {
                let searched = self.specification(file, text, scope, limits, (part, of));
                searched.map_err(|error| Failure::Input(error.render(file, text)))
            }
            InputSource::Predicate(predicate) => {
                let share = Share::part(part as usize, of as usize);
                let searched = self.predicate(predicate, limits, share);
                searched.map_err(|error| Failure::Input(plain(error)))
            }
        }
    }
}

impl Searches<'_> {
    fn specification(
        &self,
        file: &str,
        text: &str,
        scope: &Scope,
        limits: CheckLimits,
        (part, of): (u32, u32),
    ) -> Result<PartResult, Error> {
        let mut specification = Specification::read(file, text, self.program, None)?;
        specification.scope = scope.clone();
        let mut problem = specification.problem()?;
        problem.restrict(part, of);
        if self.args.count {
            let mut checked = CheckResult { is_complete: true, ..CheckResult::default() };
            while problem.advance() {
                if interrupted() {
                    checked.is_complete = false;
                    break;
                }
                checked.inputs += 1;
            }
            return Ok(PartResult { checked, candidates: 0 });
        }
        let mut world = World::boot(Arc::clone(self.program), &specification)?;
        let done = portions::check(
            &specification,
            self.program,
            &mut world,
            (limits, 1),
            Progress::default(),
            &mut problem,
            &mut |_, _| !interrupted(),
        )?;
        Ok(PartResult { checked: done.checked, candidates: 0 })
    }

    fn predicate(&self, predicate: &str, limits: CheckLimits, share: Share) -> Result<PartResult, Error> {
        let scope = self.args.scope.as_deref().unwrap_or_default();
        let method = self.args.method.as_deref();
        let predicate = Predicate::read(self.program, predicate, method, scope, &self.args.header)?;
        let mut world = World::boot(Arc::clone(self.program), &predicate.specification)?;
        if self.args.count || self.args.method.is_none() {
            let tried = predicate.count_share(&mut world, share, |_| !interrupted())?;
            let inputs = tried.valid;
            let checked = CheckResult { inputs, is_complete: !interrupted(), ..CheckResult::default() };
            return Ok(PartResult { checked, candidates: tried.candidates });
        }
        let (checked, tried) = predicate.check_share(&mut world, limits, share, |_| !interrupted())?;
        Ok(PartResult { checked, candidates: tried.candidates })
    }
}
