//! The page that lists the classes.

use super::share;
use crate::result::ClassResult;
use cupping_case::{CoverageCount, Outcome};
use cupping_view::{Cell, Figure, Index, Unit, page_file};
use maud::{Markup, html};

/// The index of these classes, whose pages are beside it.
pub fn index_page(results: &[ClassResult]) -> String {
    let sum = |of: fn(&ClassResult) -> CoverageCount| {
        results.iter().map(of).fold(CoverageCount::default(), |sum, one| CoverageCount {
            covered: sum.covered + one.covered,
            total: sum.total + one.total,
        })
    };
    let count = |of: fn(&ClassResult) -> usize| results.iter().map(of).sum();
    let mut figures = vec![
        share("lines", sum(|it| it.suite.lines)),
        share("branches", sum(|it| it.suite.branches)),
        Figure::count(count(ClassResult::tests), "test", "tests"),
    ];
    let failing: usize = count(ClassResult::failing);
    if failing > 0 {
        figures.push(Figure::bad(failing, "failing input", "failing inputs"));
    }
    let units = results.iter().map(unit).collect();
    let index = Index::of_classes("generate", &["Lines", "Branches", "Tests", "Failing"], units);
    Index { figures, after: failing_inputs(results), ..index }.render()
}

fn unit(result: &ClassResult) -> Unit {
    // A class that was looked at has figures; what could not be generated for has none.
    let has_page = result.error.is_none() || result.suite.lines.total > 0;
    let share = |count: CoverageCount| Cell::Share(count.covered.into(), count.total.into());
    let dropped = result.divergences.len();
    let dropped = (dropped > 0).then(|| format!("{dropped} did not hold on the JDK"));
    Unit {
        name: result.class_name(),
        href: has_page.then(|| page_file(&result.suite.class)),
        cells: vec![
            share(result.suite.lines),
            share(result.suite.branches),
            Cell::Count(result.tests()),
            Cell::Bad(result.failing()),
        ],
        errors: result.error.iter().cloned().chain(dropped).collect(),
    }
}

fn failing_inputs(results: &[ClassResult]) -> Markup {
    let all: Vec<_> =
        results.iter().flat_map(|result| result.emitted(true).map(move |it| (result, it))).collect();
    if all.is_empty() {
        return html! {};
    }
    html! {
        h2 .bad { "Failing inputs" }
        p .hint { "On these the code throws what it does not declare, or breaks a contract. They are likely defects." }
        ul .failures {
            @for (result, (_, name, case)) in all {
                li {
                    a href={ (page_file(&result.suite.class)) "#test=" (name) } {
                        (result.class_name()) " " span .name { (name) }
                    }
                    @if let Outcome::Threw { class, .. } = &case.outcome {
                        " " span .tag .thrown { (class.replace('/', ".")) }
                    }
                    @if let Some(cause) = &case.cause {
                        " " (cause.what)
                    }
                }
            }
        }
    }
}
