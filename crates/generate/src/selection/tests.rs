use super::{Choice, choose};
use crate::candidate::Candidate;
use crate::corpus::RecalledTest;
use crate::criteria::Criteria;
use crate::exceptions::ThrownException;
use crate::input::Input;
use crate::invokable::Invokable;
use crate::options::GenerateOptions;
use crate::plan::Plan;
use crate::testing::{self, invokable};
use cupping_case::{Blame, Case, Cause, Criterion, JavaType, Outcome, RecordedTest};
use cupping_coverage::CoverageMap;
use cupping_machine::{DefUse, MethodId, Site};
use std::rc::Rc;

/// A path through a method, at the end of so many calls.
fn candidate(method: u32, path: u64, calls: usize) -> Candidate {
    let mut plan = Plan::default();
    let last = Invokable { method: MethodId(method), ..invokable("p/Box", "m", "()V") };
    let other = Rc::new(invokable("p/Box", "other", "()V"));
    for _ in 1..calls {
        plan.call(&other, Vec::new(), "");
    }
    plan.call(&Rc::new(last), Vec::new(), "");
    Candidate { control: path, ..testing::candidate(plan) }
}

/// The same path, which ends with an exception that was created at this place.
fn throwing(candidate: Candidate, place: u32, blame: Option<Blame>) -> Candidate {
    let cause = blame.map(|blame| Cause { blame, what: "it".into() });
    let (class, place) = ("java/lang/ArithmeticException".into(), Some((MethodId(9), place)));
    Candidate { thrown: Some(ThrownException { class, place, cause }), ..candidate }
}

/// The same path, as a test of an earlier run.
fn remembered(candidate: Candidate) -> Candidate {
    let case = Case {
        under_test: invokable("p/Box", "m", "()V").reference,
        variables: Vec::new(),
        steps: Vec::new(),
        outcome: Outcome::Returned,
        assertions: Vec::new(),
        distinction: String::new(),
        path: Vec::new(),
        name: None,
        restores: Vec::new(),
        empties: Vec::new(),
        cause: None,
        effects: Default::default(),
        purpose: Vec::new(),
        caught: Vec::new(),
    };
    let test = RecordedTest { name: "old".into(), failing: false, case };
    Candidate { remembered: Some(Rc::new(RecalledTest { test, fresh: false })), ..candidate }
}

/// The same path, on which a definition in one method reaches a use in another.
fn with_pair(candidate: Candidate, definition: u32, usage: u32) -> Candidate {
    let site = |method: u32| Site { method: MethodId(method), at: 0 };
    let pair = DefUse { field: 1, definition: site(definition), usage: site(usage) };
    Candidate { pairs: Rc::new([pair].into()), ..candidate }
}

/// What is chosen for these criteria, of code without lines and branches.
fn chosen(criteria: &[Criterion], candidates: &[Candidate]) -> Choice {
    let criteria = Criteria::new(criteria.iter().copied(), false);
    let options = GenerateOptions { criteria, ..GenerateOptions::default() };
    choose(candidates, &CoverageMap::new(), &[], &options)
}

#[test]
fn the_shortest_test_of_each_path_is_kept() {
    let all = [candidate(1, 7, 3), candidate(1, 7, 1), candidate(1, 8, 2), candidate(2, 7, 2)];
    let choice = chosen(&[Criterion::Path], &all);
    assert_eq!(choice.kept, [1, 2, 3], "a path of another method is another path");
    assert!(choice.failing.is_empty());
}

#[test]
fn without_line_numbers_each_method_gets_a_test() {
    let all = [candidate(1, 7, 1), candidate(1, 8, 1), candidate(2, 9, 1)];
    assert_eq!(chosen(&[Criterion::Line], &all).kept, [0, 2]);
    assert!(chosen(&[Criterion::Branch], &all).kept.is_empty(), "there are no branches");
}

#[test]
fn a_test_of_an_earlier_run_stays_although_a_shorter_one_does_the_same() {
    let all = [candidate(1, 7, 1), remembered(candidate(1, 7, 4)), candidate(1, 8, 1)];
    assert_eq!(chosen(&[Criterion::Path], &all).kept, [1, 2]);
    let twice = [remembered(candidate(1, 7, 4)), remembered(candidate(1, 7, 4))];
    assert_eq!(chosen(&[Criterion::Path], &twice).kept, [0, 1]);
}

#[test]
fn a_test_that_later_ones_make_redundant_is_dropped() {
    // The first covers path 7 and place 3 at once. The others cover one of these and something new.
    let all = [
        throwing(candidate(1, 7, 1), 3, None),
        throwing(candidate(1, 7, 2), 4, None),
        throwing(candidate(1, 8, 2), 3, None),
    ];
    assert_eq!(chosen(&[Criterion::Path, Criterion::Exception], &all).kept, [1, 2]);
    assert_eq!(chosen(&[Criterion::Path], &all).kept, [0, 2], "places do not count");
}

#[test]
fn of_inputs_with_the_same_fault_the_clearest_one_fails() {
    let mut with_null = candidate(1, 7, 1);
    let mut plan = Plan::clone(&with_null.plan);
    plan.input(Input::Null, JavaType::class("p/Box"), "it");
    plan.steps.rotate_right(1);
    with_null.plan = Rc::new(plan);
    let all = [
        throwing(with_null, 3, Some(Blame::Defect)),
        throwing(candidate(1, 7, 2), 3, Some(Blame::Defect)),
        throwing(candidate(1, 7, 1), 3, Some(Blame::Defect)),
    ];
    let choice = chosen(&[Criterion::Branch], &all);
    assert_eq!(choice.failing, [2], "without null, and with the fewest calls");
    assert!(choice.kept.is_empty());
}

#[test]
fn likely_defects_come_before_broken_preconditions() {
    let all = [
        throwing(candidate(1, 7, 1), 3, Some(Blame::Precondition)),
        throwing(candidate(1, 7, 1), 4, Some(Blame::Defect)),
        throwing(candidate(1, 7, 5), 3, Some(Blame::Defect)),
    ];
    assert_eq!(chosen(&[Criterion::Branch], &all).failing, [1, 2, 0], "each fault and blame once");
}

#[test]
fn faults_are_told_apart_by_path_if_paths_are_requested() {
    let fault = |path| throwing(candidate(1, path, 1), 3, Some(Blame::Defect));
    let all = [fault(7), fault(8), fault(7)];
    assert_eq!(chosen(&[Criterion::Branch], &all).failing, [0]);
    assert_eq!(chosen(&[Criterion::Path], &all).failing, [0, 1]);
}

#[test]
fn a_refusal_that_the_code_declares_is_a_test_that_passes() {
    let choice = chosen(&[Criterion::Exception], &[throwing(candidate(1, 7, 1), 3, None)]);
    assert_eq!((choice.kept, choice.failing), (vec![0], vec![]));
}

#[test]
fn tests_for_new_pairs_between_methods_follow() {
    let all = [
        candidate(1, 7, 1),
        with_pair(candidate(1, 8, 3), 5, 6),
        with_pair(candidate(1, 9, 2), 5, 6),
        with_pair(candidate(1, 9, 1), 6, 6),
        Candidate { is_pure: true, ..with_pair(candidate(1, 9, 2), 6, 7) },
    ];
    assert_eq!(
        chosen(&[], &all).kept,
        [0, 2],
        "the shorter one for the pair; none within one call; no getter"
    );
    assert_eq!(chosen(&[Criterion::Line], &all).kept, [0], "only if nothing else is asked for");
}

#[test]
fn tests_for_data_flow_alone_have_a_limit() {
    let all: Vec<Candidate> = (0..5).map(|at| with_pair(candidate(1, 7, 2), at, 20 + at)).collect();
    let options = GenerateOptions { max_data_flow_tests: 2, ..GenerateOptions::default() };
    let choice = choose(&all, &CoverageMap::new(), &[], &options);
    assert_eq!(choice.kept, [0, 1, 2], "one for the method, and two more");
}

#[test]
fn a_method_with_tests_of_an_earlier_run_gets_none_for_data_flow() {
    let all = [
        remembered(candidate(1, 7, 1)),
        with_pair(candidate(1, 8, 2), 5, 6),
        candidate(2, 7, 1),
        with_pair(candidate(2, 8, 2), 6, 7),
    ];
    assert_eq!(chosen(&[], &all).kept, [0, 2, 3]);
}
