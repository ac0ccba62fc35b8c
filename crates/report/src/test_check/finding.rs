//! A failing generated test, and the cause.

use super::source::TestFile;
use super::values::{line_of, values};
use super::{Gain, NewDefect};
use crate::certify::Fate;
use crate::files::sha256;
use serde::Serialize;

/// Why a test holds no longer, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The code does something else than it did.
    Changed,
    /// It does not end, or it ends the JVM.
    Endless,
    /// It tried to change the computer outside of the folder that JUnit gives it.
    Escape,
    /// It passes alone, but not after the other tests of its file.
    Unstable,
    /// A class, method or field that it uses no longer exists.
    Gone,
    /// It does not compile for another reason.
    Uncompilable,
    /// It shows a defect that is not there any more.
    Mended,
}

impl Cause {
    /// All causes, the worst first.
    pub const ALL: [Cause; 7] = [
        Cause::Changed,
        Cause::Endless,
        Cause::Escape,
        Cause::Unstable,
        Cause::Gone,
        Cause::Uncompilable,
        Cause::Mended,
    ];

    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Changed => "changed",
            Cause::Endless => "endless",
            Cause::Escape => "escape",
            Cause::Unstable => "unstable",
            Cause::Gone => "gone",
            Cause::Uncompilable => "uncompilable",
            Cause::Mended => "mended",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Cause::Changed => "behaviour changed",
            Cause::Endless => "does not end",
            Cause::Escape => "leaves its folder",
            Cause::Unstable => "depends on other tests",
            Cause::Gone => "code is gone",
            Cause::Uncompilable => "does not compile",
            Cause::Mended => "defect is gone",
        }
    }
}

/// A test that holds no longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its stable identifier across runs.
    pub id: String,
    /// Why.
    pub cause: Cause,
    /// The class under test, with dots.
    pub class: String,
    /// The test: `org.x.YTest.add_returns1`.
    pub test: String,
    /// The file, as a person types it.
    pub file: String,
    /// The line that failed.
    pub line: usize,
    /// The text of that line.
    pub statement: String,
    /// The value in the test.
    pub old: String,
    /// The new value.
    pub new: String,
    /// Why it is not reported, if so.
    pub accepted: Option<String>,
}

/// A file and the fate of its tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedFile {
    /// The file, as a person types it.
    pub file: String,
    /// The test class, with dots.
    pub test_class: String,
    /// The class under test, with dots.
    pub class: String,
    /// The command that wrote it.
    pub command: String,
    /// Whether it was edited since.
    pub edited: bool,
    /// The number of tests that hold.
    pub holding: usize,
    /// The names of its tests.
    pub tests: Vec<String>,
    /// Those that do not hold.
    pub findings: Vec<Finding>,
}

/// All that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The files, by their names.
    pub files: Vec<CheckedFile>,
    /// Files that `--update` wrote or removed.
    pub updated: Vec<String>,
    /// The identifier of an accepted finding that was not found.
    pub obsolete: Vec<String>,
    /// Counterexamples that an older revision does not have, if it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_defects: Vec<NewDefect>,
    /// What the tests add to the project's own, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
}

impl CheckReport {
    /// Adds the results of another module.
    pub fn append(&mut self, other: CheckReport) {
        self.files.extend(other.files);
        self.updated.extend(other.updated);
        self.new_defects.extend(other.new_defects);
        match (&mut self.gain, other.gain) {
            (Some(gain), Some(other)) => gain.add(&other),
            (gain, other) => *gain = gain.take().or(other),
        }
    }

    /// The reported findings: those that nobody has accepted.
    pub fn open(&self) -> impl Iterator<Item = &Finding> {
        self.files.iter().flat_map(|it| &it.findings).filter(|it| it.accepted.is_none())
    }

    /// The number of tests.
    pub fn tests(&self) -> usize {
        self.files.iter().map(|it| it.tests.len()).sum()
    }

    /// The number of tests that hold.
    pub fn holding(&self) -> usize {
        self.files.iter().map(|it| it.holding).sum()
    }

    /// The number of accepted findings.
    pub fn accepted(&self) -> usize {
        self.files.iter().flat_map(|it| &it.findings).filter(|it| it.accepted.is_some()).count()
    }
}

impl CheckedFile {
    /// The findings for the fates of a file's tests. `shown` is its name as a person types it, `class` the class
    /// under test.
    pub fn new(
        shown: &str,
        class: &str,
        command: &str,
        edited: bool,
        file: &TestFile,
        fates: &[Fate],
    ) -> Self {
        let named = || file.tests.iter().zip(fates);
        let findings = named()
            .filter_map(|(test, fate)| {
                let place = TestLocation { shown, class, file, first: test.lines.start, test: &test.name };
                let mut finding = place.finding(fate)?;
                finding.accepted.clone_from(&test.suppressed);
                Some(finding)
            })
            .collect();
        CheckedFile {
            file: shown.to_owned(),
            test_class: file.name.clone(),
            class: class.to_owned(),
            command: command.to_owned(),
            edited,
            holding: fates.iter().filter(|it| **it == Fate::Holds).count(),
            tests: named().map(|(test, _)| test.name.clone()).collect(),
            findings,
        }
    }
}

/// The location of a finding.
struct TestLocation<'a> {
    shown: &'a str,
    class: &'a str,
    file: &'a TestFile,
    first: usize,
    test: &'a str,
}

impl TestLocation<'_> {
    fn finding(&self, fate: &Fate) -> Option<Finding> {
        let plain = |cause, detail: &str| {
            let (message, line) = line_of(detail);
            Some(self.made(cause, line, ("the test passes".into(), message.to_owned())))
        };
        match fate {
            Fate::Holds | Fate::NotRun => None,
            Fate::Fails(detail) => {
                let (message, line) = line_of(detail);
                let statement = line.map_or("", |line| self.file.line(line));
                Some(self.made(Cause::Changed, line, values(message, statement)))
            }
            Fate::Refused { code, message, line } => {
                let cause = if is_gone(code) { Cause::Gone } else { Cause::Uncompilable };
                let new = message.split_whitespace().collect::<Vec<_>>().join(" ");
                Some(self.made(cause, Some(*line).filter(|it| *it > 0), ("it compiles".into(), new)))
            }
            Fate::Unstable(detail) => plain(Cause::Unstable, detail),
            Fate::Endless(detail) => plain(Cause::Endless, detail),
            Fate::Escapes(tried) => plain(Cause::Escape, tried),
            Fate::Mended => {
                Some(self.made(Cause::Mended, None, ("the test fails".into(), "it passes".into())))
            }
        }
    }

    fn made(&self, cause: Cause, line: Option<usize>, (old, new): (String, String)) -> Finding {
        let test = format!("{}.{}", self.file.name, self.test);
        let identity = format!("check {test} {} {old:?} {new:?}", cause.name());
        Finding {
            id: sha256(identity.as_bytes())[..16].to_owned(),
            cause,
            class: self.class.to_owned(),
            test,
            file: self.shown.to_owned(),
            line: line.unwrap_or(self.first),
            statement: line.map_or(String::new(), |line| self.file.line(line).to_owned()),
            old,
            new,
            accepted: None,
        }
    }
}

/// Whether javac misses something, by the key of its message.
fn is_gone(code: &str) -> bool {
    let key = code.strip_prefix("compiler.err.").unwrap_or(code);
    key.starts_with("cant.resolve") || key.starts_with("doesnt.exist")
}
