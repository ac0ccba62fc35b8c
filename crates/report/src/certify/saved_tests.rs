//! Runs saved tests on the present classes: nothing is dropped, and each test gets its fate.

use super::{Certifier, CertifyError, TestEnd};
use crate::test_check::TestFile;
use serde::{Deserialize, Serialize};

/// Files that are compiled together, at most.
const BATCH: usize = 100;

/// The fate of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// It passes; or it was to fail, and does.
    Holds,
    /// `javac` rejects it.
    Refused {
        /// javac's key, such as `compiler.err.cant.resolve`.
        code: String,
        /// Its text.
        message: String,
        /// The line in the file.
        line: usize,
    },
    /// It does not pass: what the JVM said.
    Fails(String),
    /// It passes alone, but not after the other tests of its file.
    Unstable(String),
    /// It does not end, or it ends the JVM.
    Endless(String),
    /// It tried to change the computer outside of the folder that JUnit gives it.
    Escapes(String),
    /// It was to fail, and passes.
    Mended,
    /// It was not run: this system cannot confine the JVM.
    NotRun,
}

/// The files of one round; code that does not compile is blanked out.
struct Round<'a> {
    certifier: &'a mut Certifier,
    files: &'a [TestFile],
    /// The text of each file, with blank lines where something does not compile; `None` if nothing is left.
    texts: Vec<Option<String>>,
    fates: Vec<Vec<Option<Fate>>>,
    class_path: Vec<String>,
}

impl Certifier {
    /// The fate of each test of each file. `interrupted` is called between files; files that have not run by then
    /// are omitted.
    ///
    /// # Errors
    ///
    /// The JVM cannot be started, or ended for no reason that a test gave.
    pub fn fates(
        &mut self,
        files: &[TestFile],
        interrupted: fn() -> bool,
    ) -> Result<Vec<Vec<Fate>>, CertifyError> {
        if self.only_harmless {
            return Ok(files.iter().map(|file| vec![Fate::NotRun; file.tests.len()]).collect());
        }
        let class_path: Vec<String> = self.class_path.iter().map(|path| super::absolute(path)).collect();
        let mut all = Vec::new();
        for files in files.chunks(BATCH) {
            let mut round = Round {
                certifier: self,
                files,
                texts: files.iter().map(|file| Some(file.text.clone())).collect(),
                fates: files.iter().map(|file| vec![None; file.tests.len()]).collect(),
                class_path: class_path.clone(),
            };
            round.compile()?;
            for at in 0..files.len() {
                if interrupted() {
                    round.fates[at].clear();
                    continue;
                }
                round.run(at)?;
            }
            all.extend(round.fates.into_iter().map(|it| it.into_iter().flatten().collect()));
        }
        Ok(all)
    }
}

impl Round<'_> {
    /// Blanks out code that does not compile until the rest does.
    fn compile(&mut self) -> Result<(), CertifyError> {
        loop {
            let sources: Vec<(String, String)> = self
                .files
                .iter()
                .zip(&self.texts)
                .filter_map(|(file, text)| Some((file.name.clone(), text.clone()?)))
                .collect();
            if sources.is_empty() {
                return Ok(());
            }
            let (ok, messages) = self.certifier.worker()?.compile(&self.class_path, &sources)?;
            if ok {
                return Ok(());
            }
            let mut placed = false;
            for error in messages.iter().filter(|it| it.is_error) {
                let Some(file) = self.files.iter().position(|it| it.name == error.class) else { continue };
                let line = usize::try_from(error.line).unwrap_or(0);
                placed |= self.refuse(file, line, &error.code, &error.message);
            }
            if !placed {
                // javac does not give a position, so none of the tests can run.
                let message = messages.iter().find(|it| it.is_error);
                let (code, text) = message.map_or(("", "javac failed without naming a test"), |it| {
                    (it.code.as_str(), it.message.as_str())
                });
                for file in 0..self.files.len() {
                    self.refuse(file, 0, code, text);
                }
                return Ok(());
            }
        }
    }

    /// Records what an error invalidates: its test, an import, or the file. Returns whether that is new.
    fn refuse(&mut self, file: usize, line: usize, code: &str, message: &str) -> bool {
        let Some(text) = self.texts[file].take() else { return false };
        let fate = Fate::Refused { code: code.to_owned(), message: message.to_owned(), line };
        let tests = &self.files[file].tests;
        if let Some(at) = tests.iter().position(|it| it.lines.contains(&line)) {
            self.texts[file] = Some(blanked(&text, tests[at].lines.clone()));
            let is_news = self.fates[file][at].is_none();
            self.fates[file][at].get_or_insert(fate);
            return is_news;
        }
        let at_line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        if line > 0 && at_line.starts_with("import ") {
            // The tests that need it say so by themselves.
            self.texts[file] = Some(blanked(&text, line..line + 1));
            return true;
        }
        self.fates[file].iter_mut().for_each(|it| {
            it.get_or_insert(fate.clone());
        });
        true
    }

    /// Runs the tests of a file that compile, in their own class loader; failing ones run once more alone.
    fn run(&mut self, file: usize) -> Result<(), CertifyError> {
        loop {
            let open: Vec<usize> =
                (0..self.files[file].tests.len()).filter(|at| self.fates[file][*at].is_none()).collect();
            if open.is_empty() {
                return Ok(());
            }
            let ends = self.run_these(file, &open)?;
            for (at, end) in open.iter().zip(ends) {
                let fate = match end {
                    TestEnd::Failed(detail) => self.alone(file, *at, detail)?,
                    end => self.fate(file, end),
                };
                self.fates[file][*at] = Some(fate);
            }
        }
    }

    /// The fate of a test that failed behind others.
    fn alone(&mut self, file: usize, at: usize, detail: String) -> Result<Fate, CertifyError> {
        if self.files[file].must_fail {
            return Ok(Fate::Holds);
        }
        let end = self.run_these(file, &[at])?.pop();
        Ok(match end {
            Some(TestEnd::Passed) => Fate::Unstable(detail),
            Some(end) => self.fate(file, end),
            None => Fate::Fails(detail),
        })
    }

    /// Runs some tests; if the JVM ends, another takes its place.
    fn run_these(&mut self, file: usize, tests: &[usize]) -> Result<Vec<TestEnd>, CertifyError> {
        let TestFile { name, tests: all, .. } = &self.files[file];
        let named: Vec<(String, String)> =
            tests.iter().map(|at| (name.clone(), all[*at].name.clone())).collect();
        let limit = self.certifier.limit;
        let ends = self.certifier.worker()?.run(limit, &named)?;
        if matches!(ends.last(), Some(TestEnd::Fatal(_))) {
            self.certifier.give_up_worker();
            self.compile()?;
        }
        Ok(ends)
    }

    fn fate(&self, file: usize, end: TestEnd) -> Fate {
        match (end, self.files[file].must_fail) {
            (TestEnd::Passed, false) | (TestEnd::Failed(_), true) => Fate::Holds,
            (TestEnd::Passed, true) => Fate::Mended,
            (TestEnd::Failed(detail), false) => Fate::Fails(detail),
            (TestEnd::Escaped(tried), _) => Fate::Escapes(tried),
            (TestEnd::Fatal(detail), _) => Fate::Endless(detail),
        }
    }
}

/// The text with these lines, counted from 1, made empty: the others keep their numbers.
fn blanked(text: &str, lines: std::ops::Range<usize>) -> String {
    let kept = text.lines().enumerate().map(|(at, line)| if lines.contains(&(at + 1)) { "" } else { line });
    kept.flat_map(|line| [line, "\n"]).collect()
}
