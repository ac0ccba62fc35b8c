//! The result of one class: the suite, the tests that hold, and those that do not.

use crate::certify::Divergence;
use crate::junit::JunitClass;
use cupping_case::{Case, Suite};
use std::time::Duration;

/// The outcome for one class under test.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassResult {
    /// What was found.
    pub suite: Suite,
    /// The test classes as emitted, with the tests that certification kept.
    pub classes: Vec<JunitClass>,
    /// The tests that certification dropped.
    pub divergences: Vec<Divergence>,
    /// The methods that the search did not cover completely, with the obstacle.
    pub unreached: Vec<UncoveredMethod>,
    /// Whether the clock ended the search before its work was done, so that another run may find other tests.
    pub ended_by_clock: bool,
    /// Wall-clock time spent on the class.
    pub elapsed: Duration,
    /// Why nothing was generated, if so.
    pub error: Option<String>,
}

/// A method that is not covered in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncoveredMethod {
    /// Its class, with dots: the class under test or one nested in it.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The obstacle to covering it, in a few fixed words.
    pub cause: &'static str,
    /// More about it: a type, a native method; may be empty.
    pub detail: String,
}

impl ClassResult {
    /// The class under test with dots.
    pub fn class_name(&self) -> String {
        self.suite.class.replace('/', ".")
    }

    /// Number of regular tests kept.
    pub fn tests(&self) -> usize {
        self.count(false)
    }

    /// Number of failing inputs kept.
    pub fn failing(&self) -> usize {
        self.count(true)
    }

    /// The emitted tests of one kind with the cases they were printed from: class, test name, case.
    pub fn emitted(&self, failing: bool) -> impl Iterator<Item = (&JunitClass, &str, &Case)> {
        let cases = if failing { &self.suite.failing } else { &self.suite.cases };
        let classes = self.classes.iter().filter(move |class| class.failing == failing);
        classes.flat_map(move |class| {
            let rows = class.methods.iter().flat_map(|it| it.cases().map(move |case| (it, case)));
            rows.filter_map(move |(it, case)| Some((class, it.name.as_str(), cases.get(case)?)))
        })
    }

    /// As [`Self::emitted`], with the name of a separate test for the case.
    pub fn recorded(&self, failing: bool) -> impl Iterator<Item = (&str, &Case)> {
        let cases = if failing { &self.suite.failing } else { &self.suite.cases };
        let classes = self.classes.iter().filter(move |class| class.failing == failing);
        let rows = classes.flat_map(|class| &class.methods).flat_map(|it| it.recorded());
        rows.filter_map(move |(case, name)| Some((name, cases.get(case)?)))
    }

    fn count(&self, failing: bool) -> usize {
        self.classes.iter().filter(|class| class.failing == failing).map(|class| class.methods.len()).sum()
    }
}
