//! The paper's example, compared with its tables and its figure.

mod lab;

use cupping_dataflow::deduce::Fate;
use cupping_dataflow::symbolic::PathEnd;
use cupping_dataflow::{Analysis, PairVerdict, Reason};
use cupping_machine::Machine;
use cupping_solve::{Answer, Query, Solver};
use cupping_term::{Sort, TermId, Terms};
use lab::{analysed, options};

/// Table 1: number, variable, methods of definition and use, the use's index among those of the variable in
/// that method, and whether the paper marks the pair infeasible.
const TABLE_1: [(u32, &str, &str, &str, usize, bool); 17] = [
    (1, "curQtrs", "CoinBox", "addQtr", 0, false),
    (2, "curQtrs", "CoinBox", "addQtr", 1, true),
    (3, "allowVend", "CoinBox", "vend", 0, false),
    (4, "totalQtrs", "CoinBox", "vend", 0, false),
    (5, "curQtrs", "returnQtrs", "addQtr", 0, false),
    (6, "curQtrs", "returnQtrs", "addQtr", 1, true),
    (7, "curQtrs", "returnQtrs", "vend", 0, false),
    (8, "curQtrs", "addQtr", "addQtr", 0, false),
    (9, "curQtrs", "addQtr", "addQtr", 1, false),
    (10, "curQtrs", "addQtr", "vend", 0, false),
    (11, "allowVend", "addQtr", "vend", 0, false),
    (12, "totalQtrs", "vend", "vend", 0, false),
    (13, "curQtrs", "vend", "addQtr", 0, false),
    (14, "curQtrs", "vend", "addQtr", 1, true),
    (15, "curQtrs", "vend", "vend", 0, true),
    (16, "allowVend", "vend", "vend", 0, false),
    (17, "curQtrs", "CoinBox", "vend", 0, false),
];

/// The paper's numbers for our pairs.
fn numbers(analysis: &Analysis, machine: &Machine) -> Vec<u32> {
    let numbers = analysis.pairs.iter().map(|pair| {
        let (from, to) = (&analysis.accesses.all[pair.definition], &analysis.accesses.all[pair.usage]);
        let variable = &*analysis.flat.variables[pair.variable].name;
        let nth = analysis.accesses.all.iter().filter(|a| {
            !a.is_definition && (a.variable, a.method) == (to.variable, to.method) && a.at < to.at
        });
        let (from, to) =
            (analysis.flat.method_name(machine, from.method), analysis.flat.method_name(machine, to.method));
        let nth = nth.count();
        let row = TABLE_1.iter().find(|row| (row.1, row.2, row.3, row.4) == (variable, &*from, &*to, nth));
        row.unwrap_or_else(|| panic!("{variable} {from} {to} {nth} is not in Table 1")).0
    });
    numbers.collect()
}

/// The paper does not mark pair 17 as infeasible. No path of the class control-flow graph excludes it, because the
/// statements between the constructor's last one and the use do not mention `allowVend`. But no state exists in
/// which `vend` could use the constructor's value, which deduction proves.
const REFUTED_BY_DEDUCTION: u32 = 17;

#[test]
fn the_pairs_are_those_of_table_1() {
    analysed("CoinBox", &options(), |analysis, machine| {
        let numbers = numbers(analysis, machine);
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (1..=17).collect::<Vec<u32>>());
        let mut infeasible = Vec::new();
        for ((verdict, pair), number) in analysis.verdicts.iter().zip(&analysis.pairs).zip(&numbers) {
            assert_eq!(pair.has_clear_path, !TABLE_1[*number as usize - 1].5, "{number}");
            match verdict {
                PairVerdict::Infeasible(Reason::NoClearPath) => infeasible.push(*number),
                PairVerdict::Infeasible(Reason::Contradiction) => assert_eq!(*number, REFUTED_BY_DEDUCTION),
                PairVerdict::Covered { .. } => assert_ne!(*number, REFUTED_BY_DEDUCTION),
                other => panic!("{number}: {other:?}"),
            }
        }
        infeasible.sort_unstable();
        assert_eq!(infeasible, [2, 6, 14, 15], "found statically");
    });
}

/// Whether two conditions are equivalent if quarters are counted without overflow, like the paper's
/// `unsigned`.
fn same(terms: &mut Terms, domain: &[TermId], a: TermId, b: TermId) -> bool {
    let mut query = domain.to_vec();
    query.push(terms.ne(a, b));
    matches!(Solver::default().solve(terms, &Query { assertions: &query, hint: None }), Answer::Unsat { .. })
}

#[test]
fn the_conditions_are_those_of_table_2() {
    analysed("CoinBox", &options(), |analysis, machine| {
        let mut terms = analysis.terms.clone();
        let variable = |name: &str| {
            let at = analysis.flat.variables.iter().position(|v| &*v.name == name).expect("a variable");
            analysis.variables.values[at]
        };
        let [total, cur, allow] = ["totalQtrs", "curQtrs", "allowVend"].map(variable);
        let term = |terms: &Terms, v| terms.variable(v).term;
        let (t, c, a) = (term(&terms, total), term(&terms, cur), term(&terms, allow));
        let [zero, one] = [0, 1].map(|n| terms.int(n));
        let greatest = terms.int(i32::MAX);
        let domain = [terms.sle(zero, c), terms.slt(c, greatest)];
        let (yes, some, none) = (terms.bool(true), terms.slt(zero, c), terms.eq(c, zero));
        let (may, may_not) = (terms.ne(a, zero), terms.eq(a, zero));
        let (next, sum) = (terms.add(c, one), terms.add(t, c));
        // Method, precondition, values after, and number of definitions.
        let table = [
            ("CoinBox", yes, vec![(total, zero), (cur, zero), (allow, zero)], 3),
            ("returnQtrs", yes, vec![(cur, zero)], 1),
            ("addQtr", some, vec![(cur, next), (allow, one)], 2),
            ("addQtr", none, vec![(cur, one)], 1),
            ("vend", may, vec![(total, sum), (cur, zero), (allow, zero)], 3),
            // The paper states that it is zero afterwards; it was zero before.
            ("vend", may_not, vec![(allow, zero)], 0),
        ];
        let mut left: Vec<_> = table.to_vec();
        for summary in &analysis.summaries {
            assert!(summary.open.is_empty(), "{:?}", summary.open);
            let method = analysis.flat.method(summary.method).expect("a method of the class");
            let name = analysis.flat.method_name(machine, method);
            for path in &summary.paths {
                assert!(path.is_exact && path.end == PathEnd::Returned(None));
                let condition = terms.all(&path.condition);
                let found = left.iter().position(|(own, expected, ..)| {
                    *own == name && same(&mut terms.clone(), &domain, condition, *expected)
                });
                let found =
                    found.unwrap_or_else(|| panic!("{name}: {}", analysis.conjunction(&path.condition)));
                let (_, _, after, defined) = left.remove(found);
                for (variable, expected) in after {
                    let own = path.after.iter().find(|(v, _)| *v == variable).map(|(_, value)| *value);
                    let own = own.unwrap_or_else(|| terms.variable(variable).term);
                    let mut given = domain.to_vec();
                    given.push(condition);
                    assert!(same(&mut terms, &given, own, expected), "{name}");
                }
                let count = path.events.iter().flat_map(|e| e.accesses.iter());
                let count = count.filter(|id| analysis.accesses.all[**id].is_definition).count();
                assert_eq!(count, defined, "{name}");
            }
        }
        assert!(left.is_empty(), "{left:?}");
    });
}

/// Figure 3: the methods along each branch, and the status of each node.
#[test]
fn the_tree_of_pair_7_is_that_of_figure_3() {
    let each = cupping_dataflow::DataflowOptions { each: true, ..options() };
    analysed("CoinBox", &each, |analysis, machine| {
        let numbers = numbers(analysis, machine);
        let pair = numbers.iter().position(|n| *n == 7).expect("pair 7");
        let PairVerdict::Covered { calls, .. } = &analysis.verdicts[pair] else { panic!("it is feasible") };
        assert_eq!(calls.join(", "), "CoinBox(), addQtr(), addQtr(), returnQtrs(), vend()");
        let tree = &analysis.trees[&pair];
        let name = |node: usize| {
            let method = analysis.summaries[tree.nodes[node].summary].method;
            analysis.flat.method_name(machine, analysis.flat.method(method).expect("of the class"))
        };
        let children = |node: Option<usize>| -> Vec<(String, &str)> {
            let shown = tree.children(node).map(|child| {
                let fate = match tree.nodes[child].fate {
                    Fate::Pruned { .. } => "crossed out",
                    Fate::Complete => "found",
                    _ => "",
                };
                (name(child), fate)
            });
            shown.collect()
        };
        let row = |name: &str, fate: &'static str| (name.to_owned(), fate);
        let only = |node: Option<usize>| {
            let all: Vec<usize> = tree.children(node).collect();
            assert_eq!(all.len(), 1, "{}", analysis.tree(machine, pair).unwrap_or_default());
            all[0]
        };
        let root = only(None);
        assert_eq!(name(root), "vend");
        let first = only(Some(root));
        assert_eq!(name(first), "returnQtrs");
        // Nodes 2, 3 and 4; the paper lists returnQtrs last.
        let mut below = children(Some(first));
        below.sort();
        assert_eq!(
            below,
            [row("addQtr", ""), row("addQtr", "crossed out"), row("returnQtrs", "crossed out")]
        );
        let second = tree
            .children(Some(first))
            .find(|n| name(*n) == "addQtr" && tree.nodes[*n].fate == Fate::Expanded);
        let second = second.expect("node 2");
        // Nodes 5, 6 and 7.
        let mut below = children(Some(second));
        below.sort();
        assert_eq!(below, [row("addQtr", ""), row("addQtr", "crossed out"), row("vend", "crossed out")]);
        let third =
            tree.children(Some(second)).find(|n| tree.nodes[*n].fate == Fate::Expanded).expect("node 6");
        assert_eq!(children(Some(third)), [row("CoinBox", "found")]);
        assert_eq!(tree.nodes.len(), 9);
        // Their conditions, for quarters as the paper counts them.
        let mut terms = analysis.terms.clone();
        let [cur, allow] = ["curQtrs", "allowVend"].map(|name| {
            let at = analysis.flat.variables.iter().position(|v| &*v.name == name).expect("a variable");
            terms.variable(analysis.variables.values[at]).term
        });
        let (zero, many) = (terms.int(0), terms.int(1_000_000));
        let domain = [terms.sle(zero, cur), terms.slt(cur, many)];
        let expected = [(root, terms.ne(allow, zero)), (first, terms.ne(allow, zero))];
        let later = [(second, terms.slt(zero, cur)), (third, terms.eq(cur, zero))];
        for (node, expected) in expected.into_iter().chain(later) {
            let own = terms.all(&tree.nodes[node].condition);
            assert!(same(&mut terms, &domain, own, expected), "node {node}");
        }
        assert_eq!(terms.sort(cur), Sort::Bv32);
    });
}
