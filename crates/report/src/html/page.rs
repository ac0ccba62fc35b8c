//! The page of a class.

use super::cases::{ShownTest, TestData, branches, tests};
use super::code::Listing;
use super::panel::panel;
use super::trees::{Tree, trees};
use super::{names, share};
use crate::junit::JunitMethod;
use crate::result::ClassResult;
use cupping_case::{CoverageBits, Explanation, MethodCode};
use cupping_view::{Figure, Page, code};
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

const SCRIPTS: [&str; 3] = [
    include_str!("../../assets/select.js"),
    include_str!("../../assets/tree.js"),
    include_str!("../../assets/class.js"),
];

/// The symbols of the kinds of nodes, which the script refers to.
const SHAPES: &str = include_str!("../../assets/shapes.svg");

/// The data for the script.
#[derive(Serialize)]
struct Data<'a> {
    tests: Vec<TestData>,
    /// Row and target of each branch.
    branches: Vec<(u32, &'a str)>,
    /// Rows and branches that the initialisation of the class covers.
    initialisation: (Vec<u32>, Vec<u32>),
    source: bool,
    /// The methods without a tree: nothing in them depends on an input.
    alike: Vec<String>,
    texts: Vec<&'a str>,
    trees: Vec<Tree>,
}

/// The page of a class as HTML; the same bytes for the same result. Without its source, the bytecode is shown.
pub fn class_page(result: &ClassResult, explanation: &Explanation, source: Option<&str>) -> String {
    let class = &*result.suite.class;
    let total = total(result, explanation);
    let listing = Listing::new(class, explanation, source, &|way| total.contains(way));
    let mut data = Vec::new();
    let mut shown = |failing: bool| {
        let tests = tests(result, explanation, &listing, failing, data.len());
        let (shown, mut of_script): (Vec<ShownTest>, Vec<TestData>) = tests.into_iter().unzip();
        data.append(&mut of_script);
        shown
    };
    let (failing, tests) = (shown(true), shown(false));
    let trees = trees(class, explanation, &listing);
    let initialisation = &explanation.initialisation;
    let data = Data {
        tests: data,
        branches: listing.branches.iter().map(|it| (it.row, it.target.as_str())).collect(),
        initialisation: (listing.rows_of(initialisation), branches(&listing, initialisation)),
        source: listing.is_source,
        alike: alike(class, explanation),
        texts: trees.texts,
        trees: trees.trees,
    };
    let caption = match (&explanation.source_file, listing.is_source) {
        (Some(file), true) => file.to_string(),
        (None, true) => "source".into(),
        (Some(file), false) => format!("bytecode ({file} was not found; name its folder with --source-path)"),
        (None, false) => "bytecode".into(),
    };
    let mut figures = vec![
        share("lines", result.suite.lines),
        share("branches", result.suite.branches),
        Figure::count(tests.len(), "test", "tests"),
    ];
    if !failing.is_empty() {
        figures.push(Figure::bad(failing.len(), "failing input", "failing inputs"));
    }
    let content = html! {
        (PreEscaped(SHAPES))
        div .columns {
            (code_section(&caption, &listing))
            (panel(result, &failing, &tests))
        }
    };
    let page = Page::of_class("generate", &result.class_name())
        .home("index.html", "All classes")
        .figures(figures)
        .alert(result.error.as_deref())
        .content(content)
        .wide()
        .data(&data);
    SCRIPTS.iter().fold(page, |page, script| page.script(script)).render()
}

fn code_section(caption: &str, listing: &Listing) -> Markup {
    let sections: Vec<(bool, Vec<code::CodeRow>)> = listing
        .sections
        .iter()
        .map(|section| (section.folded, section.rows.iter().map(super::code::ListingRow::shown).collect()))
        .collect();
    html! {
        section .code aria-labelledby="code-title" {
            div .bar {
                h2 #code-title { (caption) }
                ul .legend aria-label="Legend" {
                    li .full { "covered" } li .part { "partly" } li .miss { "not covered" }
                }
                p #selected role="status" hidden { span {} " " button type="button" #clear { "Clear " kbd { "Esc" } } }
            }
            (code::listing(sections.iter().map(|(folded, rows)| (*folded, rows.as_slice()))))
        }
    }
}

/// The methods in which no decision was met.
fn alike(class: &str, explanation: &Explanation) -> Vec<String> {
    let has_tree = |method: &MethodCode| {
        let mut own = explanation.trees.iter().filter(|tree| *tree.class == *class);
        own.any(|tree| tree.name == method.name && tree.descriptor == method.descriptor)
    };
    let others = explanation.methods.iter().filter(|method| !has_tree(method));
    others.map(|method| names::signature(class, &method.name, &method.descriptor)).collect()
}

/// The total coverage of the emitted tests; without any, the class is not even initialised.
fn total(result: &ClassResult, explanation: &Explanation) -> CoverageBits {
    let mut total = CoverageBits::default();
    for class in &result.classes {
        let cases = if class.failing { &explanation.failing } else { &explanation.cases };
        let covered = class.methods.iter().flat_map(JunitMethod::cases).filter_map(|case| cases.get(case));
        for covered in covered.chain([&explanation.initialisation]) {
            total.add(covered);
        }
    }
    total
}
