//! Runs the tests of files on confined JVMs. A file's result can be kept.

use super::arguments::Arguments;
use super::inventory::GeneratedFile;
use crate::frame::parts::Parts;
use crate::frame::schedule::Schedule;
use crate::frame::store_context::StoreContext;
use crate::frame::{Budget, Failure, Share, UnitEnd, Work};
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::process::progress::{Board, Line};
use crate::shared::emission::{CertifierNeeds, certifier};
use crate::shared::store::Stage;
use cupping_classfile::Program;
use cupping_classfile::reads::{self, Read};
use cupping_jobs::Digest;
use cupping_report::certify::{Certifier, Fate};
use cupping_report::framework::Framework;
use cupping_report::test_check::{CheckReport, CheckedFile, TestFile};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Files of tests that are worth a JVM.
const FILES_OF_JVM: usize = 12;

/// Estimated work on a file, in milliseconds.
const COST_OF_FILE: u64 = 400;

/// The JVMs that run tests.
pub struct TestJudge<'a> {
    args: &'a Arguments,
    program: &'a Arc<Program>,
    /// Those that no thread uses now.
    idle: Mutex<Vec<(Framework, Certifier)>>,
}

/// The result of all files.
pub struct Judged {
    /// `None` if the run only plans, or does jobs of a plan.
    pub report: Option<CheckReport>,
    /// The status so far.
    pub status: Status,
}

/// Files that a JVM runs one after the other.
struct Batch {
    framework: Framework,
    files: Range<usize>,
}

/// The work on batches.
struct Batches<'a, 'j> {
    judge: &'a TestJudge<'j>,
    names: &'a [String],
    batches: &'a [Batch],
    /// The files, by framework.
    files: &'a [TestFile],
}

impl<'a> TestJudge<'a> {
    /// No JVM is started yet.
    pub fn new(args: &'a Arguments, program: &'a Arc<Program>) -> TestJudge<'a> {
        TestJudge { args, program, idle: Mutex::default() }
    }

    /// Runs all files. Files are judged independently, so their fates do not depend on batches.
    ///
    /// # Errors
    ///
    /// A JVM cannot be confined or started, or it ended for no reason that a test gave.
    pub fn judge(&self, found: &[GeneratedFile]) -> Result<Judged, String> {
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|at| found[*at].file.framework);
        let files: Vec<TestFile> = order.iter().map(|at| found[*at].file.clone()).collect();
        let is_kept = self.args.store.is_wanted();
        let batches = self.batches(&files, is_kept);
        let names = names(batches.iter().map(|it| &found[order[it.files.start]]));
        let keeping = self.keeping(&names, &batches, &files)?;
        let units: Vec<&str> = names.iter().map(String::as_str).collect();
        let board = Board::hidden();
        let schedule = Schedule {
            units: &units,
            jobs: self.args.budget.jobs.threads(),
            budget: Budget::Each(Duration::ZERO),
            interrupted,
            board: &board,
        };
        let work = Batches { judge: self, names: &names, batches: &batches, files: &files };
        let mut fates: Vec<Vec<Fate>> = vec![Vec::new(); files.len()];
        let mut failure = None;
        let end = Parts { command: "check", schedule, keeping: keeping.as_ref() }.conduct(
            &work,
            &mut |_, fates| Ok(fates),
            &mut |at, end| match end {
                UnitEnd::Done(of_batch) => {
                    batches[at].files.clone().zip(of_batch).for_each(|(file, it)| fates[file] = it);
                }
                UnitEnd::Failed(Failure::Interrupted | Failure::Late) => {}
                UnitEnd::Failed(Failure::Boot(error) | Failure::Input(error)) => {
                    failure.get_or_insert(error);
                }
                UnitEnd::Panicked(panic) => {
                    failure.get_or_insert(format!("internal error: panic: {panic}; please report it"));
                }
            },
        );
        if end.is_over {
            return Ok(Judged { report: None, status: end.status });
        }
        // Jobs that are not done have been reported.
        if let Some(failure) = failure.filter(|_| end.status == Status::DONE) {
            return Err(failure);
        }
        let mut judged: BTreeMap<usize, CheckedFile> = BTreeMap::new();
        for (at, fates) in order.into_iter().zip(fates) {
            let GeneratedFile { shown, first, edited, file, .. } = &found[at];
            let checked = CheckedFile::new(shown, &first.subject, &first.command, *edited, file, &fates);
            judged.insert(at, checked);
        }
        let files = judged.into_values().collect();
        Ok(Judged { report: Some(CheckReport { files, ..CheckReport::default() }), status: end.status })
    }

    /// Consecutive files of a framework; each file by itself if results are kept.
    fn batches(&self, files: &[TestFile], is_kept: bool) -> Vec<Batch> {
        let jobs = self.args.budget.jobs.threads().get();
        let most = if is_kept { 1 } else { files.len().div_ceil(jobs).max(FILES_OF_JVM) };
        let mut batches: Vec<Batch> = Vec::new();
        for (at, file) in files.iter().enumerate() {
            match batches.last_mut() {
                Some(last) if last.framework == file.framework && last.files.len() < most => {
                    last.files.end = at + 1;
                }
                _ => batches.push(Batch { framework: file.framework, files: at..at + 1 }),
            }
        }
        batches
    }

    /// The context of the store, if results are kept.
    fn keeping(
        &self,
        names: &[String],
        batches: &[Batch],
        files: &[TestFile],
    ) -> Result<Option<StoreContext>, String> {
        let Arguments { store, junit, unconfined, .. } = self.args;
        if self.args.update && !matches!(store.stage, Stage::All) {
            return Err("check --update cannot be planned: it rewrites tests".into());
        }
        let options = format!("{unconfined}");
        let mut keeping = StoreContext::wanted(store, "check", &options, &junit.junit_jar, self.program)?;
        if let Some(keeping) = &mut keeping {
            for (name, batch) in names.iter().zip(batches) {
                keeping.costs(name, COST_OF_FILE);
                for file in &files[batch.files.clone()] {
                    keeping.depends_on(name, Digest::of(file.text.as_bytes()));
                }
            }
        }
        Ok(keeping)
    }

    /// A JVM for a framework.
    fn certifier(&self, framework: Framework) -> Result<Certifier, String> {
        // A JVM takes a while to start, so others do not wait for it.
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let at = idle.iter().position(|(of, _)| *of == framework);
            at.map(|at| idle.swap_remove(at).1)
        };
        if let Some(certifier) = idle {
            return Ok(certifier);
        }
        let Arguments { junit, unconfined, .. } = self.args;
        let needs = CertifierNeeds { framework, unconfined: *unconfined, parameterized: true };
        certifier(self.program, junit, &needs)
    }
}

impl Work for Batches<'_, '_> {
    type Session = ();
    type Findings = Vec<Vec<Fate>>;

    fn boot(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn work(&self, (): &mut (), unit: &str, _: Share, _: &Line) -> Result<Vec<Vec<Fate>>, Failure> {
        let at = self.names.iter().position(|it| it == unit).unwrap_or_default();
        let Batch { framework, files } = &self.batches[at];
        // A JVM does not say which files of the class path it has read.
        reads::note(|| Read::Everything);
        // A JVM that fails is a matter of this computer, so the failure is not kept as the result of the file.
        let mut certifier = self.judge.certifier(*framework).map_err(Failure::Boot)?;
        let fates = certifier.fates(&self.files[files.clone()], interrupted);
        let fates = fates.map_err(|error| Failure::Boot(error.to_string()))?;
        self.judge.idle.lock().unwrap_or_else(PoisonError::into_inner).push((*framework, certifier));
        if fates.iter().flatten().any(|it| *it == Fate::NotRun) {
            return Err(Failure::Boot(
                "this system cannot confine the JVM that runs tests (`cupping doctor` says what is missing); \
                 --unconfined runs them with your own rights"
                    .into(),
            ));
        }
        Ok(fates)
    }
}

/// The names of files, wherever their folders are: the same name in another folder gets a number.
fn names<'f>(files: impl Iterator<Item = &'f GeneratedFile>) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let name = |file: &GeneratedFile| {
        let name = file.path.strip_prefix(&file.root).unwrap_or(&file.path).display().to_string();
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { format!("{name} {count}") }
    };
    files.map(name).collect()
}
