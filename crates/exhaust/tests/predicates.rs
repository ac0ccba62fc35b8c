//! Counts the structures of Java predicates (`fixtures/exhaust/structures`) against closed forms and
//! published numbers.

mod support;

use cupping_exhaust::{Cause, CheckLimits, Predicate, World};
use support::structures;

fn count(predicate: &str, scope: &str, lines: &[&str]) -> u64 {
    let program = structures();
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let predicate = Predicate::read(&program, predicate, None, scope, &lines).expect("a predicate");
    let mut world = World::boot(program, &predicate.specification).expect("a world");
    predicate.count(&mut world, |_| true).expect("a count").valid
}

#[test]
fn structures_are_as_many_as_there_are() {
    // Catalan numbers, summed up to a size.
    for (nodes, trees) in [(1, 1), (2, 2), (3, 5), (5, 42), (7, 429)] {
        let scope = format!("Node={nodes},size={nodes}");
        assert_eq!(count("Trees.repOk", &scope, &[]), trees, "{nodes} nodes");
    }
    assert_eq!(count("Trees.repOk", "Node=4,size=0..4", &[]), 1 + 1 + 2 + 5 + 14);
    // The same number with keys 1..n, each used once.
    for (nodes, trees) in [(3, 5), (5, 42)] {
        let scope = format!("Node={nodes},size={nodes},key=1..{nodes}");
        assert_eq!(count("Trees$Search.repOk", &scope, &[]), trees, "{nodes} nodes");
    }
    // Two of five keys.
    assert_eq!(count("Trees$Search.repOk", "Node=2,size=2,key=1..5", &[]), 20);
    // Partitions of a list's elements: Bell numbers.
    for (length, lists) in [(1, 1), (3, 5), (5, 52)] {
        let scope = format!("Entry={},Object={length},size={length}", length + 1);
        assert_eq!(count("Trees$Chain.repOk", &scope, &[]), lists, "{length} entries");
    }
    // Heaps of up to three elements from 0..3, in an array of three: 1 + 4 + 10 + 30.
    assert_eq!(count("Trees$Heap.repOk", "intArray=1,length=3,at=-1..3,size=0..3", &[]), 1 + 4 + 10 + 30);
}

/// A method that forgets to decrement the size when it removes the root.
#[test]
fn a_predicate_is_to_hold_afterwards() {
    let program = structures();
    let read = |method: &str, parameter: &str| {
        let scope = format!("Node=3,size=0..3,key=1..3,{parameter}=0..3");
        Predicate::read(&program, "Trees$Search.repOk", Some(method), &scope, &[])
    };
    let predicate = read("remove", "gone").expect("a predicate");
    let mut world = World::boot(program.clone(), &predicate.specification).expect("a world");
    let (checked, _) = predicate.check(&mut world, CheckLimits::default(), |_| true).expect("a check");
    // Trees with 0..3 of the keys 1..3, four keys to remove; wrong for the key of the root.
    let trees = 1 + 3 + 3 * 2 + 5;
    assert_eq!((checked.inputs, checked.inputs - checked.passed), (trees * 4, trees - 1));
    let smallest = &checked.groups[0].examples[0];
    let (before, after) = smallest.pictures(&predicate.specification);
    assert_eq!((before.nodes.len(), after.nodes.len()), (2, 1), "one node, then none, and the tree itself");

    let predicate = read("contains", "wanted").expect("a predicate");
    let mut world = World::boot(program.clone(), &predicate.specification).expect("a world");
    let (checked, _) = predicate.check(&mut world, CheckLimits::default(), |_| true).expect("a check");
    assert_eq!(checked.inputs, checked.passed);
}

/// The predicate must also hold of the results of constructors and static methods; non-integral numbers are
/// not tried.
#[test]
fn a_predicate_is_to_hold_of_what_is_made() {
    let program = structures();
    let check = |method: &str, scope: &str| {
        let predicate = Predicate::read(&program, "Numbers.repOk", Some(method), scope, &[]);
        let predicate = predicate.expect("a predicate");
        let mut world = World::boot(program.clone(), &predicate.specification).expect("a world");
        predicate.check(&mut world, CheckLimits::default(), |_| true).expect("a check").0
    };
    let made = check("Numbers(int)", "span=-1..3");
    assert_eq!((made.inputs, made.passed), (5, 3));
    // Spans of 1 and 2, two least numbers, and `by` or nothing alongside; `null` throws.
    let apart = check("apart", "least=0..1,span=0..2,by=0..2");
    let causes: Vec<(bool, u64)> =
        apart.groups.iter().map(|it| (matches!(it.cause, Cause::Threw(_)), it.count)).collect();
    assert_eq!(apart.inputs, 2 * 2 * 2 * 3);
    assert!(causes.contains(&(true, 12)) && causes.contains(&(false, 4)), "{causes:?}");
}

#[test]
fn unknown_names_in_scopes_are_errors() {
    let program = structures();
    let error = Predicate::read(&program, "Trees.repOk", None, "Nodes=3", &[]).expect_err("no class Nodes");
    assert!(error.render("", "").contains("no class, field or parameter has this name"), "{error:?}");
}
