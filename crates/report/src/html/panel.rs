//! The panel next to the code of a class: tests, criteria, withheld and dropped tests, and the paths.

use super::cases::{DroppedTest, ShownTest, dropped};
use crate::result::ClassResult;
use crate::withheld_tests;
use cupping_case::CriterionResult;
use cupping_view::{Table, code};
use maud::{Markup, PreEscaped, html};

/// The panel.
pub fn panel(result: &ClassResult, failing: &[ShownTest], tests: &[ShownTest]) -> Markup {
    html! {
        section .panel aria-label="Tests and paths" {
            div .tabs role="tablist" aria-label="Tests and paths" {
                button type="button" role="tab" #tab-tests aria-controls="tests" aria-selected="true" {
                    "Tests " b { (tests.len() + failing.len()) }
                }
                button type="button" role="tab" #tab-paths aria-controls="paths" aria-selected="false" tabindex="-1" {
                    "Paths " b #path-count {}
                }
            }
            div #tests role="tabpanel" aria-labelledby="tab-tests" tabindex="0" {
                div #covering role="status" hidden {}
                @if !failing.is_empty() {
                    div .group {
                        h3 .bad { "Failing inputs" }
                        p .hint { "On these inputs the code throws an undeclared exception. They are likely defects." }
                        @for test in failing { (one("failing", test)) }
                    }
                }
                div .group {
                    h3 { "Tests" }
                    @if tests.is_empty() { p .hint { "None." } }
                    @for test in tests { (one("regular", test)) }
                }
                (criteria(&result.suite.criteria))
                (withheld_tests(result))
                (dropped_tests(&dropped(&result.divergences)))
            }
            (paths())
        }
    }
}

fn one(kind: &str, test: &ShownTest) -> Markup {
    html! {
        details .test .(kind) id={ "T" (test.place) } {
            summary {
                span .name { (test.name) }
                @if !test.thrown.is_empty() { " " span .tag .thrown { (test.thrown) } }
                " " span .reach { (test.reach) }
            }
            @if !test.effects.is_empty() { p .effects { "Effects: " (test.effects.join("; ")) "." } }
            pre tabindex="0" { code { (PreEscaped(&test.html)) } }
        }
    }
}

fn criteria(all: &[CriterionResult]) -> Markup {
    let mut table = Table::new("Criteria", &["criterion", "met", "unmet", "infeasible"]);
    for one in all {
        let counts = [one.met, one.unmet, one.infeasible].map(|it| it.to_string());
        table.texts([one.criterion.name().to_owned()].into_iter().chain(counts));
    }
    html! {
        @if !all.is_empty() {
            div .group #criteria {
                h3 { "Criteria" }
                (table)
                @for one in all.iter().filter(|it| !it.open.is_empty()) {
                    details {
                        summary { (one.criterion.name()) ": not met by any test" }
                        ul {
                            @for goal in &one.open {
                                li {
                                    span .tag { (goal.standing.name()) } " " (goal.place)
                                    @if let Some(line) = goal.line { ", line " (line) }
                                    ": " code { (goal.text) } " " span .hint { (goal.why) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn withheld_tests(result: &ClassResult) -> Markup {
    let withheld = withheld_tests::of_suite(&result.suite);
    html! {
        @if !withheld.is_empty() {
            div .group #withheld {
                h3 { "Withheld" }
                p .hint {
                    "They would access more than their own temporary folder. They were neither run on the JDK nor \
                     written."
                }
                ul {
                    @for it in withheld {
                        li { span .tag { (it.count) } " " (withheld_tests::name(it.method)) ": " code { (it.why) } }
                    }
                }
            }
        }
    }
}

fn dropped_tests(all: &[DroppedTest]) -> Markup {
    html! {
        @if !all.is_empty() {
            div .group {
                h3 { "Dropped" }
                p .hint { "They did not hold on the JDK and were not written. This is a defect in Cupping." }
                @for test in all {
                    details .test .dropped {
                        summary { span .name { (test.name) } " " span .tag { (test.stage) } }
                        (code::block(&test.detail))
                    }
                }
            }
        }
    }
}

fn paths() -> Markup {
    html! {
        div #paths role="tabpanel" aria-labelledby="tab-paths" hidden {
            form #find role="search" {
                input #search type="search" placeholder="Search constraints: x > 0" aria-label="Search constraints"
                    autocomplete="off" spellcheck="false";
                fieldset #kinds { legend { "Kinds of nodes" } }
                p #found role="status" {}
            }
            div #trees { noscript { "The paths are shown by a script." } }
        }
    }
}
