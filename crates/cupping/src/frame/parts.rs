//! Work in parts whose results the command itself puts together, at any stage of a run.
//!
//! A part may be a class, a file of tests, a group of mutants or a subtree of a search. Its result is all that the
//! command needs of it, so it can be done elsewhere and kept.

use crate::frame::absence::Absence;
use crate::frame::command::Conclude;
use crate::frame::ledger::ClassConclusion;
use crate::frame::schedule::{Failure, Schedule, UnitEnd, Work};
use crate::frame::stages::{StageContext, Stages};
use crate::frame::store_context::StoreContext;
use crate::process::console;
use crate::process::exit::Status;
use crate::process::panics;
use crate::shared::store::Stage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;

/// The parts of a command's work.
pub struct Parts<'a> {
    /// The command.
    pub command: &'static str,
    /// The parts, as units, and how they are worked on.
    pub schedule: Schedule<'a>,
    /// The context of the store, if results are kept.
    pub keeping: Option<&'a StoreContext>,
}

/// The end of the work on all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartsEnd {
    /// Whether the command is over: it only plans, or does jobs of a plan.
    pub is_over: bool,
    /// The status so far.
    pub status: Status,
}

/// Makes the result of a part, on the calling thread.
pub type Conclusion<'a, F, R> = dyn FnMut(&str, F) -> Result<R, String> + 'a;

/// [`Conclude`] by a function; the row is the result.
struct ConcludePart<'a, 'b, F, R>(&'a mut Conclusion<'b, F, R>);

impl<F, R: Clone + Send + Serialize + DeserializeOwned + 'static> Conclude<F> for ConcludePart<'_, '_, F, R> {
    type Row = Option<R>;

    fn conclude(&mut self, part: &str, found: F) -> ClassConclusion<Option<R>> {
        match (self.0)(part, found) {
            Ok(result) => ClassConclusion::new(Some(result)),
            Err(error) => ClassConclusion {
                errors: vec![error],
                status: Status::BAD_INPUT,
                ..ClassConclusion::new(None)
            },
        }
    }
}

impl Parts<'_> {
    /// Does, finds, plans or skips the parts. `done` is called at most once for each, on the calling thread.
    pub fn conduct<W, R>(
        &self,
        work: &W,
        conclude: &mut Conclusion<'_, W::Findings, R>,
        done: &mut dyn FnMut(usize, UnitEnd<R>),
    ) -> PartsEnd
    where
        W: Work,
        R: Clone + Send + Serialize + DeserializeOwned + 'static,
    {
        let Some(keeping) = self.keeping else {
            self.schedule.run(work, |at, end| done(at, self.concluded(at, end, conclude)));
            return PartsEnd { is_over: false, status: Status::DONE };
        };
        let Schedule { units, jobs, budget, interrupted, board } = self.schedule;
        let absence = Absence {
            row: &|_: &str, _: &str| None,
            reproduction: "cupping",
            out: None,
            is_booted: Cell::new(true),
        };
        let command = self.command;
        let setting =
            StageContext { command, keeping, absence: &absence, units, jobs, budget, interrupted, board };
        let mut conclude = ConcludePart(conclude);
        let mut stages = Stages::new(setting, work, &mut conclude);
        if let Stage::Work { jobs, .. } = &keeping.stage {
            return PartsEnd { is_over: true, status: stages.do_jobs(jobs) };
        }
        let is_planned = matches!(keeping.stage, Stage::Plan { .. });
        let is_merged = matches!(keeping.stage, Stage::Merge);
        let mut status = Status::DONE;
        stages.all(&mut |at, end| {
            let end = match end {
                _ if is_planned => return,
                UnitEnd::Done(kept) => result(kept.put(keeping)),
                UnitEnd::Failed(Failure::Input(error)) if is_merged => {
                    status.add(console::bad_input(&error));
                    UnitEnd::Failed(Failure::Input(error))
                }
                UnitEnd::Failed(failure) => UnitEnd::Failed(failure),
                UnitEnd::Panicked(panic) => UnitEnd::Panicked(panic),
            };
            done(at, end);
        });
        PartsEnd { is_over: is_planned, status }
    }

    /// The end of a part whose result is not kept.
    fn concluded<F, R>(&self, at: usize, end: UnitEnd<F>, conclude: &mut Conclusion<'_, F, R>) -> UnitEnd<R> {
        match end {
            UnitEnd::Done(found) => match panics::catch(|| conclude(self.schedule.units[at], found)) {
                Ok(Ok(result)) => UnitEnd::Done(result),
                Ok(Err(error)) => UnitEnd::Failed(Failure::Input(error)),
                Err(panic) => UnitEnd::Panicked(panic),
            },
            UnitEnd::Failed(failure) => UnitEnd::Failed(failure),
            UnitEnd::Panicked(panic) => UnitEnd::Panicked(panic),
        }
    }
}

/// The end of a part with this conclusion.
fn result<R>(concluded: ClassConclusion<Option<R>>) -> UnitEnd<R> {
    match concluded.row {
        Some(result) if concluded.errors.is_empty() => UnitEnd::Done(result),
        _ => UnitEnd::Failed(Failure::Input(concluded.errors.join("\n"))),
    }
}
