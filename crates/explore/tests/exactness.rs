//! Terms mean what Java means: no path is missing, none is there that no input takes.

mod lab;

use cupping_explore::{Edge, NodeKind};
use lab::{Datum, Explored, Lab, Outcome, Setup, Sides};
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

/// Methods of two bytes with the results that no input gives.
const ENUMERATED: &[(&str, &[i32])] =
    &[("overflow", &[3]), ("divide", &[3]), ("bits", &[]), ("widths", &[]), ("floats", &[]), ("loops", &[])];

#[test]
fn exploration_finds_exactly_the_paths_of_all_65536_inputs() {
    let mut lab = Lab::new();
    for (method, never) in ENUMERATED {
        let explored = lab.explore(&Setup::of("samples/Bytes", method));
        assert!(explored.is_complete, "{method}");
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

/// The paths to the terminal nodes of the tree of a method that calls no other.
fn terminals(explored: &Explored) -> BTreeSet<Sides> {
    let tree = explored.trees.get(explored.method).expect("the tree is there");
    let leaves = tree.nodes().iter().filter(|node| node.kind == NodeKind::Terminal);
    leaves
        .map(|leaf| {
            let mut sides = Sides::new();
            let mut at = leaf;
            while let Some((parent, edge)) = &at.parent {
                if let Edge::Branch { site, side } = edge {
                    sides.push((*site, *side));
                }
                at = tree.node(*parent);
            }
            sides.reverse();
            sides
        })
        .collect()
}

/// Methods of `Exact` with every result that some input gives; `x` for an exception of the JVM.
const EXACT: &[(&str, &str)] = &[
    ("increment", "0 1"),
    ("negate", "0 1 2"),
    ("multiply", "0 1"),
    ("divide", "0 1 2 x"),
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
    let mut runner = TestRunner::deterministic();
    for (method, expected) in EXACT {
        let explored = lab.explore(&Setup::of("samples/Exact", method));
        let results: BTreeSet<String> = explored.outcomes().iter().map(show).collect();
        assert_eq!(results.into_iter().collect::<Vec<_>>().join(" "), *expected, "{method}");
        assert!(explored.is_complete, "{method}: {:?}", explored.counters);
        let paths = explored.paths();
        for _ in 0..2000 {
            let inputs = [word(), word()].map(|w| w.new_tree(&mut runner).expect("a word").current());
            let data: Vec<Datum> = (explored.found[0].data.iter().zip(explored.widths()).zip(inputs))
                .map(|((_, width), word)| Datum::Word(fit(width, word)))
                .collect();
            let (sides, _) = lab.run_both(&explored, &data);
            assert!(paths.contains(&sides), "{method}: exploration lacks the path of {data:?}");
        }
    }
}

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Bits(bits) => (*bits as u32 as i32).to_string(),
        _ => "x".into(),
    }
}

/// Bits that are corners of some type more often than not.
fn word() -> impl Strategy<Value = u64> {
    let corners: Vec<u64> = [
        0,
        1,
        2,
        5,
        33,
        63,
        64,
        65,
        97,
        122,
        127,
        128,
        255,
        256,
        384,
        32767,
        32768,
        65535,
        65536,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0000,
        u64::MAX,
    ]
    .into_iter()
    .chain(
        [0.0, -0.0, 1.0, -1.0, 1.5, 4.0, 0.1, 1e10, -0.5, 16777216.0, f32::INFINITY, f32::NAN, f32::MAX]
            .map(|x: f32| x.to_bits() as u64),
    )
    .chain(
        [0.0, -0.0, 1.0, 1.5, 4.0, -0.5, 1e11, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
            .map(f64::to_bits),
    )
    .collect();
    prop_oneof![
        proptest::sample::select(corners),
        any::<u64>(),
        (-200_i64..200).prop_map(|x| x as u64),
        any::<i32>().prop_map(|x| (x as f64).to_bits()),
        any::<i16>().prop_map(|x| (x as f32 / 8.0).to_bits() as u64),
    ]
}

/// The low bits that a variable of so many bits takes.
fn fit(width: u32, word: u64) -> u64 {
    if width >= 64 { word } else { word & ((1 << width) - 1) }
}
