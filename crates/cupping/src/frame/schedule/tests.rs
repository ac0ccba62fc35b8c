use super::*;
use std::sync::Mutex;

/// Finds nothing in most units; some end badly in a way that their name encodes.
struct Fake {
    budgets: Mutex<Vec<(String, u128)>>,
    boots: bool,
    interrupted: fn() -> bool,
}

/// What a fake found.
struct Findings {
    unit: String,
    share: Share,
}

/// The amount that a unit can use.
fn need(unit: &str) -> Duration {
    let seconds = unit.strip_prefix("needs").and_then(|number| number.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

impl Work for Fake {
    type Session = bool;
    type Findings = Findings;

    fn boot(&self) -> Result<bool, Failure> {
        if self.boots { Ok(false) } else { Err(Failure::Boot("no boot".into())) }
    }

    fn work(&self, poisoned: &mut bool, unit: &str, share: Share, _: &Line) -> Result<Findings, Failure> {
        assert!(!*poisoned, "used after a panic");
        if unit == "panics" {
            *poisoned = true;
            panic!("no such {unit}");
        }
        self.budgets.lock().unwrap().push((unit.into(), share.budget.as_millis()));
        if unit == "missing" {
            return Err(Failure::Input("missing".into()));
        }
        Ok(Findings { unit: unit.into(), share })
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn need(&self, found: &Findings) -> ShareUsage {
        let budget = found.share.budget;
        let value = u32::from(!(self.interrupted)());
        ShareUsage { work: budget.min(need(&found.unit)), wants_more: budget < need(&found.unit), value }
    }
}

fn fake(interrupted: fn() -> bool) -> Fake {
    Fake { budgets: Mutex::new(Vec::new()), boots: true, interrupted }
}

/// The fate of each unit, in order, in a word; and the shares that were given, sorted.
fn run(fake: Fake, units: &[&str], jobs: usize, budget: Budget) -> (Vec<String>, Vec<(String, u128)>) {
    panics::install();
    let schedule = Schedule {
        units,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        budget,
        interrupted: fake.interrupted,
        board: &Board::new(units.len()),
    };
    let mut ends = BTreeMap::new();
    schedule.run(&fake, |at, end| {
        let word = match end {
            UnitEnd::Done(found) => found.unit,
            UnitEnd::Failed(Failure::Input(error) | Failure::Boot(error)) => format!("failed: {error}"),
            UnitEnd::Panicked(what) => format!("panicked: {}", what.split(" at ").next().unwrap()),
            UnitEnd::Failed(Failure::Interrupted) => "not begun".into(),
            UnitEnd::Failed(Failure::Late) => "late".into(),
        };
        assert!(ends.insert(at, word).is_none(), "unit {at} ended twice");
    });
    let mut budgets = fake.budgets.into_inner().unwrap();
    budgets.sort();
    (ends.into_values().collect(), budgets)
}

const EACH: Budget = Budget::Each(Duration::from_secs(10));

#[test]
fn a_panic_costs_one_unit() {
    let units = ["a", "panics", "b", "missing", "c", "panics", "d"];
    let panicked = "panicked: no such panics";
    let expected = ["a", panicked, "b", "failed: missing", "c", panicked, "d"];
    for jobs in [1, 2, 16] {
        assert_eq!(run(fake(|| false), &units, jobs, EACH).0, expected, "{jobs} jobs");
    }
}

#[test]
fn an_empty_schedule_ends_at_once() {
    assert!(run(fake(|| false), &[], 2, EACH).0.is_empty());
}

#[test]
fn nothing_is_begun_after_an_interruption() {
    assert_eq!(run(fake(|| true), &["a", "b"], 1, EACH).0, ["not begun", "not begun"]);
}

#[test]
fn a_machine_that_does_not_boot_is_the_end_of_each_unit() {
    let fake = Fake { boots: false, ..fake(|| false) };
    assert_eq!(run(fake, &["a", "b"], 1, EACH).0, ["failed: no boot", "failed: no boot"]);
}

#[test]
fn units_that_cannot_say_what_they_need_get_equal_parts() {
    for jobs in [1, 3] {
        let total = Budget::Equally(Duration::from_secs(9));
        let (_, budgets) = run(fake(|| false), &["a", "needs5", "b"], jobs, total);
        assert!(budgets.len() == 3 && budgets.iter().all(|(_, budget)| *budget == 3000), "{budgets:?}");
    }
}

#[test]
fn unused_budget_of_covered_units_goes_to_others() {
    for jobs in [1, 2, 8] {
        let units = ["needs0", "needs1", "needs30", "needs200"];
        let total = Budget::InRounds(Duration::from_secs(80));
        let (ends, budgets) = run(fake(|| false), &units, jobs, total);
        let given = |unit: &str| -> Vec<u128> {
            budgets.iter().filter(|(name, _)| name == unit).map(|(_, budget)| *budget).collect()
        };
        assert_eq!(ends.len(), 4);
        // A quarter of 20 s, rounded: 19 * 256 ms.
        assert_eq!(given("needs0"), [4864]);
        assert_eq!(given("needs1"), [4864]);
        // 80 s less 0, 1, 4.9 and 4.9 s, in halves: 16 * 2048 ms.
        assert_eq!(given("needs30"), [4864, 32_768]);
        assert_eq!(given("needs200"), [4864, 32_768]);
    }
}

#[test]
fn a_panic_costs_one_unit_of_those_that_share() {
    let total = Budget::InRounds(Duration::from_secs(8));
    let (ends, budgets) = run(fake(|| false), &["needs3", "panics", "needs9"], 2, total);
    assert_eq!(ends.len(), 3);
    assert!(budgets.iter().any(|(unit, budget)| unit == "needs9" && *budget > 3000), "{budgets:?}");
}

#[test]
fn an_interruption_ends_every_unit_once() {
    let total = Budget::InRounds(Duration::from_secs(8));
    assert_eq!(run(fake(|| true), &["needs3", "needs9"], 2, total).0.len(), 2);
}

#[test]
fn a_share_loses_little_when_it_is_rounded() {
    for milliseconds in (1..5000).chain([1 << 40]) {
        let share = Duration::from_millis(milliseconds);
        let given = rounded(share);
        assert!(given <= share && given >= share * 15 / 16, "{milliseconds}");
        assert_eq!(rounded(given), given);
    }
    assert_eq!(rounded(Duration::ZERO), Duration::from_millis(1));
}

#[test]
fn no_unit_is_begun_when_the_time_of_all_is_over() {
    let moment = Duration::from_nanos(1);
    for total in [Budget::Equally(moment), Budget::InRounds(moment)] {
        assert_eq!(run(fake(|| false), &["a", "b"], 1, total).0, ["late", "late"]);
    }
}

#[test]
fn a_unit_may_take_its_part_of_the_time_that_is_left() {
    let seconds = Duration::from_secs;
    let share = Share { budget: seconds(4), clock: Some(seconds(100)) };
    let timed = TimedShare { share, deadline: None, threads: 2 };
    let clock = |left: u64, units: usize| timed.within(seconds(left), units).clock.unwrap();
    assert_eq!(clock(40, 8), seconds(10));
    // At least the clock of its budget, as long as there is that much.
    assert_eq!(clock(40, 80), seconds(5));
    assert_eq!(clock(3, 80), seconds(3));
    // The last unit cannot use two threads.
    assert_eq!(clock(40, 1), seconds(40));
    assert_eq!(timed.now(5), Some(share), "without a deadline");
}
