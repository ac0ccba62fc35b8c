//! The page of all findings.

use super::{Cause, CheckReport, Finding};
use crate::markdown::capitalised;
use cupping_view::{Figure, Page, Table};
use maud::{Markup, html};

/// A page with a table for each cause, updated files, and accepted findings.
pub fn page(all: &CheckReport) -> String {
    let accepted: Vec<(&Finding, &str)> = all
        .files
        .iter()
        .flat_map(|it| &it.findings)
        .filter_map(|it| Some((it, it.accepted.as_deref()?)))
        .collect();
    let figures = [
        Figure::count(all.tests(), "generated test", "generated tests"),
        Figure::bad(all.open().count(), "fails", "fail"),
        Figure::count(accepted.len(), "accepted", "accepted"),
    ];
    let content = html! {
        @for cause in Cause::ALL { (of_cause(all, cause)) }
        @if !all.updated.is_empty() {
            section aria-labelledby="updated" {
                h2 #updated { "Updated files" }
                ul { @for file in &all.updated { li { code { (file) } } } }
            }
        }
        @if !accepted.is_empty() {
            section aria-labelledby="accepted" {
                h2 #accepted { "Accepted" }
                ul { @for (finding, reason) in &accepted { li { code { (finding.test) } ": " (reason) } } }
            }
        }
    };
    let alert = (all.tests() == 0).then_some("There are no generated tests.");
    Page::new("check", "Generated tests").figures(figures).alert(alert).content(content).render()
}

/// The findings of a cause that are not accepted.
fn of_cause(all: &CheckReport, cause: Cause) -> Markup {
    let title = capitalised(cause.title());
    let mut table = Table::new(&title, &["Test", "Place", "Statement", "Was", "Now"]);
    for Finding { test, file, line, statement, old, new, .. } in all.open().filter(|it| it.cause == cause) {
        table.row([
            html! { code { (test) } },
            html! { (file) ":" (line) },
            html! { code { (statement) } },
            html! { code { (old) } },
            html! { code { (new) } },
        ]);
    }
    html! {
        @if !table.is_empty() {
            section aria-labelledby=(cause.name()) { h2 id=(cause.name()) { (title) } (table) }
        }
    }
}
