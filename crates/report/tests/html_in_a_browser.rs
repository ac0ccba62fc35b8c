//! Pages as Chromium shows them: the scripts run, and show the known content.

mod support;

use cupping_case::{PathEdge, PathKind, PathNode};
use cupping_report::html::{class_page, index_page};
use cupping_report::outline::Outline;
use std::fs;
use support::browser::{attribute, attributes, dom, tags, text_of};
use support::explained::{NASTY, explanation, result, source};

/// The page of the explained class once `hash` has been followed.
fn shown(hash: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, class_page(&result(), &explanation(), Some(&source()))).unwrap();
    dom(&file, hash)
}

/// Rows of the listing with this class.
fn rows<'a>(dom: &'a str, class: &str) -> Vec<&'a str> {
    attributes(dom, "div", &["r", class], "id")
}

#[test]
fn kinds_of_nodes_are_told_apart() {
    let dom = shown("tab=paths");
    let trees = text_of(&dom, "section", "paths");
    let nodes = |kind: &str| tags(&dom, "li", &["node", kind]).len();
    assert_eq!(["k-c", "k-t", "k-u", "k-i", "k-o"].map(nodes), [2, 2, 1, 1, 1], "{trees}");
    for kind in ["c", "t", "u", "i", "o"] {
        let shape = format!("<use href=\"#k-{kind}\">");
        assert!(dom.contains(&shape) && dom.contains(&format!("id=\"k-{kind}\"")), "a shape for {kind}");
    }
    for label in ["infeasible", "time-out", "not tried", "ends"] {
        assert!(dom.contains(&format!("<span class=\"label\">{label}</span>")), "{label}");
    }
    assert!(trees.contains(&format!("customers == 0 && {NASTY}")), "{trees}");
    assert!(trees.contains("3 more nodes not on this page") && trees.contains("CoinBox()"), "{trees}");
    // The leaf where a test ends leads to the test.
    let links = attributes(&dom, "a", &["to-test"], "title");
    assert_eq!(links.len(), 2, "{links:?}");
}

#[test]
fn a_search_leaves_what_is_searched_for() {
    let dom = shown("search=customers%20%3D%3D&kind=infeasible,time-out");
    assert_eq!(text_of(&dom, "p", "found"), "2 nodes found");
    let kinds = attributes(&dom, "li", &["node"], "class");
    assert_eq!(kinds, ["node k-c", "node k-c", "node k-i", "node k-o"], "matches and what leads to them");
    assert!(dom.contains("<mark>customers</mark>"));
    let nothing = shown("search=nowhere");
    assert_eq!(text_of(&nothing, "p", "found"), "0 nodes found");
    assert!(tags(&nothing, "li", &["node"]).is_empty());
}

#[test]
fn a_test_lights_its_lines() {
    let all = shown("");
    assert!(rows(&all, "lit").is_empty());
    let names: Vec<String> = (0..5).map(|at| attribute_of_test(&all, at)).collect();
    let failing = names.iter().find(|name| name.contains("ArithmeticException")).unwrap();
    let dom = shown(&format!("test={failing}"));
    assert_eq!(rows(&dom, "lit"), ["L5"]);
    assert!(text_of(&dom, "p", "selected").starts_with(&format!("{failing} covers 1 line")));
    assert_eq!(tags(&dom, "details", &["failing", "chosen", "open"]).len(), 1);
}

/// The name of the test at this place of the page.
fn attribute_of_test(dom: &str, place: usize) -> String {
    let text = text_of(dom, "summary", &format!("T{place}"));
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

#[test]
fn a_line_lists_its_tests_and_branches() {
    let dom = shown("line=5");
    let chosen = rows(&dom, "chosen");
    assert_eq!(chosen, ["L5"]);
    let covering = text_of(&dom, "div", "covering");
    assert_eq!(covering, "Line 5: 3 tests→ line 6: 3 tests→ line 8: not takenShow all tests");
    let tests = tags(&dom, "details", &["test"]);
    let hidden: Vec<bool> = tests.iter().map(|tag| tag.contains(" hidden=")).collect();
    assert_eq!(
        hidden,
        [false, false, true, true, false, true],
        "the failing input, the tests, the dropped one"
    );
}

#[test]
fn a_node_far_down_a_large_tree_is_found() {
    let mut explanation = explanation();
    let tree = &mut explanation.trees[0];
    // A path of two thousand decisions, and a node with a thousand children at its end.
    let mut add = |parent: u32, kind: PathKind, constraint: String| {
        tree.nodes.push(PathNode { kind, parent, edge: PathEdge::Branch { line: None, constraint } });
        tree.nodes.len() as u32 - 1
    };
    let mut at = 2;
    for depth in 0..2000 {
        add(at, PathKind::Terminal, format!("a[{depth}] == 0"));
        at = add(at, PathKind::Computation, format!("a[{depth}] != 0"));
    }
    let last = (0..1000).map(|n| add(at, PathKind::Unexplored, format!("last == {n}"))).last().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, class_page(&result(), &explanation, Some(&source()))).unwrap();
    let first = dom(&file, "tab=paths");
    assert!(tags(&first, "li", &["node"]).len() < 200, "it opens with few rows");
    let found = dom(&file, &format!("node=0.{last}"));
    let chosen = tags(&found, "li", &["node", "chosen"]);
    assert_eq!(chosen.len(), 1);
    assert_eq!(attribute(chosen[0], "aria-level"), "2003");
}

#[test]
fn the_index_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("index.html");
    // Its script marks nothing on the body, so this only checks that a page of its kind opens.
    let page = index_page(&Outline::all(&[result()])).replace("<body>", "<body class=\"live\">");
    fs::write(&file, page).unwrap();
    let dom = dom(&file, "");
    assert!(tags(&dom, "input", &["filter"])[0].contains(" hidden="), "one class needs no filter");
}
