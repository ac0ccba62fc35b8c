//! What becomes of an outcome: printed, certified, written, and kept for the summary.

use crate::exit::Status;
use crate::facts::ProgramFacts;
use crate::jobs::End;
use crate::pages::Pages;
use crate::statistics::Totals;
use crate::{console, internal_errors, panics};
use cupping_case::{CoverageCount, Recollection, Suite};
use cupping_classfile::Program;
use cupping_generate::{ClassOutcome, GenerateError, InternalError, Unreached};
use cupping_report::certify::{
    Certifier, CertifierOptions, CertifyError, Divergence, JarSources, Stage, Verdict,
};
use cupping_report::junit::{self, JunitClass, JunitVersion};
use cupping_report::result::ClassResult;
use cupping_report::{corpus, files, withheld};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

/// Certifies and writes one class after the other.
pub struct Settler<'a> {
    /// Where the classes are.
    pub program: &'a Program,
    /// Its entries, for javac and the JVM.
    pub class_path: Vec<PathBuf>,
    /// The JVM.
    pub certifier: Certifier,
    /// The output folder.
    pub out: PathBuf,
    /// Where queries without an answer are written, if asked for.
    pub queries: Option<PathBuf>,
    /// Where tests are kept for the next run, if asked for.
    pub corpus: Option<PathBuf>,
    /// Where pages are written, if asked for.
    pub pages: Option<&'a Pages>,
    /// The JUnit to write for.
    pub version: JunitVersion,
    /// The command line that repeats the run for a class, up to the class.
    pub command: String,
    /// Counters so far.
    pub totals: Totals,
}

/// A class that is done with.
pub struct Settled {
    /// For the report.
    pub result: ClassResult,
    /// What it means for the exit code.
    pub status: Status,
    /// Lines about Cupping's own errors, each with its file.
    pub internal_errors: Vec<String>,
}

impl<'a> Settler<'a> {
    /// For a command that writes tests into a folder, and neither pages nor queries.
    ///
    /// # Errors
    /// The JVM that certifies does not start.
    pub fn of_command(
        command: &str,
        program: &'a Program,
        out: &Path,
        version: JunitVersion,
        junit_jars: &[PathBuf],
    ) -> Result<Settler<'a>, String> {
        let mut options = CertifierOptions::new(program.jdk().home(), version);
        options.jars = JarSources::of_machine(junit_jars);
        Ok(Settler {
            queries: None,
            corpus: None,
            pages: None,
            program,
            class_path: program.class_path().entries().map(|it| it.path().to_owned()).collect(),
            certifier: Certifier::start(options).map_err(|error| error.to_string())?,
            out: out.to_owned(),
            version,
            command: format!("cupping {command} --out '{}'", out.display()),
            totals: Totals::default(),
        })
    }
}

impl Settled {
    /// Prints which tests are withheld, and why, if any are.
    pub fn say_withheld(&self) {
        let suite = &self.result.suite;
        console::say(&withheld::text(&self.result.class_name(), &withheld::of_suite(suite)));
    }
}

impl Settler<'_> {
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
        let mut status = if internal_errors.is_empty() { Status::DONE } else { Status::WRONG };
        let internal_errors = internal_errors::write(&self.out, &suite.class, &internal_errors);
        let classes = junit::test_classes(&suite, self.version, &ProgramFacts::new(self.program));
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
            && let Err(error) = save_queries(folder, &result.suite.class, &unanswered)
        {
            status.add(Status::BAD_INPUT);
            result.error = Some(format!("{}: {error}; --save-queries takes a folder", folder.display()));
        }
        match self.certify_suite(&result.suite, classes) {
            Ok(Verdict { classes, divergences }) => {
                let emitted: BTreeSet<(bool, usize)> = classes
                    .iter()
                    .flat_map(|class| class.methods.iter().map(|it| (class.failing, it.case)))
                    .collect();
                coverage.count(&mut result.suite, |failing, case| emitted.contains(&(failing, case)));
                if !divergences.is_empty() {
                    status.add(Status::WRONG);
                }
                match files::write(&self.out, &classes) {
                    Ok(_) => result.classes = classes,
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
        Settled { result, status, internal_errors }
    }

    /// Certifies; tests that javac refuses are printed once more with raw types.
    fn certify_suite(&mut self, suite: &Suite, classes: Vec<JunitClass>) -> Result<Verdict, CertifyError> {
        let verdict = self.certifier.certify(classes.clone(), &self.class_path)?;
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
        let again = junit::test_classes_raw(suite, self.version, &facts, &raw);
        self.certifier.certify(again, &self.class_path)
    }

    fn panicked(&self, class: &str, panic: &str) -> Settled {
        self.internal_error(class, format!("panic: {panic}"))
    }

    fn internal_error(&self, class: &str, message: String) -> Settled {
        let reproduction = format!("{} '{}'", self.command, class.replace('/', "."));
        let error = InternalError { message: message.clone(), reproduction };
        let lines = internal_errors::write(&self.out, class, &[error]);
        let mut settled = failed(class, message, Status::WRONG);
        settled.internal_errors = lines;
        settled
    }
}

/// Writes a class's queries into files of their own.
fn save_queries(folder: &Path, class: &str, queries: &[String]) -> io::Result<()> {
    if !queries.is_empty() {
        fs::create_dir_all(folder)?;
    }
    for (at, query) in queries.iter().enumerate() {
        fs::write(folder.join(format!("{}-{}.query", class.replace('/', "."), at + 1)), query)?;
    }
    Ok(())
}

/// As reports show it.
fn shown(method: Unreached) -> cupping_report::result::Unreached {
    let Unreached { class, name, descriptor, cause, detail } = method;
    let class = class.replace('/', ".");
    cupping_report::result::Unreached { class, name, descriptor, cause: cause.text(), detail }
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
    Settled { result, status, internal_errors: Vec::new() }
}
