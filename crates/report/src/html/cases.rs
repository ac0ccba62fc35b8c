//! The tests of a class as its page shows them.

use super::code::Listing;
use crate::certify::Divergence;
use crate::result::ClassResult;
use cupping_case::{CoverageBits, Explanation, Outcome};
use cupping_view::highlight;
use serde::Serialize;

/// A test or failing input.
#[derive(Debug)]
pub struct ShownTest {
    /// Its place among all tests of the page.
    pub place: usize,
    /// Its name.
    pub name: String,
    /// The exception that ends it, without package; empty if it returns.
    pub thrown: String,
    /// Its source, as HTML.
    pub html: String,
    /// The effects of its run outside of the heap, and what it reads there.
    pub effects: Vec<String>,
    /// How much of the class it covers, without the initialisation: `12 lines`.
    pub reach: String,
}

/// The data of a test for the page's script.
#[derive(Debug, Serialize)]
pub struct TestData {
    /// Its name.
    pub name: String,
    /// Whether it is a failing input.
    pub failing: bool,
    /// How much of the class it covers, in words.
    pub reach: String,
    /// The rows of which it covers something.
    pub rows: Vec<u32>,
    /// The branches that it covers, by index in the page's list.
    pub branches: Vec<u32>,
    /// Its end: tree and node.
    pub leaf: Option<(u32, u32)>,
}

/// A test that did not hold.
#[derive(Debug)]
pub struct DroppedTest {
    /// Its name.
    pub name: String,
    /// The stage at which it failed.
    pub stage: &'static str,
    /// The message.
    pub detail: String,
}

/// The emitted tests of one kind; `first` is the index of the first of them.
pub fn tests(
    result: &ClassResult,
    explanation: &Explanation,
    listing: &Listing,
    failing: bool,
    first: usize,
) -> Vec<(ShownTest, TestData)> {
    let covered = if failing { &explanation.failing } else { &explanation.cases };
    let nothing = CoverageBits::default();
    let classes = result.classes.iter().filter(|class| class.failing == failing);
    let methods = classes.flat_map(|class| &class.methods);
    methods
        .enumerate()
        .map(|(at, method)| {
            let mut together = nothing.clone();
            method.cases().filter_map(|case| covered.get(case)).for_each(|it| together.add(it));
            // Rows of a parameterized test take several paths; the first represents them.
            together.leaf = method.cases().filter_map(|case| covered.get(case)?.leaf).next();
            let covered = &together;
            let data = TestData {
                name: method.name.clone(),
                failing,
                reach: listing.reach(covered),
                rows: listing.rows_of(covered),
                branches: branches(listing, covered),
                leaf: covered.leaf,
            };
            let cases = if failing { &result.suite.failing } else { &result.suite.cases };
            let case = cases.get(method.case);
            let effects = case.iter().flat_map(|case| case.effects.iter().map(ToString::to_string)).collect();
            let thrown = match case.map(|case| &case.outcome) {
                Some(Outcome::Threw { class, .. }) => super::names::simple(class).to_owned(),
                _ => String::new(),
            };
            let shown = ShownTest {
                place: first + at,
                name: method.name.clone(),
                thrown,
                effects,
                html: highlight(method.lines.iter().map(String::as_str)).join("\n"),
                reach: data.reach.clone(),
            };
            (shown, data)
        })
        .collect()
}

/// The branches that are covered, by index in the listing's list.
pub fn branches(listing: &Listing, covered: &CoverageBits) -> Vec<u32> {
    let all = (0..).zip(&listing.branches);
    all.filter(|(_, branch)| covered.contains(branch.way)).map(|(at, _)| at).collect()
}

/// The tests that certification dropped.
pub fn dropped(divergences: &[Divergence]) -> Vec<DroppedTest> {
    let dropped = divergences.iter().map(|it| DroppedTest {
        name: it.test.clone(),
        stage: it.stage.name(),
        detail: it.detail.clone(),
    });
    dropped.collect()
}
