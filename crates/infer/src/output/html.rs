//! The page of a class: its specification, the rounds, and the tree of states.

use super::sections::{Clause, Section, sections};
use super::{round_log, text};
use crate::outcome::InferenceOutcome;
use crate::subject::Subject;
use crate::tree::{MOST, drawing};
use cupping_view::{Figure, Page, Table, code};
use maud::{Markup, html};

/// The page of a class.
pub fn write(subject: &Subject, outcome: &InferenceOutcome) -> String {
    let sections = sections(subject, outcome);
    let methods = sections.iter().filter(|it| it.method.is_some()).count();
    let formulas = sections.iter().flat_map(|it| &it.clauses).map(|it| it.lines.len()).sum();
    let states = usize::try_from(outcome.explored.numbers).unwrap_or(usize::MAX);
    let rounds = outcome.rounds.len() + outcome.algebraic.len();
    let content = html! {
        p .hint { (text::basis(outcome)) "." }
        @if outcome.axiomatic {
            @for section in &sections { (one(section)) }
            @if sections.is_empty() { p { "No likely specification was found for this class." } }
        }
        @if let Some(axioms) = &outcome.axioms {
            section .card {
                h2 { "Axioms" }
                @if axioms.is_empty() { p .hint { "None." } }
                @else { (axiom_table(outcome.shown_axioms().map(|it| (it.text(subject), it.evidence())))) }
            }
        }
        section .card {
            h2 { "Rounds" }
            details { summary { (rounds) @if rounds == 1 { " round" } @else { " rounds" } } (code::block(&round_log::write(outcome))) }
        }
        section .card {
            h2 { "States" }
            p .hint {
                "Nodes are states as " code { "equals" } " tells them apart, edges the calls that first led there."
                @if states > MOST { " The first " (MOST) " of " (states) " are shown." }
            }
            (drawing(&outcome.explored))
        }
    };
    let mut shown = vec![
        Figure::count(methods, "method", "methods"),
        Figure::count(formulas, "formula", "formulas"),
        Figure::count(states, "state", "states"),
    ];
    if outcome.axioms.is_some() {
        shown.push(Figure::count(outcome.shown_axioms().count(), "axiom", "axioms"));
    }
    Page::of_class("infer", &subject.name.replace('/', "."))
        .home("index.html", "All classes")
        .figures(shown)
        .content(content)
        .render()
}

/// The class or a method: a table for each clause.
fn one(section: &Section) -> Markup {
    html! {
        section .card {
            @match &section.method {
                Some(method) => h2 .mono { (method) },
                None => h2 { "Invariants" },
            }
            @for clause in &section.clauses { (clause_table(clause)) }
        }
    }
}

fn clause_table(clause: &Clause) -> Markup {
    let title = if clause.keyword.is_empty() { "holds" } else { clause.keyword };
    if clause.lines.iter().all(|it| it.evidence.is_none()) {
        return html! {
            h3 { (title) }
            ul { @for line in &clause.lines { li { code { (line.text) } } } }
        };
    }
    let mut table = Table::new(title, &["formula", "evidence"]);
    for line in &clause.lines {
        let evidence = line.evidence.as_deref().unwrap_or_default();
        table.row([html! { code { (line.text) } }, html! { span .hint { (evidence) } }]);
    }
    html! {
        @if !clause.keyword.is_empty() { h3 { (title) } }
        (table)
    }
}

fn axiom_table(axioms: impl Iterator<Item = (String, String)>) -> Table {
    let mut table = Table::new("Axioms", &["axiom", "evidence"]);
    axioms.for_each(|(text, evidence)| {
        table.row([html! { code { (text) } }, html! { span .hint { (evidence) } }])
    });
    table
}
