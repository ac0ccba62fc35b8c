//! A specification as text in Daikon's style, with the evidence for each line. It is limited to a screen unless
//! everything is requested.

use super::screen::{MOST_LINES, Screen, screen};
use super::sections::{Clause, Line, Section, sections};
use crate::outcome::InferenceOutcome;
use crate::subject::Subject;

/// The basis of a specification.
pub fn basis(outcome: &InferenceOutcome) -> String {
    let explored = &outcome.explored;
    let bound = if explored.closed {
        "all states reachable with the values tried".to_owned()
    } else {
        format!("all sequences up to {} calls, and some longer ones", explored.complete)
    };
    let more = explored.executions.len();
    let random = match explored.challenged {
        0 => String::new(),
        sequences => format!("; {sequences} random sequences violated nothing more"),
    };
    let statics = match explored.changes_statics {
        true => "; calls change static fields, which had their initial values before each sequence",
        false => "",
    };
    format!("held of {} executions by tests and {more} more: {bound}{random}{statics}", outcome.recorded)
}

/// The methods of which nothing is known, if there are any.
fn uncalled(subject: &Subject, outcome: &InferenceOutcome) -> String {
    let line = |what: &str, methods: &[usize]| {
        let names: Vec<String> = methods.iter().map(|it| subject.signature(*it)).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("{what}, for lack of arguments: {}\n", names.join(", ")),
        }
    };
    line("not called", &outcome.uncalled) + &line("called with null only", &outcome.called_with_null)
}

/// The lines that fit a screen, or all of them if the outcome requests it.
pub fn write(subject: &Subject, outcome: &InferenceOutcome) -> String {
    let most = if outcome.is_whole { usize::MAX } else { MOST_LINES };
    within(subject, outcome, most)
}

/// All that was found of a class, except for axioms that say little.
pub fn whole(subject: &Subject, outcome: &InferenceOutcome) -> String {
    within(subject, outcome, usize::MAX)
}

/// Minimum number of axioms shown, if there are as many.
const LEAST_AXIOMS: usize = 10;

fn within(subject: &Subject, outcome: &InferenceOutcome, most: usize) -> String {
    let name = subject.name.replace('/', ".");
    let mut out = format!("{name}\n{}\n{}", basis(outcome), uncalled(subject, outcome));
    let mut left_out = 0;
    if outcome.axiomatic {
        let axioms = outcome.shown_axioms().count().min(LEAST_AXIOMS);
        let all = sections(subject, outcome);
        let screen = match most {
            usize::MAX => Screen { sections: all, ..Screen::default() },
            _ => screen(all, most.saturating_sub(axioms + 4)),
        };
        left_out += screen.left_out;
        out += &axiomatic(screen.sections);
        if !screen.idle.is_empty() {
            out += &format!("\nchange nothing\n  {}\n", screen.idle.join(", "));
        }
    }
    if let Some(axioms) = &outcome.axioms {
        let room = most.saturating_sub(out.lines().count() + 3).max(LEAST_AXIOMS);
        out += "\naxioms\n";
        for axiom in outcome.shown_axioms().take(room) {
            out += &format!("  {}    [{}]\n", axiom.text(subject), axiom.evidence());
        }
        if axioms.is_empty() {
            out += "  none\n";
        }
        left_out += axioms.len() - outcome.shown_axioms().count().min(room);
    }
    if left_out > 0 {
        out += &format!("\n({left_out} weaker lines are omitted; --all shows them)\n");
    }
    out
}

fn axiomatic(sections: Vec<Section>) -> String {
    let mut out = String::new();
    for Section { method, clauses } in sections {
        out += &format!("\n{}\n", method.as_deref().unwrap_or("invariants"));
        for Clause { keyword, lines } in clauses {
            let indent = match keyword {
                "requires" | "ensures" => {
                    out += &format!("  {keyword}\n");
                    "    "
                }
                "throws" => "  throws ",
                _ => "  ",
            };
            for Line { text, evidence, .. } in lines {
                let evidence = evidence.map_or(String::new(), |it| format!("    [{it}]"));
                out += &format!("{indent}{text}{evidence}\n");
            }
        }
    }
    out
}
