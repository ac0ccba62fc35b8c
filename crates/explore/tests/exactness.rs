//! Exploration is exact: no path is missing, and no path found is infeasible.

mod lab;

use cupping_explore::{Edge, NodeId, NodeKind, Trees};
use cupping_machine::MethodId;
use lab::{Datum, Explored, Lab, Outcome, Setup, Sides};
use std::collections::BTreeSet;

/// Methods with two byte parameters, and the results that no input gives.
const ENUMERATED: &[(&str, &[i32])] =
    &[("overflow", &[3]), ("divide", &[3]), ("bits", &[]), ("widths", &[]), ("floats", &[]), ("loops", &[])];

#[test]
fn exploration_finds_exactly_the_paths_of_all_65536_inputs() {
    let mut lab = Lab::new();
    for (method, never) in ENUMERATED {
        let explored = lab.explore(&Setup::of("samples/Bytes", method));
        assert!(explored.is_complete, "{method}: {:?}", explored.counters);
        let mut taken = BTreeSet::new();
        let mut outcomes = BTreeSet::new();
        for pair in 0..=0xffff_u64 {
            let data = [Datum::Word(pair & 0xff), Datum::Word(pair >> 8)];
            let (sides, outcome) = lab.run_both(&explored, &data);
            taken.insert(sides);
            outcomes.insert(outcome);
        }
        assert_eq!(explored.paths(), taken, "{method}");
        assert_eq!(BTreeSet::from_iter(explored.outcomes()), outcomes, "{method}");
        for result in *never {
            assert!(!outcomes.contains(&Outcome::int(*result)), "{method} gives {result}");
        }
        assert_eq!(terminals(&explored), taken, "{method}: the tree's terminals");
        assert_eq!(explored.nodes(NodeKind::Unexplored), 0, "{method}");
    }
}

/// The paths to the terminal nodes of the method's tree.
fn terminals(explored: &Explored) -> BTreeSet<Sides> {
    let tree = explored.trees.get(explored.method).expect("the tree is there");
    let ids = 0..tree.nodes().len() as NodeId;
    let leaves = ids.filter(|id| tree.node(*id).kind == NodeKind::Terminal);
    leaves.map(|leaf| path_to(&explored.trees, explored.method, leaf)).collect()
}

/// The sides on the way to a node; a call stands for the callee's path.
fn path_to(trees: &Trees, method: MethodId, node: NodeId) -> Sides {
    let tree = trees.get(method).expect("the tree is there");
    let Some((parent, edge)) = tree.node(node).parent else { return Sides::new() };
    let mut sides = path_to(trees, method, parent);
    match edge {
        Edge::Branch { site, side } => sides.push((site, side)),
        Edge::Call { method, leaf } => sides.extend(path_to(trees, method, leaf)),
    }
    sides
}

/// Methods of `Exact` with every result that some input gives; `x` is an exception.
const EXACT: &[(&str, &str)] = &[
    ("increment", "0 1"),
    ("negate", "0 1 2"),
    ("multiply", "0 1"),
    ("divide", "0 1 2"),
    ("divideLongs", "0 1 x"),
    ("shift", "0 1 2"),
    ("shiftLongs", "0 1 2"),
    ("narrow", "0 1 2"),
    ("letters", "0 1 2"),
    ("shorts", "0 1"),
    ("compareLongs", "0 1 2"),
    ("longOfInts", "0 1 2"),
    ("notANumber", "1 2"),
    ("negatedComparison", "0 1 2"),
    ("rounding", "1 2 3"),
    ("toInts", "1 2 3 4 5"),
    ("fromInts", "0 1 2"),
    ("infinite", "0 1 2 3"),
    ("remainder", "0 1"),
    ("bits", "0 1 2"),
    ("logic", "0 1"),
    ("ternaries", "1 2 3 4"),
];

#[test]
fn every_branch_on_exact_arithmetic_is_decided_as_java_does() {
    let mut lab = Lab::new();
    for (method, expected) in EXACT {
        let explored = lab.explore(&Setup::of("samples/Exact", method));
        let results: BTreeSet<String> = explored.outcomes().iter().map(show).collect();
        assert_eq!(results.into_iter().collect::<Vec<_>>().join(" "), *expected, "{method}");
        assert!(explored.is_complete, "{method}: {:?}", explored.counters);
        lab.sample(&explored, 2000);
    }
}

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Bits(bits) => (*bits as u32 as i32).to_string(),
        _ => "x".into(),
    }
}
