//! What becomes of an outcome: printed, certified, written, and kept for the summary.

use crate::console;
use crate::emission::EmissionArgs;
use crate::exit::Status;
use crate::facts::ProgramFacts;
use crate::interrupt::interrupted;
use crate::jobs::End;
use crate::pages::Pages;
use crate::statistics::Totals;
use crate::{internal_errors, panics};
use cupping_case::{CoverageCount, Recollection, Suite};
use cupping_classfile::Program;
use cupping_generate::{ClassOutcome, GenerateError, InternalError, Unreached};
use cupping_report::certify::{Certifier, CertifyError, Divergence, Stage, Verdict};
use cupping_report::corpus;
use cupping_report::files::{Author, Mark, TestFolder, put_generated};
use cupping_report::junit::{self, Framework, JunitClass};
use cupping_report::result::ClassResult;
use cupping_report::withheld;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Certifies and writes one class after the other.
pub struct Settler<'a> {
    /// Where the classes are.
    pub program: &'a Program,
    /// The JVM.
    pub certifier: Certifier,
    /// The output folder.
    pub tests: TestFolder,
    /// Whether the run is about some methods of its classes only, so that what it does not find may still hold.
    pub is_partial: bool,
    /// Where queries without an answer are written, if asked for.
    pub queries: Option<PathBuf>,
    /// Where tests are kept for the next run, if asked for.
    pub corpus: Option<PathBuf>,
    /// Where pages are written, if asked for.
    pub pages: Option<&'a Pages>,
    /// The JUnit to write for.
    pub version: Framework,
    /// The command line that repeats the run for a class, up to the class.
    pub command: String,
    /// Counters so far.
    pub totals: Totals,
    /// Files of tests written so far.
    pub files: usize,
}

/// A class that is done with.
#[derive(Clone)]
pub struct Settled {
    /// For the report.
    pub result: ClassResult,
    /// What it means for the exit code.
    pub status: Status,
    /// Lines about Cupping's own errors, each with its file.
    pub internal_errors: Vec<String>,
    /// What the user is to know of files that are theirs, or that were removed.
    pub notes: Vec<String>,
}

impl<'a> Settler<'a> {
    /// For a command that writes tests into a folder, and neither pages nor queries.
    ///
    /// # Errors
    /// The JVM that certifies does not start.
    pub fn of_command(
        author: &Author,
        program: &'a Program,
        tests: TestFolder,
        emission: &EmissionArgs,
    ) -> Result<Settler<'a>, String> {
        Ok(Settler {
            queries: None,
            corpus: None,
            pages: None,
            program,
            certifier: emission.certifier(program)?,
            version: emission.version(),
            command: format!(
                "cupping {} {} --out '{}'",
                author.command,
                author.options,
                tests.root().display()
            ),
            tests,
            is_partial: false,
            totals: Totals::default(),
            files: 0,
        })
    }
}

impl Settled {
    /// Says what there is to say of a class on its own.
    pub fn tell(self, quiet: bool) -> Status {
        for error in self.internal_errors.iter().chain(&self.result.error) {
            console::error(error);
        }
        self.result.divergences.iter().for_each(|divergence| console::error(divergence));
        if !quiet {
            let withheld = withheld::of_suite(&self.result.suite);
            console::say(&withheld::text(&self.result.class_name(), &withheld));
            self.notes.iter().for_each(|note| console::say(&format!("note: {note}\n")));
        }
        self.status
    }
}

impl Settler<'_> {
    /// What it means for the exit code that nothing was written, where nothing went wrong; it is told.
    pub fn nothing_written(&self, status: Status) -> Status {
        if self.files > 0 || status != Status::DONE {
            return Status::DONE;
        }
        nothing_written()
    }

    /// Does with the end of a class's generation what there is to do.
    pub fn settle(&mut self, class: &str, end: End) -> Settled {
        let settled = self.settle_end(class, end);
        self.totals.internal_errors += settled.internal_errors.len() as u64;
        settled
    }

    fn settle_end(&mut self, class: &str, end: End) -> Settled {
        match end {
            End::Done(outcome) => {
                let started = Instant::now();
                let outcome = *outcome;
                let elapsed = outcome.elapsed;
                let mut settled = match panics::catch(|| self.certify(outcome)) {
                    Ok(settled) => settled,
                    Err(panic) => self.panicked(class, &panic),
                };
                let certification = started.elapsed();
                self.totals.certification += certification;
                settled.result.elapsed = elapsed + certification;
                settled
            }
            // What the JDK's own classes do to the machine while it boots is no fault of the user's, and the same for
            // all classes: one reproduction is enough.
            End::Failed(GenerateError::Boot(error)) => {
                let message = format!("the machine did not start: {error}");
                if self.totals.internal_errors == 0 {
                    self.internal_error(class, message)
                } else {
                    failed(class, format!("{}: {message}", class.replace('/', ".")), Status::WRONG)
                }
            }
            End::Failed(error @ GenerateError::Class(_)) => {
                failed(class, error.to_string(), Status::BAD_INPUT)
            }
            End::Panicked(panic) => self.panicked(class, &panic),
            End::NotBegun => failed(class, "interrupted before it was begun".into(), Status::INTERRUPTED),
        }
    }

    fn certify(&mut self, outcome: ClassOutcome) -> Settled {
        let ClassOutcome {
            suite,
            coverage,
            explanation,
            unreached,
            internal_errors,
            unanswered,
            statistics,
            elapsed,
            ..
        } = outcome;
        self.totals.add(&statistics);
        let mut notes = Vec::new();
        let mut status = if internal_errors.is_empty() { Status::DONE } else { Status::WRONG };
        let internal_errors = internal_errors::write(self.tests.root(), &suite.class, &internal_errors);
        let mut classes = junit::test_classes(&suite, self.version, &ProgramFacts::new(self.program));
        classes.iter_mut().for_each(|class| self.tests.name(class));
        let unreached = unreached.into_iter().map(shown).collect();
        let mut result = ClassResult {
            suite,
            classes: Vec::new(),
            divergences: Vec::new(),
            unreached,
            elapsed,
            error: None,
        };
        if let Some(folder) = &self.queries
            && let Err((file, error)) = save_queries(folder, &result.suite.class, &unanswered)
        {
            status.add(Status::BAD_INPUT);
            result.error = Some(format!("{}: {error}; --save-queries takes a folder", file.display()));
        }
        match self.certify_suite(&result.suite, classes) {
            Ok(Verdict { classes, divergences }) => {
                let emitted: BTreeSet<(bool, usize)> = classes
                    .iter()
                    .flat_map(|class| class.methods.iter().map(|it| (class.failing, it.case)))
                    .collect();
                coverage.count(&mut result.suite, |failing, case| emitted.contains(&(failing, case)));
                if divergences.iter().any(|it| it.stage != Stage::NotRun) {
                    status.add(Status::WRONG);
                }
                let is_whole = !self.is_partial && !interrupted() && result.error.is_none();
                match self.tests.write(&result.suite.class, &classes, is_whole) {
                    Ok(written) => {
                        notes = written.notes;
                        self.files += written.paths.len();
                        result.classes = classes;
                    }
                    Err(error) => {
                        status.add(Status::BAD_INPUT);
                        result.error = Some(error.to_string());
                    }
                }
                result.divergences = divergences;
            }
            Err(error) => {
                coverage.count(&mut result.suite, |_, _| false);
                let ours = matches!(error, CertifyError::Jvm { .. });
                status.add(if ours { Status::WRONG } else { Status::BAD_INPUT });
                result.error = Some(format!("nothing was written, for nothing could be certified: {error}"));
            }
        }
        if let (Some(folder), None) = (&self.corpus, &result.error)
            && let Err(error) = corpus::write(folder, &result)
        {
            status.add(Status::BAD_INPUT);
            result.error = Some(error.to_string());
        }
        if let (Some(pages), Some(explanation)) = (self.pages, &explanation)
            && let Err(error) = pages.write(&result, explanation, self.program)
        {
            status.add(Status::BAD_INPUT);
            result.error = Some(error.to_string());
        }
        Settled { result, status, internal_errors, notes }
    }

    /// Certifies; tests that javac refuses are printed once more with raw types.
    fn certify_suite(&mut self, suite: &Suite, classes: Vec<JunitClass>) -> Result<Verdict, CertifyError> {
        let verdict = self.certifier.certify(classes.clone())?;
        let refused = |divergence: &Divergence| {
            let class = classes.iter().find(|class| class.binary_name() == divergence.class)?;
            let method = class.methods.iter().find(|method| method.name == divergence.test)?;
            (divergence.stage == Stage::Compile).then_some((class.failing, method.case))
        };
        let raw: BTreeSet<(bool, usize)> = verdict.divergences.iter().filter_map(refused).collect();
        if raw.is_empty() {
            return Ok(verdict);
        }
        let facts = ProgramFacts::new(self.program);
        let mut again = junit::test_classes_raw(suite, self.version, &facts, &raw);
        again.iter_mut().for_each(|class| self.tests.name(class));
        self.certifier.certify(again)
    }

    fn panicked(&self, class: &str, panic: &str) -> Settled {
        self.internal_error(class, format!("panic: {panic}"))
    }

    fn internal_error(&self, class: &str, message: String) -> Settled {
        let reproduction = format!("{} '{}'", self.command, class.replace('/', "."));
        let error = InternalError { message: message.clone(), reproduction };
        let lines = internal_errors::write(self.tests.root(), class, &[error]);
        let mut settled = failed(class, message, Status::WRONG);
        settled.internal_errors = lines;
        settled
    }
}

/// Writes a class's queries into files of their own.
fn save_queries(folder: &Path, class: &str, queries: &[String]) -> Result<(), (PathBuf, io::Error)> {
    let author = Author { command: "generate".into(), options: String::new() };
    let class = class.replace('/', ".");
    for (at, query) in queries.iter().enumerate() {
        let file = folder.join(format!("{class}-{}.query", at + 1));
        put_generated(&file, Mark::Semicolon, &author, &class, query).map_err(|error| (file, error))?;
    }
    Ok(())
}

/// As reports show it.
fn shown(method: Unreached) -> cupping_report::result::Unreached {
    let Unreached { class, name, descriptor, cause, detail } = method;
    let class = class.replace('/', ".");
    cupping_report::result::Unreached { class, name, descriptor, cause: cause.text(), detail }
}

/// Tells that no test was written although all went well.
pub fn nothing_written() -> Status {
    console::error(
        &"no test was written: none was found that holds; a larger --budget, or other classes, may have some",
    );
    Status::EMPTY
}

/// A class for which there is no result.
pub fn failed(class: &str, error: String, status: Status) -> Settled {
    let none = CoverageCount::default();
    let suite = Suite {
        class: class.into(),
        cases: Vec::new(),
        failing: Vec::new(),
        lines: none,
        branches: none,
        criteria: Vec::new(),
        recollection: Recollection::default(),
        withheld: Vec::new(),
    };
    let result = ClassResult {
        suite,
        classes: Vec::new(),
        divergences: Vec::new(),
        unreached: Vec::new(),
        elapsed: Duration::ZERO,
        error: Some(error),
    };
    Settled { result, status, internal_errors: Vec::new(), notes: Vec::new() }
}
