//! The page that lists the classes.

use super::Bar;
use super::names::{package, page_file};
use crate::result::ClassResult;
use askama::Template;
use cupping_case::{CoverageCount, Outcome};

#[derive(Template)]
#[template(path = "index.html")]
struct IndexPage {
    style: &'static str,
    script: &'static str,
    rows: Vec<Row>,
    total: Row,
    failing: Vec<Failing>,
}

struct Row {
    name: String,
    package: String,
    /// Address of its page; empty if it has none.
    href: String,
    /// Lines, then branches.
    bars: [Bar; 2],
    tests: usize,
    failing: usize,
    dropped: usize,
    error: Option<String>,
}

struct Failing {
    class: String,
    href: String,
    test: String,
    thrown: String,
}

/// The index of these classes, whose pages are beside it.
pub fn index_page(results: &[ClassResult]) -> String {
    let rows: Vec<Row> = results.iter().map(row).collect();
    let page = IndexPage {
        style: include_str!("../../templates/style.css"),
        script: include_str!("../../templates/index.js"),
        total: total(results, &rows),
        rows,
        failing: results.iter().flat_map(failing).collect(),
    };
    // Writing to a string does not fail, and the template calls nothing that could.
    page.render().unwrap_or_default()
}

fn row(result: &ClassResult) -> Row {
    let class = &*result.suite.class;
    // A class that was looked at has figures; what could not be generated for has none.
    let has_page = result.error.is_none() || result.suite.lines.total > 0;
    Row {
        name: class.rsplit('/').next().unwrap_or(class).to_owned(),
        package: package(class),
        href: if has_page { page_file(class) } else { String::new() },
        bars: [Bar::new("lines", result.suite.lines), Bar::new("branches", result.suite.branches)],
        tests: result.tests(),
        failing: result.failing(),
        dropped: result.divergences.len(),
        error: result.error.clone(),
    }
}

fn total(results: &[ClassResult], rows: &[Row]) -> Row {
    let sum = |of: fn(&ClassResult) -> CoverageCount| {
        results.iter().map(of).fold(CoverageCount::default(), |sum, one| CoverageCount {
            covered: sum.covered + one.covered,
            total: sum.total + one.total,
        })
    };
    let plural = if rows.len() == 1 { "class" } else { "classes" };
    Row {
        name: format!("{} {plural}", rows.len()),
        package: String::new(),
        href: String::new(),
        bars: [
            Bar::new("lines", sum(|it| it.suite.lines)),
            Bar::new("branches", sum(|it| it.suite.branches)),
        ],
        tests: rows.iter().map(|it| it.tests).sum(),
        failing: rows.iter().map(|it| it.failing).sum(),
        dropped: rows.iter().map(|it| it.dropped).sum(),
        error: None,
    }
}

fn failing(result: &ClassResult) -> impl Iterator<Item = Failing> {
    let page = page_file(&result.suite.class);
    result.emitted(true).map(move |(_, name, case)| Failing {
        class: result.class_name(),
        href: format!("{page}#test={name}"),
        test: name.to_owned(),
        thrown: match &case.outcome {
            Outcome::Threw { class, .. } => class.replace('/', "."),
            Outcome::Returned => String::new(),
        },
    })
}
