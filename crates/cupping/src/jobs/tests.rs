use super::*;
use cupping_case::{CoverageCount, Suite};
use cupping_generate::{Statistics, SuiteCoverage};
use std::collections::BTreeMap;
use std::time::Duration;

/// Generates nothing for most classes; some are bad in a way that their name tells.
struct Fake {
    poisoned: bool,
}

impl Generator for Fake {
    fn generate(
        &mut self,
        class: &str,
        _: &Options,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ClassOutcome, GenerateError> {
        assert!(!self.poisoned, "used after a panic");
        if class == "panics" {
            self.poisoned = true;
            panic!("no such {class}");
        }
        if class == "missing" {
            return Err(GenerateError::Class("missing".into()));
        }
        let went_on = progress(Progress::default());
        Ok(ClassOutcome {
            suite: Suite {
                class: class.into(),
                cases: Vec::new(),
                failing: Vec::new(),
                lines: CoverageCount::default(),
                branches: CoverageCount { covered: u32::from(went_on), total: 1 },
            },
            coverage: SuiteCoverage::default(),
            explanation: None,
            sequences: None,
            internal_errors: Vec::new(),
            unanswered: Vec::new(),
            statistics: Statistics::default(),
            elapsed: Duration::ZERO,
        })
    }
}

/// What became of each class, in order, in a word.
fn ends(classes: &[&str], jobs: usize, interrupted: fn() -> bool) -> Vec<String> {
    panics::install();
    let work = Work {
        classes,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        options: &Options::default(),
        boot: || Ok(Fake { poisoned: false }),
        interrupted,
        board: &Board::new(classes.len(), true),
    };
    let mut ends = BTreeMap::new();
    work.run(|at, end| {
        let word = match end {
            End::Done(outcome) => outcome.suite.class.to_string(),
            End::Failed(error) => format!("failed: {error}"),
            End::Panicked(what) => format!("panicked: {}", what.split(" at ").next().unwrap()),
            End::NotBegun => "not begun".into(),
        };
        assert!(ends.insert(at, word).is_none(), "class {at} ended twice");
    });
    ends.into_values().collect()
}

#[test]
fn a_panic_costs_one_class() {
    let classes = ["a", "panics", "b", "missing", "c", "panics", "d"];
    let panicked = "panicked: no such panics";
    let expected = ["a", panicked, "b", "failed: missing", "c", panicked, "d"];
    for jobs in [1, 2, 16] {
        assert_eq!(ends(&classes, jobs, || false), expected, "{jobs} jobs");
    }
}

#[test]
fn without_classes_nothing_is_done() {
    assert!(ends(&[], 2, || false).is_empty());
}

#[test]
fn nothing_is_begun_after_an_interruption() {
    assert_eq!(ends(&["a", "b"], 1, || true), ["not begun", "not begun"]);
}

#[test]
fn a_machine_that_does_not_boot_is_the_end_of_each_class() {
    let work = Work {
        classes: &["a", "b"],
        jobs: NonZeroUsize::MIN,
        options: &Options::default(),
        boot: || Err::<Fake, _>(GenerateError::Class("no boot".into())),
        interrupted: || false,
        board: &Board::new(2, true),
    };
    let mut failed = 0;
    work.run(|_, end| failed += usize::from(matches!(end, End::Failed(_))));
    assert_eq!(failed, 2);
}
