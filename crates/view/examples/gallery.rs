//! Writes a page with every kind of part, and an index, for inspection: `cargo run -p cupping-view --example gallery
//! FOLDER`.

use cupping_view::code::{Mark, numbered};
use cupping_view::svg::{
    Branch, Colour, Column, Edge, Form, Graph, Heap, HeapNode, HeapRow, Link, Path, Start, StartTarget,
    figure, tree,
};
use cupping_view::{Cell, Figure, Index, Page, Table, Unit, class_name, code, highlight};
use maud::html;
use std::fs;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "gallery".into());
    fs::create_dir_all(&folder)?;
    fs::write(format!("{folder}/index.html"), index())?;
    fs::write(format!("{folder}/parts.html"), parts())
}

fn index() -> String {
    let unit = |name: &str, part, failing| Unit {
        name: format!("org.example.accounting.{name}"),
        href: Some("parts.html".into()),
        cells: vec![Cell::Share(part, 40), Cell::Share(part / 2, 20), Cell::Count(12), Cell::Bad(failing)],
        errors: if failing > 0 { vec!["2 did not hold on the JDK".into()] } else { Vec::new() },
    };
    let units = vec![unit("Account", 40, 0), unit("TransactionRecordFormatter", 31, 3), unit("Ledger", 0, 0)];
    let index = Index::of_classes("generate", &["Lines", "Branches", "Tests", "Failing"], units);
    let figures = vec![
        Figure::share(71, 120, "lines"),
        Figure::count(36, "test", "tests"),
        Figure::bad(3, "failing input", "failing inputs"),
    ];
    Index { figures, ..index }.render()
}

fn parts() -> String {
    let source = "package shop;\n\n/** A till. */\nclass Till {\n    int add(int coins) {\n        if (coins < 0) {\n            throw new IllegalArgumentException(\"negative: \" + coins);\n        }\n        return total += coins; // never less\n    }\n}\n";
    let lines = |all: &[&str]| highlight(all.iter().copied());
    let marks = [
        (6, Mark::Part, "1 of 2 branches".into()),
        (7, Mark::Miss, "not covered".into()),
        (9, Mark::Full, "covered".into()),
    ];
    let mut table = Table::new("Definition-use pairs", &["#", "variable", "definition", "use", "verdict"]);
    for number in 1..5 {
        let number = number.to_string();
        table.texts([&number, "total", "add(int):9", "total():13", "covered by new Till(); add(1); total()"]);
    }
    let content = html! {
        p .hint { "Held of 12 executions by tests and 340 more: all states reachable with the values tried." }
        section .card {
            h2 .mono { "int add(int coins)" }
            h3 { "ensures" }
            (table)
        }
        section .card { h2 { "Code" } (numbered(source, lines, &marks)) }
        section .card {
            h2 { "Drawings" }
            div .side { (figure("a red-black tree", &red_black().draw("a tree"))) (figure("a list", &list().draw("a list"))) }
            (figure("states", &tree("states", &states())))
            (figure("control flow", &graph().draw()))
        }
        (code::block("fails: this.size == #this.header.*next\nholds: no n: Node | n in n.^next"))
        details open { summary { span .bad { "failed-test" } ": the balance is negative" } p { (class_name("a.b.Account")) } }
    };
    let figures = [
        Figure::share(2, 3, "lines"),
        Figure::count(1, "test", "tests"),
        Figure::bad(2, "failing input", "failing inputs"),
    ];
    Page::of_class("gallery", "org.example.Till")
        .home("index.html", "All classes")
        .figures(figures)
        .content(content)
        .render()
}

fn start(name: &str, at: usize) -> Start {
    Start { name: name.into(), target: StartTarget::Node(at) }
}

fn link(from: usize, to: usize, label: &str) -> Link {
    Link { from, to, label: label.into(), is_changed: label == "tail" }
}

fn red_black() -> Heap {
    let node = |text: &str, colour| HeapNode {
        title: text.into(),
        form: Form::Round(text.into(), Some(colour)),
        is_new: false,
    };
    let nodes = vec![
        node("5", Colour::Black),
        node("2", Colour::Red),
        node("8", Colour::Red),
        node("9", Colour::Black),
    ];
    let links = vec![link(0, 1, "left"), link(0, 2, "right"), link(2, 3, "right"), link(3, 0, "root")];
    Heap {
        starts: vec![start("this", 0), Start { name: "x".into(), target: StartTarget::Text("7".into()) }],
        nodes,
        links,
    }
}

fn list() -> Heap {
    let row =
        |name: &str, value: &str, is_changed| HeapRow { name: name.into(), value: value.into(), is_changed };
    let node = |class: &str, rows, is_new| HeapNode {
        title: class.into(),
        form: Form::Rows(class.into(), rows),
        is_new,
    };
    let nodes = vec![
        node("LinkedQueue", vec![row("size", "2", true)], false),
        node("Node", vec![row("value", "\"first\"", false)], false),
        node("Node", vec![row("value", "\"second\"", false)], true),
    ];
    let links = vec![link(0, 1, "head"), link(1, 2, "next"), link(0, 2, "tail")];
    Heap { starts: vec![start("this", 0), start("result", 2)], nodes, links }
}

fn states() -> Vec<Branch> {
    let branch = |parent, mark: &str, text: &str| Branch { parent, mark: mark.into(), text: text.into() };
    vec![
        branch(None, "0", "new Stack(2)"),
        branch(Some(0), "1", "push(\"a\")"),
        branch(Some(1), "2", "push(\"b\")"),
        branch(Some(1), "3", "push(\"a\") again"),
        branch(None, "4", "new Stack(0)"),
    ]
}

fn graph() -> Graph {
    let edge = |from, to, path| Edge { from, to, path };
    let blocks = [["0: lines 5–6", "use coins"], ["1: line 7", "calls <init>"], ["2: line 9", "def total"]];
    let column = Column {
        title: "add(int)".into(),
        is_entry: true,
        blocks: blocks.iter().map(|it| it.iter().map(ToString::to_string).collect()).collect(),
        edges: vec![
            edge(0, Some(1), Path::Normal),
            edge(0, Some(2), Path::Normal),
            edge(1, None, Path::Exception),
            edge(2, None, Path::Normal),
        ],
    };
    Graph { title: "org.example.Till".into(), columns: vec![column] }
}
