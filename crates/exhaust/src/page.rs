//! The report as a page: counterexamples drawn, states before and after side by side; and inputs drawn.

use crate::check::{Cause, CheckResult, Example, Group};
use crate::draw::drawing;
use crate::picture::Picture;
use crate::report::{cause, failures, heading};
use crate::specification::Specification;
use cupping_view::svg::figure;
use cupping_view::{Figure, Page, code};
use maud::{Markup, html};

fn captioned(caption: &str, picture: &Picture) -> Markup {
    figure(caption, &drawing(caption, picture))
}

/// The page of a check.
pub fn report_page(specification: &Specification, checked: &CheckResult) -> String {
    let failed = checked.inputs - checked.passed;
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let counterexamples = ["counterexample", "counterexamples"];
    let figures = [
        Figure::count(count(checked.inputs), "input", "inputs"),
        Figure::count(count(checked.passed), "passed", "passed"),
        if failed > 0 {
            Figure::bad(count(failed), counterexamples[0], counterexamples[1])
        } else {
            Figure::count(0, counterexamples[0], counterexamples[1])
        },
    ];
    let content = html! {
        @if !checked.is_complete { p .warn { "Not all inputs within the scope were tried." } }
        @for group in &checked.groups {
            section .card {
                h2 { (cause(specification, &group.cause)) " " span .tag { (group.count) " of " (failed) } }
                @for example in &group.examples { (counterexample(specification, group, example)) }
            }
        }
        @for warning in &specification.warnings { p .warn { (specification.remark(warning)) } }
        @for note in specification.notes.iter().chain(&checked.unmodelled) { p .hint { "Note: " (note) } }
        h2 { "Specification" }
        (code::block(&specification.text))
    };
    Page::new("exhaust", heading(specification)).figures(figures).content(content).wide().render()
}

fn counterexample(specification: &Specification, group: &Group, example: &Example) -> Markup {
    let (before, after) = example.pictures(specification);
    let lines = failures(specification, group, example);
    html! {
        h3 { "Input " (example.number) }
        div .side {
            (captioned("pre-state", &before))
            @if !matches!(group.cause, Cause::Stopped(_)) { (captioned("post-state", &after)) }
        }
        @if !example.returned() { p { (example.outcome) } }
        @if !lines.is_empty() {
            pre tabindex="0" {
                @for line in &lines {
                    span class=(if line.starts_with("holds") { "good" } else { "bad" }) { (line) } "\n"
                }
            }
        }
    }
}

/// A page of pictures with captions.
pub fn gallery(title: &str, pictures: &[(String, Picture)]) -> String {
    let content =
        html! { div .side { @for (caption, picture) in pictures { (captioned(caption, picture)) } } };
    let count = Figure::count(pictures.len(), "input", "inputs");
    Page::new("exhaust", title).figures([count]).content(content).wide().render()
}
