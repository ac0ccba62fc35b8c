//! A class explained by hand: coverage of every kind, nodes of every kind, and texts that look like markup.

use super::suites;
use cupping_case::*;
use cupping_report::facts::NoFacts;
use cupping_report::junit::{Framework, test_classes};
use cupping_report::result::ClassResult;
use std::time::Duration;

/// Text that ends a script, opens a comment, an element and an entity.
pub const NASTY: &str = "</script><!-- <b x='y'> &amp; \\";

/// The source of the class.
pub fn source() -> String {
    let lines = [
        "package shop;",
        "",
        "class CoinBox {",
        "    int perCustomer(int customers) {",
        "        if (customers > 0) { // NASTY",
        "            return qtrs / customers;",
        "        }",
        "        return -1;",
        "    }",
        "}",
    ];
    lines.join("\n").replace("NASTY", NASTY)
}

fn instruction(offset: u32, line: u32, text: &str, ways: &[(u32, Option<u32>)]) -> CodeInstruction {
    let ways =
        ways.iter().map(|(number, target)| OutgoingEdge { number: *number, target: *target }).collect();
    CodeInstruction { offset, line: Some(line), text: text.into(), ways }
}

fn covered(ways: &[u32], leaf: Option<(u32, u32)>) -> CoverageBits {
    let mut covered = CoverageBits { leaf, ..CoverageBits::default() };
    ways.iter().for_each(|way| covered.insert(*way));
    covered
}

fn node(kind: PathKind, parent: u32, line: u32, constraint: &str) -> PathNode {
    PathNode { kind, parent, edge: PathEdge::Branch { line: Some(line), constraint: constraint.into() } }
}

fn root() -> PathNode {
    PathNode { kind: PathKind::Computation, parent: 0, edge: PathEdge::Root }
}

/// The facts that generation would provide: line 5 is partly covered, 6 completely, 8 not.
pub fn explanation() -> Explanation {
    let code = MethodCode {
        name: "perCustomer".into(),
        descriptor: "(I)I".into(),
        instructions: vec![
            instruction(0, 5, "iload_1", &[(0, None)]),
            instruction(1, 5, "ifle 9", &[(1, Some(4)), (2, Some(9))]),
            instruction(4, 6, &format!("ldc #7 // String {NASTY}"), &[(3, None)]),
            instruction(8, 6, "ireturn", &[(4, None)]),
            instruction(9, 8, "iconst_m1", &[(5, None)]),
            instruction(10, 8, "ireturn", &[(6, None)]),
        ],
    };
    let constructor = MethodCode { name: "<init>".into(), descriptor: "()V".into(), instructions: vec![] };
    let call = PathEdge::Call {
        tree: Some(1),
        leaf: 1,
        name: "Quarters.count".into(),
        constraint: "customers < 9".into(),
    };
    let own = PathTree {
        class: "shop/CoinBox".into(),
        name: "perCustomer".into(),
        descriptor: "(I)I".into(),
        nodes: vec![
            root(),
            node(PathKind::Terminal, 0, 5, "customers <= 0"),
            node(PathKind::Computation, 0, 5, "customers > 0"),
            node(PathKind::Infeasible, 2, 6, &format!("customers == 0 && {NASTY}")),
            node(PathKind::TimeOut, 2, 6, "customers * customers == 7"),
            node(PathKind::Unexplored, 2, 6, "qtrs > customers"),
            PathNode { kind: PathKind::Terminal, parent: 2, edge: call },
        ],
        left_out: 3,
    };
    let called = PathTree {
        class: "shop/Quarters".into(),
        name: "count".into(),
        descriptor: "(I)Z".into(),
        nodes: vec![root(), node(PathKind::Terminal, 0, 40, "customers < 9")],
        left_out: 0,
    };
    Explanation {
        source_file: Some("CoinBox.java".into()),
        methods: vec![constructor, code],
        trees: vec![own, called],
        initialisation: CoverageBits::default(),
        cases: vec![
            covered(&[0, 1], None),
            covered(&[], None),
            covered(&[], None),
            covered(&[0, 1, 3, 4], Some((0, 6))),
        ],
        failing: vec![covered(&[0, 1], Some((0, 2)))],
    }
}

/// The class with its tests, all of which held except for one.
pub fn result() -> ClassResult {
    let mut suite = suites::coin_box();
    suite.lines = CoverageCount { covered: 2, total: 3 };
    suite.branches = CoverageCount { covered: 1, total: 2 };
    let divergence = cupping_report::certify::Divergence {
        class: "shop.CoinBoxTest".into(),
        test: "vend_dropped".into(),
        stage: cupping_report::certify::Stage::Run,
        detail: NASTY.into(),
        source: Vec::new(),
    };
    ClassResult {
        classes: test_classes(&suite, Framework::Junit5, &NoFacts),
        suite,
        divergences: vec![divergence],
        unreached: Vec::new(),
        ended_by_clock: false,
        elapsed: Duration::from_millis(412),
        error: None,
    }
}
