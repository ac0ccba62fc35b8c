//! The common code for certified tests: printed, certified on the JDK, and written next to the user's files.

use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::shared::class_facts::ProgramFacts;
use crate::shared::emission::EmissionArgs;
use cupping_case::Suite;
use cupping_classfile::Program;
use cupping_generate::SuiteCoverage;
use cupping_report::certify::{Certification, Certifier, CertifyError, Divergence, Stage};
use cupping_report::files::{Author, ProposedFiles, TestFolder};
use cupping_report::junit::{self, JunitClass, TestForm};
use cupping_report::style::{AssertionLibrary, TestStyle};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Certifies and writes the tests of classes, one class after the other.
pub struct Emitter<'a> {
    program: &'a Program,
    args: &'a EmissionArgs,
    /// Started when it is needed first, if not before.
    certifier: Option<Certifier>,
    tests: TestFolder,
    form: TestForm,
    /// Whether the run is about some methods of its classes only: tests of an earlier run that it does not
    /// find may still hold.
    pub is_partial: bool,
}

/// The emitted tests of a class.
#[derive(Clone, Debug, Default)]
pub struct EmissionResult {
    /// The test classes with the tests that certification kept, as written.
    pub classes: Vec<JunitClass>,
    /// Their files.
    pub paths: Vec<PathBuf>,
    /// The tests that certification dropped.
    pub divergences: Vec<Divergence>,
    /// Notes for the user about edited and removed files.
    pub notes: Vec<String>,
    /// The effect on the exit code.
    pub status: Status,
    /// Why nothing was written, if so.
    pub error: Option<String>,
}

impl<'a> Emitter<'a> {
    /// Starts the JVM that certifies. Names of tests of these classes, by internal name, are reserved.
    ///
    /// # Errors
    ///
    /// The JVM does not start; the text says what to do.
    pub fn start<'c>(
        args: &'a EmissionArgs,
        author: &Author,
        out: &Path,
        program: &'a Program,
        classes: impl IntoIterator<Item = &'c str>,
    ) -> Result<Emitter<'a>, String> {
        let late = Emitter::start_late(args, author, out, program, classes)?;
        Ok(Emitter { certifier: Some(args.certifier(program)?), ..late })
    }

    /// The same, with a JVM that starts when there is something to certify.
    ///
    /// # Errors
    /// The style cannot be had; the text says how to go on.
    pub fn start_late<'c>(
        args: &'a EmissionArgs,
        author: &Author,
        out: &Path,
        program: &'a Program,
        classes: impl IntoIterator<Item = &'c str>,
    ) -> Result<Emitter<'a>, String> {
        let form = args.form(program)?;
        let mut tests = test_folder(args, author, out);
        tests.reserve(classes);
        Ok(Emitter { program, args, certifier: None, tests, form, is_partial: false })
    }

    fn certifier(&mut self) -> Result<&mut Certifier, CertifyError> {
        match &mut self.certifier {
            Some(certifier) => Ok(certifier),
            none => {
                let started = self.args.certifier(self.program);
                Ok(none.insert(started.map_err(|why| CertifyError::NotStarted { why })?))
            }
        }
    }

    /// Gives a test class the name that the user wants.
    pub fn name(&self, class: &mut JunitClass) {
        self.tests.name(class);
    }

    /// From now on, existing files stay as they are, including those that this command wrote.
    pub fn keep_all_files(&mut self) {
        self.tests = self.tests.clone().keeping_all();
    }

    /// From now on, nothing is written; the texts are collected in the returned value.
    pub fn propose(&mut self) -> ProposedFiles {
        let files = ProposedFiles::default();
        self.tests = self.tests.clone().proposing(ProposedFiles::clone(&files));
        files
    }

    /// The output folder.
    pub fn folder(&self) -> &Path {
        self.tests.root()
    }

    /// Emits the tests of a suite, and sets the suite's coverage to that of the written tests.
    pub fn suite(&mut self, suite: &mut Suite, coverage: SuiteCoverage) -> EmissionResult {
        let mut classes = junit::test_classes(suite, self.form.clone(), &ProgramFacts::new(self.program));
        classes.iter_mut().for_each(|class| self.tests.name(class));
        let verdict = self.certify_suite(suite, classes);
        let emitted: BTreeSet<(bool, usize)> =
            verdict.iter().flat_map(|it| &it.classes).flat_map(tests).collect();
        coverage.count(suite, |failing, case| emitted.contains(&(failing, case)));
        let is_whole = !self.is_partial && !interrupted();
        let verdict = verdict.and_then(|it| self.with_families(suite, it));
        self.write(&suite.class, verdict, is_whole)
    }

    /// Turns tests that differ only in literals into parameterized tests, if these pass as the separate tests did.
    fn with_families(
        &mut self,
        suite: &Suite,
        verdict: Certification,
    ) -> Result<Certification, CertifyError> {
        let Certification { mut classes, divergences } = verdict;
        if !self.args.is_parameterized(self.program) {
            return Ok(Certification { classes, divergences });
        }
        for class in &mut classes {
            let Some(folded) = junit::parameterized(class, suite) else { continue };
            let certified = self.certifier()?.certify(vec![folded])?;
            if let ([folded], []) = (certified.classes.as_slice(), certified.divergences.as_slice()) {
                *class = folded.clone();
            }
        }
        Ok(Certification { classes, divergences })
    }

    /// Emits test classes that are already printed. `is_whole` says whether they are all tests of the class.
    pub fn classes(&mut self, class: &str, classes: Vec<JunitClass>, is_whole: bool) -> EmissionResult {
        let verdict = self.certifier().and_then(|it| it.certify(classes));
        self.write(class, verdict, is_whole)
    }

    fn write(
        &mut self,
        class: &str,
        verdict: Result<Certification, CertifyError>,
        is_whole: bool,
    ) -> EmissionResult {
        let Certification { classes, divergences } = match verdict {
            Ok(verdict) => verdict,
            Err(error) => {
                let is_ours = matches!(error, CertifyError::Jvm { .. });
                return EmissionResult {
                    status: if is_ours { Status::WRONG } else { Status::BAD_INPUT },
                    error: Some(format!("nothing was written, because nothing could be certified: {error}")),
                    ..EmissionResult::default()
                };
            }
        };
        let is_wrong = divergences.iter().any(|it| it.stage.is_defect());
        let mut status = if is_wrong { Status::WRONG } else { Status::DONE };
        match self.tests.write(class, &classes, is_whole) {
            Ok(written) => EmissionResult {
                classes,
                paths: written.paths,
                divergences,
                notes: written.notes,
                status,
                error: None,
            },
            Err(error) => {
                status.add(Status::BAD_INPUT);
                EmissionResult {
                    divergences,
                    status,
                    error: Some(error.to_string()),
                    ..EmissionResult::default()
                }
            }
        }
    }

    /// Certifies; tests that javac refuses are printed once more with raw types, and with the assertions of the
    /// framework: `assertThat` is ambiguous for objects that are several things at once.
    fn certify_suite(
        &mut self,
        suite: &Suite,
        classes: Vec<JunitClass>,
    ) -> Result<Certification, CertifyError> {
        let verdict = self.certifier()?.certify(classes.clone())?;
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
        let plain = TestStyle { assertions: AssertionLibrary::Framework, ..(*self.form.style).clone() };
        let form = TestForm { style: Arc::new(plain), ..self.form.clone() };
        let mut again = junit::test_classes_raw(suite, form, &facts, &raw);
        again.iter_mut().for_each(|class| self.tests.name(class));
        self.certifier()?.certify(again)
    }
}

/// The output folder of these arguments.
pub fn test_folder(args: &EmissionArgs, author: &Author, out: &Path) -> TestFolder {
    TestFolder::new(out, author.clone(), args.name_pattern.clone())
}

/// The tests of a class: whether they fail, and the case.
fn tests(class: &JunitClass) -> impl Iterator<Item = (bool, usize)> {
    class.methods.iter().map(|it| (class.failing, it.case))
}

/// Reports that no test was written although nothing failed.
pub fn nothing_written() -> Status {
    console::error(
        &"no test was written, because no test was found that holds; try a larger --budget or other classes",
    );
    Status::EMPTY
}
