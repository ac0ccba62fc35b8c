//! Counts structures by Java predicates, with and without the search's optimisations, and compares the counts
//! with closed forms and dynamic programs that share no code with it.

mod support;

use cupping_exhaust::{Predicate, Specification, World};
use std::fs;
use support::{fixtures, structures};

/// Counts with and without optimisations, and asserts that both agree.
fn count(predicate: &str, scope: &str) -> u64 {
    let by = |short: bool| {
        let program = structures();
        let mut predicate = Predicate::read(&program, predicate, None, scope, &[]).expect("a predicate");
        (predicate.symbolic, predicate.learns) = (short, short);
        let mut world = World::boot(program, &predicate.specification).expect("a world");
        predicate.count(&mut world, |_| true).expect("a count").valid
    };
    let (short, all) = (by(true), by(false));
    assert_eq!(short, all, "{predicate} within {scope}, with and without optimisations");
    short
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, it| product * (n - it) / (it + 1))
}

/// Red-black trees with this many nodes, by root colour and black height.
fn red_black(nodes: usize) -> u64 {
    let most = nodes + 1;
    // Indexed by nodes, black height, and whether the root is black.
    let mut trees = vec![vec![[0u64; 2]; most + 1]; nodes + 1];
    trees[0][0][1] = 1;
    for n in 1..=nodes {
        for left in 0..n {
            for height in 0..=most {
                let of = |n: usize, black: usize| trees[n][height][black];
                let all = |n: usize| of(n, 0) + of(n, 1);
                let red = of(left, 1) * of(n - 1 - left, 1);
                let black = all(left) * all(n - 1 - left);
                trees[n][height][0] += red;
                if height < most {
                    trees[n][height + 1][1] += black;
                }
            }
        }
    }
    trees[nodes].iter().flatten().sum()
}

#[test]
fn red_black_trees() {
    let known = [2, 2, 3, 8, 14, 20, 35, 64, 122];
    for (nodes, known) in (1..).zip(known) {
        assert_eq!(red_black(nodes), known, "the dynamic program, {nodes} nodes");
    }
    for nodes in 1..=4 {
        let scope = format!("Node={nodes},size={nodes},key=1..{nodes}");
        assert_eq!(count("Structures$RedBlack.repOk", &scope), red_black(nodes), "{nodes} nodes");
    }
    // Without keys, to more nodes; and the same number by relations.
    let text = fs::read_to_string(fixtures().join("treemap.spec")).expect("a specification");
    for nodes in 1..=7 {
        let program = structures();
        let scope = format!("Node={nodes},size={nodes},key=1..{nodes}");
        let predicate = Predicate::read(&program, "Structures$RedBlackOnce.repOk", None, &scope, &[]);
        let predicate = predicate.expect("a predicate");
        let mut world = World::boot(program, &predicate.specification).expect("a world");
        let found = predicate.count(&mut world, |_| true).expect("a count").valid;
        assert_eq!(found, red_black(nodes), "{nodes} nodes, by a predicate");
        let scope = format!("exactly {nodes} Entry, 1..{nodes} int");
        let specification = Specification::read("treemap.spec", &text, &support::program(), Some(&scope));
        let specification = specification.expect("a specification");
        let mut problem = specification.problem().expect("a problem");
        // Each tree counts once per key to remove.
        assert_eq!(problem.count_left(), red_black(nodes) * nodes as u64, "{nodes} nodes, by relations");
    }
}

/// Each optimisation skips candidates but no structure, and the number of threads does not change the counts.
#[test]
fn a_short_search_finds_as_much() {
    let program = structures();
    let scope = "Node=7,size=7,key=1..7";
    let tried = |symbolic: bool, learns: bool, threads: u32| {
        let predicate = Predicate::read(&program, "Structures$RedBlack.repOk", None, scope, &[]);
        let mut predicate = predicate.expect("a predicate");
        (predicate.symbolic, predicate.learns) = (symbolic, learns);
        let mut world = World::boot(program.clone(), &predicate.specification).expect("a world");
        predicate.count_by(threads, &program, &mut world, |_| true).expect("a count")
    };
    let (neither, open, both) = (tried(true, false, 1), tried(false, true, 1), tried(true, true, 1));
    for some in [neither, open, both] {
        assert_eq!(some.valid, red_black(7));
    }
    assert!(both.candidates < neither.candidates && both.candidates < open.candidates, "{both:?}");
    for threads in [2, 5] {
        assert_eq!(tried(true, true, threads), both, "{threads} threads");
    }
}

#[test]
fn sorted_lists() {
    for (size, values) in [(0u64, 3u64), (3, 4), (5, 3), (6, 6)] {
        let scope = format!("Cell={size},size={size},value=0..{}", values - 1);
        assert_eq!(
            count("Structures$Sorted.repOk", &scope),
            choose(size + values - 1, size),
            "{size} of {values}"
        );
    }
}

/// Set partitions, with null as one more block: Bell numbers.
#[test]
fn doubly_linked_lists() {
    let bell = |n: usize| {
        let mut row = vec![1u64];
        for _ in 0..n {
            let mut next = vec![row[row.len() - 1]];
            for it in &row {
                next.push(next[next.len() - 1] + it);
            }
            row = next;
        }
        row[0]
    };
    for size in 0..=5 {
        let scope = format!("Entry={},Object={size},size={size}", size + 1);
        assert_eq!(count("Structures$Doubly.repOk", &scope), bell(size + 1), "{size} entries");
    }
}

/// For each choice of ranks, an element's parents are itself and all elements of higher rank.
#[test]
fn disjoint_sets() {
    // The number of ranks equals the number of elements, so that both fit the range.
    for (size, ranks) in [(1usize, 2u32), (2, 2), (3, 3), (4, 4)] {
        let mut sets = 0;
        for number in 0..ranks.pow(size as u32) {
            let rank = |at: usize| number / ranks.pow(at as u32) % ranks;
            let parents = |at: usize| 1 + (0..size).filter(|it| rank(*it) > rank(at)).count() as u64;
            sets += (0..size).map(parents).product::<u64>();
        }
        let scope = format!("intArray=2,length={size},at=0..{}", ranks - 1);
        assert_eq!(count("Structures$Disjoint.repOk", &scope), sets, "{size} elements, {ranks} ranks");
    }
}

/// Korat's published numbers count heaps of up to n nodes with n keys.
#[test]
fn binomial_heaps() {
    fn tree(degree: u32, least: u64, keys: u64) -> u64 {
        (0..degree).map(|it| (least..keys).map(|key| tree(it, key, keys)).sum::<u64>()).product()
    }
    let heaps = |nodes: u64, keys: u64| -> u64 {
        let degrees = (0..8).filter(|it| nodes >> it & 1 != 0);
        degrees.map(|it| (0..keys).map(|key| tree(it, key, keys)).sum::<u64>()).product()
    };
    let up_to = |most: u64| (0..=most).map(|it| heaps(it, most)).sum::<u64>();
    assert_eq!([up_to(6), up_to(7), up_to(8)], [7_602, 107_416, 603_744]);
    for nodes in [1, 2, 3, 4, 5] {
        let scope = format!("Node={nodes},size=0..{nodes},degree=0..3,key=0..{}", nodes - 1);
        assert_eq!(count("Structures$Binomial.repOk", &scope), up_to(nodes), "up to {nodes} nodes");
    }
}

/// Ordered forests whose smallest root comes first.
#[test]
fn fibonacci_heaps() {
    /// Forests with this many nodes and keys of at least `least`.
    fn row(nodes: usize, least: u64, keys: u64) -> u64 {
        match nodes {
            0 => 1,
            _ => (1..=nodes)
                .map(|first| {
                    (least..keys).map(|key| row(first - 1, key, keys)).sum::<u64>()
                        * row(nodes - first, least, keys)
                })
                .sum(),
        }
    }
    let heaps = |nodes: usize, keys: u64| -> u64 {
        if nodes == 0 {
            return 1;
        }
        let first = |size: usize, key: u64| row(size - 1, key, keys) * row(nodes - size, key, keys);
        (0..keys).map(|key| (1..=nodes).map(|size| first(size, key)).sum::<u64>()).sum()
    };
    for (nodes, keys) in [(1usize, 2u64), (2, 3), (3, 3), (4, 2)] {
        let scope = format!("Node={nodes},size={nodes},degree=0..3,key=0..{}", keys - 1);
        assert_eq!(
            count("Structures$Fibonacci.repOk", &scope),
            heaps(nodes, keys),
            "{nodes} nodes, {keys} keys"
        );
    }
}

/// Korat's published numbers count array heaps of up to n places with values 0 to n.
#[test]
fn heaps_in_arrays() {
    /// Heaps below index `at`, with this many elements and values up to `most`.
    fn heaps(at: u64, size: u64, most: u64) -> u64 {
        if at >= size {
            return 1;
        }
        (0..=most).map(|it| heaps(2 * at + 1, size, it) * heaps(2 * at + 2, size, it)).sum()
    }
    let up_to = |most: u64| -> u64 {
        (0..=most).map(|length| (0..=length).map(|size| heaps(0, size, most)).sum::<u64>()).sum()
    };
    assert_eq!([up_to(6), up_to(7), up_to(8)], [13_139, 117_562, 1_005_075]);
    for most in 0..=4 {
        let scope = format!("intArray=1,length=0..{most},at=-1..{most},size=0..{most}");
        assert_eq!(count("Trees$Heap.repOk", &scope), up_to(most), "up to {most} places");
    }
}

/// Directed graphs up to isomorphism, by a predicate that holds of the least matrix of each class: with loops
/// (A000595), without (A000273), acyclic (A003087). `fixtures/relation` has the same numbers by relations.
#[test]
fn graphs() {
    let rows: [(&str, &[u64]); 3] = [
        ("Graphs.repOk", &[1, 2, 10, 104]),
        ("Graphs$Plain.repOk", &[1, 1, 3, 16, 218]),
        ("Graphs$Acyclic.repOk", &[1, 1, 2, 6, 31]),
    ];
    for (predicate, numbers) in rows {
        for (nodes, number) in numbers.iter().enumerate() {
            let scope = format!("booleanArray=1,length={},nodes={nodes}", nodes * nodes);
            assert_eq!(count(predicate, &scope), *number, "{predicate}, {nodes} nodes");
        }
    }
}

/// Graphs with two ordered edges per node, all reachable from a root: initially connected automata over two
/// letters with a partial transition function. The expected numbers follow from counting maps by the set that
/// the root reaches; rooted graphs have no automorphisms.
#[test]
fn rooted_graphs() {
    let mut connected: Vec<u64> = vec![0];
    for n in 1..=5u64 {
        let maps = |nodes: u64, to: u64| (to + 1).pow(2 * nodes as u32);
        let fewer: u64 = (1..n).map(|k| choose(n - 1, k - 1) * connected[k as usize] * maps(n - k, n)).sum();
        connected.push(maps(n, n) - fewer);
        let labels: u64 = (1..n).product();
        if n <= 4 {
            let scope = format!("Node={n},size={n}");
            assert_eq!(count("Graphs$Rooted.repOk", &scope), connected[n as usize] / labels, "{n} nodes");
        }
    }
}

/// The same without cycles: acyclic automata (A082161).
#[test]
fn rooted_acyclic_graphs() {
    for (nodes, number) in (1..).zip([1, 3, 16, 127, 1363]) {
        let scope = format!("Node={nodes},size={nodes}");
        assert_eq!(count("Graphs$RootedAcyclic.repOk", &scope), number, "{nodes} nodes");
    }
}
