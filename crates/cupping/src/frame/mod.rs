//! The frame of commands that work on classes.
//!
//! A command implements the work for a class on a thread ([`Work`]), the processing of its result on the calling
//! thread ([`Conclude`]), and the presentation of all results ([`Report`]). The frame does the rest: threads and
//! budget ([`schedule`]), containment of panics, interruption, progress, the order in which results are printed
//! ([`ledger`]), JSON and the index of pages ([`documents`]), the exit code, and a store that keeps results of
//! classes ([`store_context`], `stages`). Commands that put results together themselves only use the last of these
//! ([`parts`]).

mod absence;
mod command;
pub mod documents;
pub mod emitted_tests;
pub mod ledger;
pub mod parts;
pub mod schedule;
mod stages;
pub mod store_context;
mod stored_class;
mod traced_work;

pub use command::{Conclude, Report};
pub use ledger::{ClassConclusion, LedgerEntry};
pub use schedule::{Budget, Failure, Share, ShareUsage, UnitEnd, Work};

use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt;
use crate::process::panics;
use crate::process::progress::Board;
use crate::shared::all_modules;
use crate::shared::findings::{ReportedFindings, SourceFolders};
use crate::shared::output::ReportArgs;
use crate::shared::selection::Selection;
use crate::shared::store::{Stage, WorkerJobs};
use absence::{Absence, not_done};
use cupping_report::files::Author;
use ledger::Ledger;
use schedule::Schedule;
use stages::{StageContext, Stages};
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use store_context::StoreContext;

/// The parameters of a run.
#[derive(Clone)]
pub struct CommandRun {
    /// The command.
    pub command: &'static str,
    /// The selected classes, and the errors of the selection.
    pub selection: Arc<Selection>,
    /// The options for output.
    pub report: &'static ReportArgs,
    /// The class path, beside which sources are sought.
    pub class_path: Vec<PathBuf>,
    /// The module, if this is a run for one of several.
    pub module: Option<String>,
    /// Whether the JSON report is what is printed.
    pub answers_in_json: bool,
    /// Threads at most.
    pub jobs: NonZeroUsize,
    /// The budget.
    pub budget: Budget,
    /// The command line that repeats the run for a class, up to the class.
    pub reproduction: String,
    /// The output folder, if there is one: internal errors are written there.
    pub out: Option<PathBuf>,
    /// Whether the user wants the run to end.
    pub interrupted: fn() -> bool,
    /// The context of the store, if results are kept.
    pub keeping: Option<Arc<StoreContext>>,
}

/// The command line that repeats a run, up to the class.
pub fn reproduction(author: &Author, out: Option<&Path>) -> String {
    let Author { command, options } = author;
    let out = out.map_or(String::new(), |out| format!(" --out '{}'", out.display()));
    format!("cupping {command} {options}{out}")
}

impl CommandRun {
    /// Works on all classes, unless the user interrupts it, and shows the results. Errors of the selection have
    /// already been printed.
    pub fn conduct<W, C>(self, work: &W, conclude: &mut C, report: Arc<dyn Report<C::Row>>) -> Status
    where
        W: Work,
        C: Conclude<W::Findings>,
    {
        if let Err(error) = self.report.findings.check() {
            return console::bad_input(&error);
        }
        if let Some(keeping) = self.keeping.clone()
            && matches!(keeping.stage, Stage::Plan { .. } | Stage::Work { .. })
        {
            return self.jobs(&keeping, work, conclude, &*report);
        }
        let run = Arc::new(self);
        let classes = run.selection.classes.iter().map(|class| class.name.clone()).collect();
        let ledger = Arc::new(Mutex::new(Ledger::new(classes)));
        // If the work does not return in time, the finished part is reported nevertheless.
        let late = (Arc::clone(&run), Arc::clone(&ledger), Arc::clone(&report));
        interrupt::last_words(move || {
            let (run, ledger, report) = late;
            run.finish(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner), &*report);
        });
        run.work(work, conclude, &*report, &ledger);
        interrupt::closing();
        run.finish(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner), &*report)
    }

    fn work<W, C>(
        &self,
        work: &W,
        conclude: &mut C,
        report: &dyn Report<C::Row>,
        ledger: &Mutex<Ledger<C::Row>>,
    ) where
        W: Work,
        C: Conclude<W::Findings>,
    {
        let row = |class: &str, error: &str| report.absent(class, error);
        let absence = self.absence(&row);
        let put = |at: usize, concluded: ClassConclusion<C::Row>| {
            ledger.lock().unwrap_or_else(PoisonError::into_inner).put(at, concluded);
        };
        let (mut places, mut units) = (Vec::new(), Vec::new());
        for (at, class) in self.selection.classes.iter().enumerate() {
            match &class.error {
                Some(error) => put(at, absence.absent(&class.name, error.clone(), Status::BAD_INPUT)),
                None => {
                    places.push(at);
                    units.push(class.name.as_str());
                }
            }
        }
        let board = Board::new(units.len());
        let started = Instant::now();
        let enter = |at: usize, concluded: ClassConclusion<C::Row>| {
            let (class, seconds) = (units[at], started.elapsed().as_secs_f64());
            console::remark(|| format!("{} was done after {seconds:.1} s", class.replace('/', ".")));
            put(places[at], concluded);
            board.class_done();
        };
        let panicked =
            |at: usize, panic: String| absence.internal_error(units[at], format!("panic: {panic}"));
        if let Some(keeping) = &self.keeping {
            self.stages(keeping, work, conclude, &absence, &units, &board).all(&mut |at, end| {
                let concluded = match end {
                    UnitEnd::Done(kept) => kept.put(keeping),
                    UnitEnd::Failed(failure) => absence.failed(units[at], failure),
                    UnitEnd::Panicked(panic) => panicked(at, panic),
                };
                enter(at, concluded);
            });
        } else {
            let schedule = Schedule {
                units: &units,
                jobs: self.jobs,
                budget: self.budget,
                interrupted: self.interrupted,
                board: &board,
            };
            schedule.run(work, |at, end| {
                let concluded = match end {
                    UnitEnd::Done(found) => panics::catch(|| conclude.conclude(units[at], found)),
                    UnitEnd::Failed(failure) => Ok(absence.failed(units[at], failure)),
                    UnitEnd::Panicked(panic) => Err(panic),
                };
                enter(at, concluded.unwrap_or_else(|panic| panicked(at, panic)));
            });
        }
        board.clear();
    }

    /// The classes that can be worked on.
    fn units(&self) -> Vec<&str> {
        let sound = self.selection.classes.iter().filter(|class| class.error.is_none());
        sound.map(|class| class.name.as_str()).collect()
    }

    /// Processes jobs without showing results: plans them, or performs those of a plan.
    fn jobs<W, C>(
        &self,
        keeping: &StoreContext,
        work: &W,
        conclude: &mut C,
        report: &dyn Report<C::Row>,
    ) -> Status
    where
        W: Work,
        C: Conclude<W::Findings>,
    {
        let row = |class: &str, error: &str| report.absent(class, error);
        let (units, absence) = (self.units(), self.absence(&row));
        let Stage::Work { jobs, .. } = &keeping.stage else {
            let board = Board::hidden();
            self.stages(keeping, work, conclude, &absence, &units, &board).all(&mut |_, _| ());
            return self.of_selection();
        };
        let board = match jobs {
            WorkerJobs::Known(jobs) => Board::new(jobs.len()),
            WorkerJobs::Incoming(_) => Board::hidden(),
        };
        let status = self.stages(keeping, work, conclude, &absence, &units, &board).do_jobs(jobs);
        board.clear();
        status
    }

    fn stages<'a, W, C: Conclude<W::Findings>>(
        &'a self,
        keeping: &'a StoreContext,
        work: &'a W,
        conclude: &'a mut C,
        absence: &'a Absence<'a, C::Row>,
        units: &'a [&'a str],
        board: &'a Board,
    ) -> Stages<'a, W, C>
    where
        W: Work,
    {
        let (jobs, budget, interrupted) = (self.jobs, self.budget, self.interrupted);
        let setting =
            StageContext { command: self.command, keeping, absence, units, jobs, budget, interrupted, board };
        Stages::new(setting, work, conclude)
    }

    /// The exit status that errors of the selection imply.
    fn of_selection(&self) -> Status {
        if self.selection.errors.is_empty() { Status::DONE } else { Status::BAD_INPUT }
    }

    fn absence<'a, R>(&'a self, row: &'a dyn Fn(&str, &str) -> R) -> Absence<'a, R> {
        let (reproduction, out) = (self.reproduction.as_str(), self.out.as_deref());
        Absence { row, reproduction, out, is_booted: Cell::new(true) }
    }

    /// Applies the baseline to the findings; returns the status that the open ones imply.
    fn findings<R>(&self, entries: &[LedgerEntry<R>], report: &dyn Report<R>) -> (ReportedFindings, Status) {
        let folders = SourceFolders::of(&self.report.sources, &self.class_path);
        let found = report.findings(entries);
        let (reported, mut status) = self.report.findings.apply(self.command, found, &folders);
        reported.remark().iter().for_each(|remark| console::say(remark));
        status.add(report.status(&reported));
        (reported, status)
    }

    /// Shows the results: what has not been printed yet, the summary, JSON and index.
    fn finish<R: Clone + Send + 'static>(&self, ledger: &mut Ledger<R>, report: &dyn Report<R>) -> Status {
        let entries = ledger.finish(|class| not_done(&|class, error| report.absent(class, error), class));
        let mut status = self.of_selection();
        entries.iter().for_each(|entry| status.add(entry.status));
        status.add(report.summary(&entries));
        let (findings, of_findings) = self.findings(&entries, report);
        status.add(of_findings);
        if (self.interrupted)() {
            let not_done = entries.iter().filter(|it| it.status.interrupted).count();
            console::error(&format!("interrupted; {not_done} of {} classes were not done", entries.len()));
            status.add(Status::INTERRUPTED);
        }
        let late = entries.iter().filter(|it| it.status.late).count();
        if late > 0 {
            console::warning(&format!(
                "the time was over before {late} of {} classes were processed; a longer --budget reaches them",
                entries.len()
            ));
        }
        let errors = self.selection.errors.clone();
        let new = documents::Content { entries, errors, findings, status: status.word() };
        let all = all_modules::join(self.module.as_deref(), new, documents::Content::append);
        status.add(self.documents(&all, report));
        status
    }

    /// Writes the documents; returns the status that errors imply.
    fn documents<R>(&self, all: &documents::Content<R>, report: &dyn Report<R>) -> Status {
        let mut status = Status::DONE;
        let outcome = all.outcome(self.command);
        let mut check = |done: Result<(), String>| {
            if let Err(error) = done {
                status.add(console::bad_input(&error));
            }
        };
        check(documents::write_index(self.report, self.command, || report.index(&all.entries)));
        if self.answers_in_json {
            let answer = report.json(&all.entries, outcome.clone()).map_err(|error| error.to_string());
            check(answer.map(|json| console::answer(&json)));
        }
        check(documents::write_json(self.report, || report.json(&all.entries, outcome)));
        check(self.report.findings.write(self.command, &all.findings));
        status
    }
}

#[cfg(test)]
mod tests;
