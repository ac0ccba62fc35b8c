//! The frame of commands that work on classes.
//!
//! A command says what is done for a class on a thread ([`Work`]), what becomes of the result on the calling
//! thread ([`Conclude`]), and how the results of all classes are shown ([`Report`]). The frame does the rest:
//! threads and budget ([`schedule`]), containment of panics, interruption, progress, the order in which
//! results are printed ([`ledger`]), JSON and the index of pages ([`documents`]), and the exit code.

pub mod documents;
pub mod emitted;
pub mod ledger;
pub mod schedule;

pub use ledger::{Concluded, Entry};
pub use schedule::{Budget, End, Failure, Need, Share, Work};

use crate::process::console;
use crate::process::exit::Status;
use crate::process::internal_errors;
use crate::process::interrupt;
use crate::process::panics;
use crate::process::progress::Board;
use crate::shared::output::ReportArgs;
use crate::shared::selection::Selection;
use cupping_generate::InternalError;
use cupping_report::files::Author;
use ledger::Ledger;
use schedule::Schedule;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What becomes of a result, on the calling thread: tests are certified and written, pages are written.
pub trait Conclude<F> {
    /// What is kept of a class for the summary, the JSON report and the index.
    type Row: Clone + Send + 'static;

    /// Concludes a class, given by its internal name.
    fn conclude(&mut self, class: &str, found: F) -> Concluded<Self::Row>;
}

/// How the results of all classes are shown.
pub trait Report<R>: Send + Sync {
    /// The row of a class for which there is no result.
    fn absent(&self, class: &str, error: &str) -> R;

    /// The JSON report.
    ///
    /// # Errors
    /// The results cannot be written as JSON.
    fn json(&self, entries: &[Entry<R>], outcome: documents::Outcome) -> Result<String, serde_json::Error>;

    /// The index of the pages, as HTML.
    fn index(&self, entries: &[Entry<R>]) -> String;

    /// Prints what is to be said of all classes together; what that means for the exit code.
    fn summary(&self, _: &[Entry<R>]) -> Status {
        Status::DONE
    }
}

/// What the frame needs to know of a run.
#[derive(Clone)]
pub struct Run {
    /// The command.
    pub command: &'static str,
    /// The classes, and what is wrong with those that were asked for.
    pub selection: Arc<Selection>,
    /// Where results are shown.
    pub report: &'static ReportArgs,
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
}

/// The command line that repeats a run, up to the class.
pub fn reproduction(author: &Author, out: Option<&Path>) -> String {
    let Author { command, options } = author;
    let out = out.map_or(String::new(), |out| format!(" --out '{}'", out.display()));
    format!("cupping {command} {options}{out}")
}

impl Run {
    /// Works on all classes, as far as the user lets it, and shows the results. Errors of the selection have been
    /// printed.
    pub fn conduct<W, C>(self, work: &W, conclude: &mut C, report: Arc<dyn Report<C::Row>>) -> Status
    where
        W: Work,
        C: Conclude<W::Found>,
    {
        let run = Arc::new(self);
        let classes = run.selection.classes.iter().map(|class| class.name.clone()).collect();
        let ledger = Arc::new(Mutex::new(Ledger::new(classes)));
        // Where the work does not come back in time, what is done is reported all the same.
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
        C: Conclude<W::Found>,
    {
        let put = |at: usize, concluded: Concluded<C::Row>| {
            ledger.lock().unwrap_or_else(PoisonError::into_inner).put(at, concluded);
        };
        let (mut places, mut units) = (Vec::new(), Vec::new());
        for (at, class) in self.selection.classes.iter().enumerate() {
            match &class.error {
                Some(error) => put(at, self.absent(report, &class.name, error.clone(), Status::BAD_INPUT)),
                None => {
                    places.push(at);
                    units.push(class.name.as_str());
                }
            }
        }
        let board = Board::new(units.len());
        let schedule = Schedule {
            units: &units,
            jobs: self.jobs,
            budget: self.budget,
            interrupted: self.interrupted,
            board: &board,
        };
        let started = Instant::now();
        let mut is_booted = true;
        schedule.run(work, |at, end| {
            let class = units[at];
            let concluded = match end {
                End::Done(found) => panics::catch(|| conclude.conclude(class, found)),
                End::Failed(failure) => Ok(self.failed(report, class, failure, &mut is_booted)),
                End::Panicked(panic) => Err(panic),
            };
            let concluded = concluded
                .unwrap_or_else(|panic| self.internal_error(report, class, format!("panic: {panic}")));
            let seconds = started.elapsed().as_secs_f64();
            console::remark(|| format!("{} is done after {seconds:.1} s", class.replace('/', ".")));
            put(places[at], concluded);
            board.class_done();
        });
        board.clear();
    }

    fn failed<R>(
        &self,
        report: &dyn Report<R>,
        class: &str,
        failure: Failure,
        is_booted: &mut bool,
    ) -> Concluded<R> {
        match failure {
            // One reproduction is enough: it is the same for all classes.
            Failure::Boot(error) => {
                let message = format!("the machine did not start: {error}");
                if std::mem::take(is_booted) {
                    return self.internal_error(report, class, message);
                }
                let message = format!("{}: {message}", class.replace('/', "."));
                self.absent(report, class, message, Status::WRONG)
            }
            Failure::Input(error) => self.absent(report, class, error, Status::BAD_INPUT),
            Failure::Interrupted => self.not_done(report, class),
        }
    }

    fn absent<R>(&self, report: &dyn Report<R>, class: &str, error: String, status: Status) -> Concluded<R> {
        let row = report.absent(class, &error);
        Concluded { errors: vec![error], status, ..Concluded::new(row) }
    }

    fn not_done<R>(&self, report: &dyn Report<R>, class: &str) -> Concluded<R> {
        let row = report.absent(class, "interrupted before it was done");
        Concluded { status: Status::INTERRUPTED, ..Concluded::new(row) }
    }

    /// A class on which Cupping was wrong.
    fn internal_error<R>(&self, report: &dyn Report<R>, class: &str, message: String) -> Concluded<R> {
        let reproduction = format!("{} '{}'", self.reproduction, class.replace('/', "."));
        let row = report.absent(class, &message);
        let error = InternalError { message, reproduction };
        let errors = internal_errors::record(self.out.as_deref(), class, &[error]);
        Concluded { internal_errors: errors.len(), errors, status: Status::WRONG, ..Concluded::new(row) }
    }

    /// Shows the results: what was not printed yet, the summary, JSON and index.
    fn finish<R: Clone>(&self, ledger: &mut Ledger<R>, report: &dyn Report<R>) -> Status {
        let entries = ledger.finish(|class| self.not_done(report, class));
        let mut status = Status::DONE;
        if !self.selection.errors.is_empty() {
            status.add(Status::BAD_INPUT);
        }
        entries.iter().for_each(|entry| status.add(entry.status));
        status.add(report.summary(&entries));
        if (self.interrupted)() {
            let not_done = entries.iter().filter(|it| it.status.interrupted).count();
            console::error(&format!("interrupted; {not_done} of {} classes were not done", entries.len()));
            status.add(Status::INTERRUPTED);
        }
        if let Err(error) = documents::write_index(self.report, self.command, || report.index(&entries)) {
            status.add(console::bad_input(&error));
        }
        let problems = documents::problems(&self.selection.errors, &entries);
        let has_nothing = !entries.is_empty() && entries.iter().all(|it| it.status.bad_input);
        let word = if has_nothing { cupping_view::Status::Failed } else { status.word() };
        let outcome = documents::Outcome { command: self.command, status: word, problems };
        if let Err(error) = documents::write_json(self.report, || report.json(&entries, outcome)) {
            status.add(console::bad_input(&error));
        }
        status
    }
}

#[cfg(test)]
mod tests;
