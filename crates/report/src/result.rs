//! What became of one class: the suite, the tests that hold, and those that do not.

use crate::certify::Divergence;
use crate::junit::JunitClass;
use cupping_case::{Case, Suite};
use std::time::Duration;

/// The outcome for one class under test.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassResult {
    /// What was found.
    pub suite: Suite,
    /// The test classes as emitted, with what certification kept.
    pub classes: Vec<JunitClass>,
    /// What certification dropped.
    pub divergences: Vec<Divergence>,
    /// Wall-clock time spent on the class.
    pub elapsed: Duration,
    /// Why nothing was generated, if so.
    pub error: Option<String>,
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
            class.methods.iter().filter_map(move |it| Some((class, it.name.as_str(), cases.get(it.case)?)))
        })
    }

    fn count(&self, failing: bool) -> usize {
        self.classes.iter().filter(|class| class.failing == failing).map(|class| class.methods.len()).sum()
    }
}
