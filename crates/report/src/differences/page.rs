//! The page of all differences.

use super::findings::{Cause, Differences, Example};
use super::side_by_side::side_by_side;
use cupping_view::{Figure, Page, Table, code};
use maud::{Markup, html};

/// A page with a section for each difference, and tables of what changed.
pub fn page(all: &Differences) -> String {
    let figures = [
        Figure::bad(all.open().count(), "difference", "differences"),
        Figure::count(all.changed.len(), "changed method", "changed methods"),
        Figure::count(all.common, "class in both versions", "classes in both versions"),
    ];
    let mut changed = Table::new("Changed methods", &["Method", "Change", "Behaviour", "Bound or reason"]);
    for method in &all.changed {
        changed.row([
            html! { code { (method.class) "." (method.method) } },
            html! { (method.fate) },
            html! { (method.verdict) },
            html! { (method.why) },
        ]);
    }
    let mut api = Table::new("API", &["Place", "Change", "Effect", "JLS"]);
    for change in &all.api {
        api.row([
            html! { code { (change.place) } },
            html! { (change.what) },
            html! { (change.breaks) },
            html! { "§" (change.jls) },
        ]);
    }
    let mut moved = Table::new("Moved classes", &["Old name", "New name", "Likeness"]);
    for class in &all.moved {
        moved.row([
            html! { code { (class.was) } },
            html! { code { (class.is) } },
            html! { (class.likeness) " %" },
        ]);
    }
    let content = html! {
        @for (number, (cause, example)) in all.open().enumerate() { (difference(number + 1, cause, example)) }

        @for (id, title, table) in
            [("changed", "Changed methods", &changed), ("moved", "Moved classes", &moved), ("api", "API", &api)]
        {
            @if !table.is_empty() { section aria-labelledby=(id) { h2 id=(id) { (title) } (table) } }
        }
    };
    let alert = all.open().next().is_none().then_some("No difference in behaviour was found.");
    Page::new("diff", "Differences in behaviour").figures(figures).alert(alert).content(content).render()
}

fn difference(number: usize, cause: &Cause, example: &Example) -> Markup {
    let id = format!("difference-{number}");
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (number) ". " code { (example.method) } ": " (example.kind.title()) }
            p { "Changed: " @for (at, it) in cause.changed.iter().enumerate() { @if at > 0 { ", " } code { (it) } } }
            @if !example.when.is_empty() {
                p { "When " @for (at, it) in example.when.iter().enumerate() { @if at > 0 { " and " } code { (it) } } }
            }
            @for contract in &example.breaks { p { "Breaks " code { (contract) } } }
            @if !example.calls.is_empty() { (code::block(&example.calls.join("\n"))) }
            @for pair in &cause.sources {
                h3 { code { (pair.method) } }
                (side_by_side(&pair.old, &pair.new))
            }
            dl { dt { "Old" } dd { code { (example.old) } } dt { "New" } dd { code { (example.new) } } }
        }
    }
}
