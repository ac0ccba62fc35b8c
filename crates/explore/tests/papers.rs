//! All paths and constraint trees of the small programs in the papers (thesis chapter 3).

mod lab;

use cupping_explore::{Edge, NodeKind};
use cupping_machine::MethodId;
use lab::{Datum, Explored, Lab, Outcome, Setup};

#[test]
fn all_paths_of_the_papers_programs() {
    let mut lab = Lab::new();
    clamp_has_three_paths(&mut lab);
    bmi_has_three_categories_and_two_failed_assertions(&mut lab);
    the_buffer_asks_nothing(&mut lab);
    gcd_refers_to_the_paths_of_the_call(&mut lab);
    booleans_are_simulated_or_reasoned_about(&mut lab);
}

fn clamp_has_three_paths(lab: &mut Lab) {
    let clamp = lab.explore(&Setup::of("papers/Clamp", "clamp"));
    assert!(clamp.is_complete);
    assert_eq!(clamp.found.len(), 3);
    let int = |datum: &Datum| match datum {
        Datum::Word(word) => *word as u32 as i32,
        Datum::Words(_) => unreachable!("three ints"),
    };
    let mut places: Vec<&str> = Vec::new();
    for found in &clamp.found {
        let (x, min, max) = (int(&found.data[0]), int(&found.data[1]), int(&found.data[2]));
        let (place, expected) = if x < min {
            ("below", min)
        } else if x > max {
            ("above", max)
        } else {
            ("inside", x)
        };
        places.push(place);
        assert_eq!(found.outcome, Outcome::int(expected), "{x} {min} {max}");
    }
    places.sort_unstable();
    assert_eq!(places, ["above", "below", "inside"]);
}

/// Figure 3.1(c): four computation nodes in a row, each with one terminal child, the last with two.
fn bmi_has_three_categories_and_two_failed_assertions(lab: &mut Lab) {
    let bmi = lab.explore(&Setup::of("papers/BMI", "weightCategory"));
    assert!(bmi.is_complete);
    let failure = Outcome::threw("AssertionError");
    let categories = [0, 1, 2].map(Outcome::int);
    assert_eq!(bmi.outcomes(), [&categories[..], &[failure.clone(), failure]].concat());
    let tree = bmi.trees.get(bmi.method).expect("the tree is there");
    let shape = |kind: NodeKind| tree.nodes().iter().filter(|n| n.kind == kind).count();
    assert_eq!((shape(NodeKind::Computation), shape(NodeKind::Terminal), tree.nodes().len()), (4, 5, 9));
    let mut at = 0;
    for depth in 0..4 {
        let node = tree.node(at);
        assert_eq!((node.kind, node.children.len()), (NodeKind::Computation, 2), "depth {depth}");
        let inner = node.children.values().find(|c| tree.node(**c).kind == NodeKind::Computation);
        match inner {
            Some(inner) => at = *inner,
            None => assert_eq!(depth, 3, "the row of computation nodes ends with the last comparison"),
        }
    }
}

fn the_buffer_asks_nothing(lab: &mut Lab) {
    let buffer = lab.explore(&Setup::of("papers/Buffer", "initialise"));
    assert_eq!((buffer.found.len(), buffer.counters.queries), (1, 0));
    assert!(buffer.trees.get(buffer.method).is_none_or(|tree| tree.nodes().len() == 1));
}

/// Figure 3.2(b). Our tree also has the two nodes of the implicit check of `a % b`, whose failure is
/// infeasible after `b != 0`.
fn gcd_refers_to_the_paths_of_the_call(lab: &mut Lab) {
    let sizes: Vec<usize> = (1..=4).map(|paths| explore_gcd(lab, paths).0).collect();
    assert_eq!(sizes[3] - sizes[2], 1, "one more node for the path p4");
    assert_eq!(sizes[2] - sizes[1], 1, "one more node for the path p3");
    let (nodes, gcd) = explore_gcd(lab, 4);
    let tree = gcd.trees.get(gcd.method).expect("the tree is there");
    assert_eq!(gcd.trees.iter().count(), 1, "gcd is the only method that decides");
    let calls: Vec<(MethodId, u32)> = (tree.nodes().iter())
        .flat_map(|node| node.children.keys())
        .filter_map(|edge| match edge {
            Edge::Call { method, leaf } => Some((*method, *leaf)),
            Edge::Branch { .. } => None,
        })
        .collect();
    assert_eq!(calls.len(), 3, "p2, p3 and p4 each refer to the path before");
    for (method, leaf) in calls {
        assert_eq!(method, gcd.method);
        assert_eq!(tree.node(leaf).kind, NodeKind::Terminal, "the leaf of a path");
    }
    assert_eq!(tree.count(NodeKind::Terminal), 4);
    assert_eq!(tree.count(NodeKind::Infeasible), 1, "the division by zero");
    assert_eq!(tree.count(NodeKind::Computation), 3, "the root, after b != 0, after the check");
    assert_eq!(nodes, 8);
}

fn explore_gcd(lab: &mut Lab, most_paths: usize) -> (usize, Explored) {
    let setup = Setup { breadth_first: true, most_paths, ..Setup::of("papers/Gcd", "gcd") };
    let gcd = lab.explore(&setup);
    assert_eq!(gcd.found.len(), most_paths);
    (gcd.trees.get(gcd.method).map_or(0, |tree| tree.nodes().len()), gcd)
}

/// §3.2: five indices and the failure if arrays are simulated; two elements and the failure if they are
/// reasoned about.
fn booleans_are_simulated_or_reasoned_about(lab: &mut Lab) {
    let base = Setup::of("papers/BooleanArray", "x");
    let failure = Outcome::threw("ArrayIndexOutOfBoundsException");
    let reasoned = lab.explore(&base);
    assert!(reasoned.is_complete);
    assert_eq!(reasoned.outcomes(), [Outcome::int(0), Outcome::int(1), failure.clone()]);
    let simulated = lab.explore(&Setup { reasoning_elements: 0, ..base });
    assert!(simulated.is_complete);
    let (zero, one) = (Outcome::int(0), Outcome::int(1));
    let expected = [zero.clone(), zero, one.clone(), one.clone(), one, failure];
    assert_eq!(simulated.outcomes(), expected);
    assert_eq!(simulated.nodes(NodeKind::Unexplored), 0);
    assert_eq!(simulated.nodes(NodeKind::Terminal), 6);
}
