//! Checks on several threads give the report of one thread, including limits; larger scopes give what smaller ones
//! lack.

mod support;

use cupping_exhaust::portions::{Progress, check};
use cupping_exhaust::{CheckLimits, CheckResult, Specification, World, growth, text};
use std::fs;
use support::{fixtures, program};

fn specification(name: &str, scope: &str) -> Specification {
    let source = fs::read_to_string(fixtures().join(name)).expect("a specification");
    Specification::read(name, &source, &program(), Some(scope)).expect("a specification")
}

fn checked(specification: &Specification, settings: CheckLimits, threads: u32) -> CheckResult {
    let program = program();
    let mut world = World::boot(program.clone(), specification).expect("a world");
    let mut problem = specification.problem().expect("a problem");
    let so_far = Progress::default();
    let watch = &mut |_: &CheckResult, _: Option<&_>| true;
    let parts = (settings, threads);
    check(specification, &program, &mut world, parts, so_far, &mut problem, watch).expect("a check").checked
}

#[test]
fn threads_do_not_show_in_the_report() {
    let specification =
        specification("list-reversed.spec", "exactly 1 ReversedList, exactly 5 Node, 0..3 int");
    let all = CheckLimits::default();
    let limits = [
        all,
        CheckLimits { limit: 500, ..all },
        CheckLimits { limit: 1024, ..all },
        CheckLimits { stop_after: 400, ..all },
        CheckLimits { work: 20_000_000, ..all },
    ];
    let mut reports = Vec::new();
    for settings in limits {
        let one = checked(&specification, settings, 1);
        let three = checked(&specification, settings, 3);
        assert_eq!(text(&specification, &one), text(&specification, &three), "{settings:?}");
        reports.push(one);
    }
    // A list of five passes if it is sorted both ways: all elements are equal.
    let counts: Vec<_> = reports.iter().map(|it| (it.inputs, it.passed, it.is_complete)).collect();
    assert_eq!(counts[0], (1024, 4, true));
    assert_eq!((counts[1].0, counts[1].2), (500, false));
    assert_eq!(counts[2], (1024, 4, true));
    assert_eq!((counts[3].0 - counts[3].1, counts[3].2), (400, false));
    assert!(counts[4].0 > 0 && counts[4].0 < 1024 && !counts[4].2, "{:?}", counts[4]);
}

#[test]
fn larger_scopes_repeat_nothing() {
    let mut specification = specification("list.spec", "exactly 1 List, 2 Node, 0..1 int");
    let mut all = specification.problem().expect("a problem").count_left();
    assert_eq!(all, 1 + 2 + 4, "lists of up to two elements, of two values");
    for (nodes, values) in [(3, 3), (4, 4)] {
        let smaller = specification.scope.clone();
        let new = growth::is_new(&specification, &smaller).expect("a condition");
        specification.scope = growth::larger(&specification);
        let shown = growth::shown(&specification, &specification.scope);
        assert_eq!(shown, format!("exactly 1 List, {nodes} Node, 0..{} int", values - 1));
        all += specification.problem_with(&[new]).expect("a problem").count_left();
        let whole: u64 = (0..=nodes).map(|length| u64::pow(values, length)).sum();
        assert_eq!(all, whole, "lists of up to {nodes} elements, of {values} values");
    }
}
