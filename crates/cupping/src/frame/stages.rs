//! The stages of a run whose results are kept: all at once, plan, work, merge.
//!
//! A job is a class with a share of the budget. A job whose result is in the store is skipped. The distribution of
//! shares depends on results alone, so plan and merge compute the same shares as a run that does everything.

use crate::frame::absence::Absence;
use crate::frame::command::Conclude;
use crate::frame::schedule::{Budget, Failure, Schedule, Share, ShareUsage, UnitEnd, Work, deal};
use crate::frame::store_context::StoreContext;
use crate::frame::stored_class::StoredClass;
use crate::frame::traced_work::{Trace, TracedWork};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::panics;
use crate::process::progress::Board;
use crate::shared::incoming_jobs::IncomingJobs;
use crate::shared::store::{Stage, WorkerJobs};
use cupping_classfile::reads;
use cupping_jobs::{Digest, Job, Key, StoreError};
use cupping_report::files::journal;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::time::Duration;
use std::time::Instant;

/// The message about a class without a result to merge.
const NOT_DONE: &str = "its job is not done; `cupping plan` lists the remaining jobs";

/// The message about a job whose key differs here.
const OTHER_FILES: &str = "the class, the JDK, Cupping or a file that an option names is not that of the plan; plan \
                           again, or work on the same files";

/// The units of a run by name, as jobs have it.
type Places = BTreeMap<String, usize>;

/// The common parameters of a run's jobs.
pub struct StageContext<'a, R> {
    /// The command.
    pub command: &'static str,
    /// The store, and what requests have in common.
    pub keeping: &'a StoreContext,
    /// The message for a class without a result.
    pub absence: &'a Absence<'a, R>,
    /// The classes, by internal name.
    pub units: &'a [&'a str],
    /// Threads at most.
    pub jobs: NonZeroUsize,
    /// The budget.
    pub budget: Budget,
    /// Whether the user wants the run to end.
    pub interrupted: fn() -> bool,
    /// Where progress is shown.
    pub board: &'a Board,
}

/// The jobs of a run.
pub struct Stages<'a, W: Work, C: Conclude<W::Findings>> {
    setting: StageContext<'a, C::Row>,
    work: &'a W,
    conclude: &'a mut C,
    /// The inputs of each class besides the class path.
    inputs: Vec<Vec<Digest>>,
    /// Jobs that are left to others.
    left: Rc<Cell<usize>>,
    /// Why results could not be kept, the first time.
    refused: Option<StoreError>,
}

/// The callback that receives the end of each class.
type EndListener<'a, R> = dyn FnMut(usize, UnitEnd<StoredClass<R>>) + 'a;

impl<'a, W, C> Stages<'a, W, C>
where
    W: Work,
    C: Conclude<W::Findings>,
{
    /// The jobs of a command.
    pub fn new(setting: StageContext<'a, C::Row>, work: &'a W, conclude: &'a mut C) -> Stages<'a, W, C> {
        let inputs = setting.units.iter().map(|unit| setting.keeping.inputs_of(unit)).collect();
        Stages { setting, work, conclude, inputs, left: Rc::default(), refused: None }
    }

    /// Finds, does or skips the jobs of all classes; `done` is called once for each class.
    pub fn all(&mut self, done: &mut EndListener<'_, C::Row>) {
        let StageContext { budget, units, interrupted, .. } = self.setting;
        let need = |kept: &StoredClass<C::Row>| kept.need;
        let left = Rc::clone(&self.left);
        let own: Vec<Option<Duration>> = units.iter().map(|unit| self.work.own_budget(unit)).collect();
        let is_over = || interrupted() || left.get() > 0;
        let mut round = |places: &[usize], share: Share, done: &mut EndListener<'_, C::Row>| {
            self.round(places, share, done);
        };
        deal(budget, &own, &need, &is_over, &mut round, done);
        self.complain();
    }

    fn round(&mut self, places: &[usize], share: Share, done: &mut EndListener<'_, C::Row>) {
        self.fetch(places, share);
        let mut open = Vec::new();
        for at in places.iter().copied() {
            match self.find(at, share) {
                Some(kept) => done(at, UnitEnd::Done(kept)),
                None => open.push(at),
            }
        }
        if self.setting.keeping.stage.works() {
            return self.work(&open, share, done);
        }
        self.left.set(self.left.get() + open.len());
        for at in open {
            if let Stage::Plan { words } = &self.setting.keeping.stage {
                self.plan(at, share, words);
            }
            let class = self.setting.units[at].replace('/', ".");
            done(at, UnitEnd::Failed(Failure::Input(format!("{class}: {NOT_DONE}"))));
        }
    }

    /// Copies what an object store has about these jobs. If it does not answer, they count as not done.
    fn fetch(&mut self, places: &[usize], share: Share) {
        let StageContext { command, keeping, units, .. } = self.setting;
        let Some(store) = keeping.store.as_ref().filter(|it| it.is_remote()) else { return };
        let keys: Vec<(Key, &str)> = places.iter().map(|at| (self.key(*at, share), units[*at])).collect();
        let costs = matches!(keeping.stage, Stage::Plan { .. }).then_some(command);
        if let Err(error) = store.fetch(&keys, costs) {
            self.refused.get_or_insert(error);
        }
    }

    /// Does the jobs of these classes, and stores the results.
    fn work(&mut self, places: &[usize], share: Share, done: &mut EndListener<'_, C::Row>) {
        let StageContext { units, jobs, budget, interrupted, board, .. } = self.setting;
        let jobs = match &self.setting.keeping.stage {
            Stage::Work { threads: Some(threads), .. } => *threads,
            _ => jobs,
        };
        let schedule = Schedule { units, jobs, budget, interrupted, board };
        schedule.round(&TracedWork(self.work), places, share, |at, end| {
            let end = match end {
                UnitEnd::Done(trace) => UnitEnd::Done(self.conclude(at, share, trace)),
                UnitEnd::Failed(failure) => UnitEnd::Failed(failure),
                UnitEnd::Panicked(panic) => UnitEnd::Panicked(panic),
            };
            done(at, end);
        });
    }

    /// The fate of a class that was worked on.
    fn conclude(&mut self, at: usize, share: Share, trace: Trace<W::Findings>) -> StoredClass<C::Row> {
        let Trace { found, mut reads, mut deeds, effort } = trace;
        let started = Instant::now();
        let StageContext { keeping, absence, .. } = self.setting;
        let class = self.setting.units[at];
        let need = found.as_ref().map_or_else(|_| ShareUsage::default(), |found| self.work.need(found));
        let is_found = found.is_ok();
        let ((concluded, more_deeds), more_reads) = reads::record(|| {
            journal::record(|| match found {
                Ok(found) => panics::catch(|| self.conclude.conclude(class, found)),
                Err(error) => Ok(absence.absent(class, error, Status::BAD_INPUT)),
            })
        });
        reads.extend(more_reads);
        deeds.extend(more_deeds);
        let is_whole = concluded.as_ref().is_ok_and(|it| !(is_found && it.status.bad_input));
        let concluded =
            concluded.unwrap_or_else(|panic| absence.internal_error(class, format!("panic: {panic}")));
        let kept = StoredClass::new(concluded, need, deeds, keeping);
        let is_kept = is_whole && !kept.is_of_here && !(self.setting.interrupted)();
        if let (Some(store), true) = (&keeping.store, is_kept) {
            match store.put(&self.key(at, share), &reads, &keeping.answers, &kept) {
                Ok(()) => {
                    let took = (effort + started.elapsed()).as_millis();
                    let command = self.setting.command;
                    store.note_cost(command, class, u64::try_from(took).unwrap_or(u64::MAX));
                }
                Err(error) => {
                    self.refused.get_or_insert(error);
                }
            }
        }
        kept
    }

    fn key(&self, at: usize, share: Share) -> Key {
        self.setting.keeping.key(self.setting.units[at], &self.inputs[at], share)
    }

    /// The result of a job, if it exists and is usable. Failed jobs are tried again, except when results are only
    /// merged.
    fn find(&self, at: usize, share: Share) -> Option<StoredClass<C::Row>> {
        let key = self.key(at, share);
        let keeping = self.setting.keeping;
        let kept: StoredClass<C::Row> = keeping.store.as_ref()?.find(&key, &keeping.answers)?;
        let is_of_use = match keeping.stage {
            Stage::All => kept.is_sound() && kept.fits(keeping),
            Stage::Plan { .. } | Stage::Work { .. } | Stage::Merge => kept.is_placed(keeping),
        };
        is_of_use.then_some(kept)
    }

    /// Prints a job.
    fn plan(&self, at: usize, share: Share, words: &[String]) {
        let StageContext { command, keeping, .. } = self.setting;
        let class = self.setting.units[at];
        let known = keeping.store.as_ref().and_then(|it| it.cost(command, class));
        let nanoseconds = |it: std::time::Duration| u64::try_from(it.as_nanos()).unwrap_or(u64::MAX);
        let job = Job {
            job: self.key(at, share),
            class: class.replace('/', "."),
            budget_ns: nanoseconds(share.budget),
            clock_ns: share.clock.map(nanoseconds),
            cost_ms: known.unwrap_or_else(|| keeping.estimate(class, share)),
            words: words.to_vec(),
        };
        match job.line() {
            Ok(line) => console::answer(&format!("{line}\n")),
            Err(error) => console::error(&format!("{}: {error}", job.class)),
        }
    }

    /// Does the jobs of a worker that are not done; returns the resulting status.
    pub fn do_jobs(&mut self, jobs: &WorkerJobs) -> Status {
        let units = self.setting.units.iter().enumerate();
        let places = units.map(|(at, unit)| (unit.replace('/', "."), at)).collect();
        let mut status = match jobs {
            WorkerJobs::Known(jobs) => self.do_known(jobs, &places),
            WorkerJobs::Incoming(jobs) => self.do_incoming(jobs, &places),
        };
        self.complain();
        if (self.setting.interrupted)() {
            status.add(Status::INTERRUPTED);
        }
        status
    }

    /// The class and the share of a job.
    ///
    /// # Errors
    ///
    /// The job is not about what is here.
    fn place(&self, job: &Job, places: &Places) -> Result<(usize, Share), String> {
        let share = Share { budget: job.budget(), clock: job.clock() };
        let at = places.get(&job.class).copied().filter(|at| self.key(*at, share) == job.job);
        at.map(|at| (at, share)).ok_or_else(|| format!("{}: {OTHER_FILES}", job.class))
    }

    /// Does jobs as they come, and says of each whether it is done.
    fn do_incoming(&mut self, jobs: &IncomingJobs, places: &Places) -> Status {
        let mut status = Status::DONE;
        loop {
            let job = match jobs.next(self.setting.interrupted) {
                Ok(Some(job)) => job,
                Ok(None) => return status,
                Err(error) => {
                    status.add(console::bad_input(&error));
                    return status;
                }
            };
            let is_done = match self.place(&job, places) {
                Ok((at, share)) => {
                    self.fetch(&[at], share);
                    self.find(at, share).is_some() || self.do_share(&[at], share) == 1
                }
                Err(error) => {
                    console::error(&error);
                    false
                }
            };
            if !is_done {
                status.add(Status::BAD_INPUT);
            }
            jobs.answer(&job, is_done);
        }
    }

    fn do_known(&mut self, jobs: &[Job], places: &Places) -> Status {
        let mut status = Status::DONE;
        let mut shares: Vec<(Share, Vec<usize>)> = Vec::new();
        for job in jobs {
            match self.place(job, places) {
                Ok((at, share)) => match shares.iter_mut().find(|(other, _)| *other == share) {
                    Some((_, places)) => places.push(at),
                    None => shares.push((share, vec![at])),
                },
                Err(error) => status.add(console::bad_input(&error)),
            }
        }
        let (mut there, mut open, mut done) = (0, 0, 0);
        for (share, mut places) in shares {
            self.fetch(&places, share);
            let all = places.len();
            places.retain(|at| self.find(*at, share).is_none());
            there += all - places.len();
            open += places.len();
            done += self.do_share(&places, share);
        }
        let rest = if done == open { String::new() } else { format!(", {} not done", open - done) };
        console::say(&format!("{} jobs: {done} done, {there} done before{rest}\n", jobs.len()));
        if done < open {
            status.add(Status::BAD_INPUT);
        }
        status
    }

    /// Does jobs with the same share; returns how many of them are then in the store.
    fn do_share(&mut self, places: &[usize], share: Share) -> usize {
        let mut failures: Vec<(usize, String)> = Vec::new();
        self.work(places, share, &mut |at, end| match end {
            UnitEnd::Done(_) | UnitEnd::Failed(Failure::Interrupted | Failure::Late) => {}
            UnitEnd::Failed(Failure::Boot(why) | Failure::Input(why)) => failures.push((at, why)),
            UnitEnd::Panicked(panic) => failures.push((at, format!("panic: {panic}"))),
        });
        for (at, why) in failures {
            console::error(&format!("{}: {why}", self.setting.units[at].replace('/', ".")));
        }
        places.iter().filter(|at| self.find(**at, share).is_some()).count()
    }

    fn complain(&mut self) {
        if let Some(error) = self.refused.take() {
            console::error(&error);
        }
    }
}
