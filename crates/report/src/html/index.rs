//! The page that lists the classes.

use crate::outline::Outline;
use cupping_view::{Cell, Figure, Index, Unit};
use maud::{Markup, html};
use std::borrow::Borrow;

/// The index of these classes, whose pages are beside it.
pub fn index_page<O: Borrow<Outline>>(results: &[O]) -> String {
    let results: Vec<&Outline> = results.iter().map(Borrow::borrow).collect();
    let share = |what: &str, of: fn(&Outline) -> (u32, u32)| {
        let sum = results
            .iter()
            .map(|it| of(it))
            .fold((0, 0), |sum: (u32, u32), one| (sum.0 + one.0, sum.1 + one.1));
        Figure::share(sum.0.into(), sum.1.into(), what)
    };
    let mut figures = vec![
        share("lines", |it| it.lines),
        share("branches", |it| it.branches),
        Figure::count(results.iter().map(|it| it.tests).sum(), "test", "tests"),
    ];
    let failing: usize = results.iter().map(|it| it.failing.len()).sum();
    if failing > 0 {
        figures.push(Figure::bad(failing, "failing input", "failing inputs"));
    }
    let units = results.iter().map(|it| unit(it)).collect();
    let index = Index::of_classes("generate", &["Lines", "Branches", "Tests", "Failing"], units);
    Index { figures, after: failing_inputs(&results), ..index }.render()
}

fn unit(result: &Outline) -> Unit {
    // A class that was processed has figures; others have none.
    let has_page = result.error.is_none() || result.lines.1 > 0;
    let share = |(covered, total): (u32, u32)| Cell::Share(covered.into(), total.into());
    let dropped = (result.dropped > 0).then(|| format!("{} did not hold on the JDK", result.dropped));
    Unit {
        name: result.class.clone(),
        href: has_page.then(|| result.page.clone()),
        cells: vec![
            share(result.lines),
            share(result.branches),
            Cell::Count(result.tests),
            Cell::Bad(result.failing.len()),
        ],
        errors: result.error.iter().cloned().chain(dropped).collect(),
    }
}

fn failing_inputs(results: &[&Outline]) -> Markup {
    let all: Vec<_> =
        results.iter().flat_map(|result| result.failing.iter().map(move |it| (result, it))).collect();
    if all.is_empty() {
        return html! {};
    }
    html! {
        h2 .bad { "Failing inputs" }
        p .hint {
            "On these inputs the code throws an undeclared exception or breaks a contract. They are likely defects."
        }
        ul .failures {
            @for (result, input) in all {
                li {
                    a href={ (result.page) "#test=" (input.name) } {
                        (result.class) " " span .name { (input.name) }
                    }
                    @if let Some(thrown) = &input.thrown {
                        " " span .tag .thrown { (thrown) }
                    }
                    @if let Some(cause) = &input.cause {
                        " " (cause)
                    }
                }
            }
        }
    }
}
