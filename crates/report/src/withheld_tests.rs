//! Tests that are neither written nor run because they are unsafe: how many, of which
//! method, and why.

use cupping_case::{Case, MethodRef, Suite};

/// Tests of one method that are withheld for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldTests<'a> {
    /// The method.
    pub method: &'a MethodRef,
    /// The effects that must not be repeated on the user's computer.
    pub why: String,
    /// How many they are.
    pub count: usize,
}

/// The withheld tests of a suite, in the order of their methods.
pub fn of_suite(suite: &Suite) -> Vec<WithheldTests<'_>> {
    let known = suite.withheld.iter().map(|it| (&it.case, it.why.clone()));
    known.chain(dangerous(suite.cases.iter().chain(&suite.failing))).fold(Vec::new(), add)
}

/// The withheld tests among cases.
pub fn of_cases<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Vec<WithheldTests<'a>> {
    dangerous(cases).fold(Vec::new(), add)
}

fn dangerous<'a>(cases: impl IntoIterator<Item = &'a Case>) -> impl Iterator<Item = (&'a Case, String)> {
    cases.into_iter().filter_map(|case| Some((case, case.danger()?)))
}

fn add<'a>(mut all: Vec<WithheldTests<'a>>, (case, why): (&'a Case, String)) -> Vec<WithheldTests<'a>> {
    let method = &case.under_test;
    match all.iter_mut().find(|it| it.method == method && it.why == why) {
        Some(known) => known.count += 1,
        None => all.push(WithheldTests { method, why, count: 1 }),
    }
    all
}

/// As text: the number of tests, then a line for each method and reason; empty if there is none.
pub fn text(class: &str, withheld: &[WithheldTests<'_>]) -> String {
    let count: usize = withheld.iter().map(|it| it.count).sum();
    if count == 0 {
        return String::new();
    }
    let tests = if count == 1 { "test is" } else { "tests are" };
    let mut text = format!(
        "{class}: {count} {tests} withheld: unsafe to run, or with results that differ between computers\n"
    );
    for WithheldTests { method, why, count } in withheld {
        let times = if *count == 1 { String::new() } else { format!(" ({count} tests)") };
        text += &format!("  {}: {why}{times}\n", name(method));
    }
    text
}

/// The usual name of the method: `copy`; for a constructor the name of its class.
pub fn name(method: &MethodRef) -> &str {
    match &*method.name {
        "<init>" => method.class.rsplit(['/', '$']).next().unwrap_or(&method.class),
        name => name,
    }
}
