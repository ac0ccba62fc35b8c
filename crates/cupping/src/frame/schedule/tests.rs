use super::*;
use cupping_case::{CoverageCount, Recollection, Suite};
use cupping_generate::{Statistics, SuiteCoverage};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// Generates nothing for most classes; some are bad in a way that their name tells.
struct Fake<'a> {
    poisoned: bool,
    budgets: &'a Mutex<Vec<(String, u128)>>,
}

/// How much a class can use.
fn need(class: &str) -> Duration {
    let seconds = class.strip_prefix("needs").and_then(|number| number.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

impl Generator for Fake<'_> {
    fn generate(
        &mut self,
        class: &str,
        options: &Options,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ClassOutcome, GenerateError> {
        assert!(!self.poisoned, "used after a panic");
        if class == "panics" {
            self.poisoned = true;
            panic!("no such {class}");
        }
        self.budgets.lock().unwrap().push((class.into(), options.budget.as_millis()));
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
                criteria: Vec::new(),
                recollection: Recollection::default(),
                withheld: Vec::new(),
            },
            coverage: SuiteCoverage::default(),
            unreached: Vec::new(),
            work: options.budget.min(need(class)),
            wants_more: options.budget < need(class),
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
    let budgets = Mutex::new(Vec::new());
    let work = Work {
        classes,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        options: &Options::default(),
        boot: || Ok(Fake { poisoned: false, budgets: &budgets }),
        total: None,
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
        total: None,
        interrupted: || false,
        board: &Board::new(2, true),
    };
    let mut failed = 0;
    work.run(|_, end| failed += usize::from(matches!(end, End::Failed(_))));
    assert_eq!(failed, 2);
}

/// The budgets in milliseconds that classes were given, sorted, and how often each ended.
fn shared(
    total: u64,
    classes: &[&str],
    jobs: usize,
    interrupted: fn() -> bool,
) -> (Vec<(String, u128)>, usize) {
    panics::install();
    let budgets = Mutex::new(Vec::new());
    let work = Work {
        classes,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        options: &Options::default(),
        boot: || Ok(Fake { poisoned: false, budgets: &budgets }),
        total: Some(Duration::from_secs(total)),
        interrupted,
        board: &Board::new(classes.len(), true),
    };
    let mut ended = 0;
    work.run(|_, _| ended += 1);
    let mut budgets = budgets.into_inner().unwrap();
    budgets.sort();
    (budgets, ended)
}

#[test]
fn what_covered_classes_leave_over_goes_to_the_others() {
    for jobs in [1, 2, 8] {
        let (budgets, ended) = shared(80, &["needs0", "needs1", "needs30", "needs200"], jobs, || false);
        let given = |class: &str| -> Vec<u128> {
            budgets.iter().filter(|(name, _)| name == class).map(|(_, budget)| *budget).collect()
        };
        assert_eq!(ended, 4);
        assert_eq!(given("needs0"), [5000]);
        assert_eq!(given("needs1"), [5000]);
        // 80 s less 0, 1, 5 and 5 s; then again less what the one has used that has enough.
        assert_eq!(given("needs30"), [5000, 34_500]);
        assert_eq!(given("needs200"), [5000, 34_500]);
    }
}

#[test]
fn a_panic_costs_one_class_of_those_that_share() {
    let (budgets, ended) = shared(8, &["needs3", "panics", "needs9"], 2, || false);
    assert_eq!(ended, 3);
    assert!(budgets.iter().any(|(class, budget)| class == "needs9" && *budget > 3000), "{budgets:?}");
}

#[test]
fn an_interruption_ends_every_class_once() {
    let (_, ended) = shared(8, &["needs3", "needs9"], 2, || true);
    assert_eq!(ended, 2);
}
