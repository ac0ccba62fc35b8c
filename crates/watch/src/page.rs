//! The report as one page: by method and call site, with the objects before and after drawn.

mod objects;

use crate::outcome::{Example, Report, SiteRow, WatchOutcome};
use cupping_view::svg::figure;
use cupping_view::{Figure, Page, Table};
use maud::{Markup, html};
use objects::drawing;
use std::collections::BTreeMap;

/// The page.
pub fn html(report: &Report) -> String {
    let calls = usize::try_from(report.calls).unwrap_or(usize::MAX);
    let content = html! {
        @if report.skipped > 0 {
            p .hint { (report.skipped) " were skipped, because conditions had already cost too much (--overhead, --budget)." }
        }
        (counts(WatchOutcome::ALL.iter().rev().map(|it| (*it, report.count(*it))).filter(|(_, count)| *count > 0)))
        @for (method, rows) in by_method(report) { (method_section(method, &rows)) }
        (tables(report))
    };
    let figure = Figure::count(calls, "call checked against triples", "calls checked against triples");
    Page::new("watch", "Test mode").figures([figure]).content(content).wide().render()
}

/// Outcomes with their counts.
fn counts(all: impl Iterator<Item = (WatchOutcome, u64)>) -> Markup {
    html! {
        ul .chips { @for (outcome, count) in all { li class=(class(outcome)) { b { (count) } " " (outcome.name()) } } }
    }
}

/// The class of an outcome in the style sheet.
fn class(outcome: WatchOutcome) -> &'static str {
    match outcome.name() {
        "success" | "path-success" => "good",
        "failed-test" => "bad",
        _ => "warn",
    }
}

/// The call sites of each method, worst first.
fn by_method(report: &Report) -> Vec<(&str, Vec<&SiteRow>)> {
    let mut by_method: BTreeMap<&str, Vec<&SiteRow>> = BTreeMap::new();
    report.sites.iter().for_each(|row| by_method.entry(&row.method).or_default().push(row));
    let mut methods: Vec<(&str, Vec<&SiteRow>)> = by_method.into_iter().collect();
    methods.sort_by(|a, b| worst(&b.1).cmp(&worst(&a.1)).then_with(|| a.0.cmp(b.0)));
    methods
}

fn worst(rows: &[&SiteRow]) -> Option<WatchOutcome> {
    rows.iter().flat_map(|row| row.counts.keys()).max().copied()
}

fn method_section(method: &str, rows: &[&SiteRow]) -> Markup {
    html! {
        section .card {
            h2 .mono .(worst(rows).map_or("good", class)) { (method) }
            @for row in rows {
                h3 .mono { "called by " (row.site) }
                (counts(row.counts.iter().rev().map(|(outcome, count)| (*outcome, *count))))
                @for (outcome, example) in &row.examples { (example_details(*outcome, example)) }
            }
        }
    }
}

fn example_details(outcome: WatchOutcome, example: &Example) -> Markup {
    let mut values = Table::new("Values before and after the call", &["", "before", "after"]);
    for (at, (name, after)) in example.after.iter().enumerate() {
        let before = example.before.get(at).filter(|(other, _)| other == name).map_or("", |(_, it)| it);
        let changed = (before != after).then_some("changed");
        values.row([
            html! { (name) },
            html! { code { (before) } },
            html! { code class=[changed] { (after) } },
        ]);
    }
    let (before, after) = (&example.before_state, &example.after_state);
    html! {
        details open[outcome > WatchOutcome::Untested] {
            summary {
                span class=(class(outcome)) { (outcome.name()) }
                @if !example.note.is_empty() { ": " (example.note) }
            }
            @if !example.triple.is_empty() { p { (example.triple) br; code { (example.text) } } }
            (values)
            @if !(before.is_plain() && after.is_plain()) {
                div .side {
                    (figure("before", &drawing("Objects before the call", before, None)))
                    (figure("after", &drawing("Objects after the call", after, Some(before))))
                }
            }
            ol .stack { @for frame in &example.stack { li { (frame) } } }
        }
    }
}

fn tables(report: &Report) -> Markup {
    let mut paths = Table::new("Paths that no test takes", &["how often", "method", "lines of the path"]);
    for (method, path, count) in &report.untested_paths {
        paths.texts([&count.to_string(), method, path]);
    }
    let mut untested = Table::new("Methods without triples", &["how often", "method"]);
    for (method, count) in &report.untested {
        untested.texts([&count.to_string(), method]);
    }
    let heads = ["triple", "requirement", ""];
    let mut assumed = Table::new("Preconditions assumed from several triples", &heads);
    for it in &report.suggestions {
        assumed.texts([
            it.triple.as_str(),
            &it.requirement,
            if it.refined { "refined by this run" } else { "" },
        ]);
    }
    let mut concerned = Table::new("Triples", &["triple", "method", "because of", "calls in this run"]);
    for it in report.regression.iter().flat_map(|it| &it.triples) {
        concerned.texts([&it.triple, &it.method, &it.because_of.join(", "), &it.calls.to_string()]);
    }
    let changed = report.regression.iter().flat_map(|it| &it.changed).cloned().collect::<Vec<_>>().join(", ");
    html! {
        (titled("Paths that no test takes", &paths))
        (titled("Methods without triples", &untested))
        (titled("Preconditions assumed from several triples", &assumed))
        (titled(&format!("Triples affected by changes to {changed}"), &concerned))
    }
}

fn titled(title: &str, table: &Table) -> Markup {
    html! { @if !table.is_empty() { section .card { h2 { (title) } (table) } } }
}
