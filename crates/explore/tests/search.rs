//! Search order and limits.

mod lab;

use cupping_explore::{ExplorationLimits, NodeKind};
use lab::{Lab, Outcome, Setup};
use std::collections::BTreeMap;

#[test]
fn loops_wait_until_nothing_new_is_left_and_end_by_limits() {
    let mut lab = Lab::new();
    uncovered_code_comes_before_another_round(&mut lab);
    breadth_first_runs_paths_as_they_were_met(&mut lab);
    offers_bound_a_loop(&mut lab);
    decisions_bound_a_path(&mut lab);
    fuel_bounds_a_loop_without_decisions(&mut lab);
    a_side_that_is_not_tried_stays_unexplored(&mut lab);
    every_fixed_value_has_all_its_sides(&mut lab);
}

/// `-7` requires a loop with a symbolic bound, followed by a key.
fn uncovered_code_comes_before_another_round(lab: &mut Lab) {
    let setup = Setup { most_paths: 4, ..Setup::of("samples/Control", "uncovered") };
    let explored = lab.explore(&setup);
    let at = explored.found.iter().position(|f| f.outcome == Outcome::int(-7));
    assert!(at.is_some_and(|at| at <= 2), "after one side of the loop at most: {:?}", explored.outcomes());
}

fn breadth_first_runs_paths_as_they_were_met(lab: &mut Lab) {
    let setup = Setup { most_paths: 30, breadth_first: true, ..Setup::of("samples/Control", "uncovered") };
    let explored = lab.explore(&setup);
    // The path that each one was forked from: the first that shares most of its sides.
    let parents: Vec<usize> = (1..explored.found.len())
        .map(|at| {
            let shared = |other: &usize| {
                let pairs = explored.found[*other].sides.iter().zip(&explored.found[at].sides);
                pairs.take_while(|(a, b)| a == b).count()
            };
            (0..at).rev().max_by_key(shared).unwrap_or(0)
        })
        .collect();
    assert!(parents.is_sorted(), "{parents:?}");
}

fn offers_bound_a_loop(lab: &mut Lab) {
    let limits = ExplorationLimits { offers: 5, waiting: 3, ..ExplorationLimits::default() };
    let explored = lab.explore(&Setup { limits, ..Setup::of("samples/Control", "bounded") });
    assert!(explored.found.len() < 40, "{}", explored.found.len());
    for wanted in [0, 2] {
        assert!(explored.outcomes().contains(&Outcome::int(wanted)), "{:?}", explored.outcomes());
    }
}

fn decisions_bound_a_path(lab: &mut Lab) {
    let limits = ExplorationLimits {
        decisions: 6,
        offers: u32::MAX,
        waiting: usize::MAX,
        ..ExplorationLimits::default()
    };
    let explored = lab.explore(&Setup { limits, ..Setup::of("samples/Control", "bounded") });
    assert!(explored.found.iter().all(|f| f.decisions <= 6));
    let stopped = explored.found.iter().filter(|f| matches!(f.outcome, Outcome::Stopped(_))).count();
    assert!(stopped >= 1 && stopped < explored.found.len(), "{:?}", explored.outcomes());
}

fn fuel_bounds_a_loop_without_decisions(lab: &mut Lab) {
    let limits = ExplorationLimits { fuel: 1000, ..ExplorationLimits::default() };
    let explored = lab.explore(&Setup { limits, ..Setup::of("samples/Control", "endless") });
    let out = Outcome::Stopped("OutOfFuel".into());
    assert_eq!(explored.outcomes(), [Outcome::int(1), out]);
}

fn a_side_that_is_not_tried_stays_unexplored(lab: &mut Lab) {
    let setup = Setup { most_paths: 1, ..Setup::of("papers/Clamp", "clamp") };
    let explored = lab.explore(&setup);
    assert!(!explored.is_complete);
    assert_eq!((explored.nodes(NodeKind::Terminal), explored.nodes(NodeKind::Unexplored)), (1, 2));
}

/// Values with equal low bits, such as doubles, have separate paths.
fn every_fixed_value_has_all_its_sides(lab: &mut Lab) {
    let setup = Setup { most_paths: 12, breadth_first: true, ..Setup::of("samples/Control", "fixed") };
    let explored = lab.explore(&setup);
    let mut keys: BTreeMap<u32, usize> = BTreeMap::new();
    for found in &explored.found {
        *keys.entry(found.sides[0].1).or_default() += 1;
    }
    let twice = keys.values().filter(|paths| **paths == 2).count();
    assert!(keys.len() >= 4 && twice >= 3, "each value with a great and a small key: {keys:?}");
}
