//! The page of a class.

use super::cases::{Dropped, ShownTest, TestData, branches, dropped, tests};
use super::code::{Listing, Section};
use super::escape::script_json;
use super::trees::{Tree, trees};
use super::{Bar, names};
use crate::result::ClassResult;
use crate::withheld;
use askama::Template;
use cupping_case::{Covered, CriterionResult, Explanation, MethodCode};
use serde::Serialize;

const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPTS: [&str; 3] = [
    include_str!("../../templates/select.js"),
    include_str!("../../templates/tree.js"),
    include_str!("../../templates/class.js"),
];

#[derive(Template)]
#[template(path = "class.html")]
struct ClassPage<'a> {
    name: &'a str,
    package: String,
    style: &'static str,
    scripts: String,
    bars: [Bar; 2],
    error: Option<&'a str>,
    listing: &'a [Section],
    /// What the listing is of.
    caption: String,
    tests: Vec<ShownTest>,
    failing: Vec<ShownTest>,
    dropped: Vec<Dropped>,
    /// By method: how many are withheld, and why.
    withheld: Vec<(String, usize, String)>,
    /// What the tests do for the criteria that were asked for.
    criteria: &'a [CriterionResult],
    data: String,
}

/// What the script gets.
#[derive(Serialize)]
struct Data<'a> {
    tests: Vec<TestData>,
    /// Of each branch: its row, and where it leads.
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
        (Some(file), false) => format!("bytecode ({file} was not found; --source-path says where it is)"),
        (None, false) => "bytecode".into(),
    };
    let page = ClassPage {
        name: class.rsplit('/').next().unwrap_or(class),
        package: names::package(class),
        style: STYLE,
        scripts: SCRIPTS.concat(),
        bars: [Bar::new("lines", result.suite.lines), Bar::new("branches", result.suite.branches)],
        error: result.error.as_deref(),
        listing: &listing.sections,
        caption,
        tests,
        failing,
        dropped: dropped(&result.divergences),
        withheld: withheld::of_suite(&result.suite)
            .into_iter()
            .map(|it| (withheld::name(it.method).to_owned(), it.count, it.why))
            .collect(),
        criteria: &result.suite.criteria,
        data: script_json(&data),
    };
    // Writing to a string does not fail, and the templates call nothing that could.
    page.render().unwrap_or_default()
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

/// What the emitted tests cover together; without any, the class is not even initialised.
fn total(result: &ClassResult, explanation: &Explanation) -> Covered {
    let mut total = Covered::default();
    for class in &result.classes {
        let cases = if class.failing { &explanation.failing } else { &explanation.cases };
        let covered = class.methods.iter().filter_map(|method| cases.get(method.case));
        for covered in covered.chain([&explanation.initialisation]) {
            total.add(covered);
        }
    }
    total
}
