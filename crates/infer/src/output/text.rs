//! A specification for people: as Daikon writes, with the evidence behind each line.

use super::sections::{Clause, Line, Section, sections};
use crate::outcome::Outcome;
use crate::subject::Subject;

/// What a specification is based on.
pub fn basis(outcome: &Outcome) -> String {
    let explored = &outcome.explored;
    let bound = if explored.closed {
        "all states that the values tried lead to".to_owned()
    } else {
        format!("all sequences up to {} calls, and some longer ones", explored.complete)
    };
    let more = explored.executions.len();
    let random = match explored.challenged {
        0 => String::new(),
        sequences => format!("; {sequences} random sequences violated nothing more"),
    };
    format!("held of {} executions by tests and {more} more: {bound}{random}", outcome.recorded)
}

/// The methods that were not called, if there are any.
fn uncalled(subject: &Subject, outcome: &Outcome) -> String {
    let names: Vec<String> = outcome.uncalled.iter().map(|it| subject.signature(*it)).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("not called, because arguments were missing: {}\n", names.join(", ")),
    }
}

/// All that was found of a class.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let name = subject.name.replace('/', ".");
    let mut out = format!("{name}\n{}\n{}", basis(outcome), uncalled(subject, outcome));
    if outcome.axiomatic {
        out += &axiomatic(subject, outcome);
    }
    if let Some(axioms) = &outcome.axioms {
        out += "\naxioms\n";
        for axiom in outcome.shown_axioms() {
            out += &format!("  {}    [{}]\n", axiom.text(subject), axiom.evidence());
        }
        match axioms.len() - outcome.shown_axioms().count() {
            0 if axioms.is_empty() => out += "  none\n",
            0 => {}
            left_out => out += &format!("  ({left_out} weaker ones are omitted; --all shows them)\n"),
        }
    }
    out
}

fn axiomatic(subject: &Subject, outcome: &Outcome) -> String {
    let mut out = String::new();
    for Section { method, clauses } in sections(subject, outcome) {
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
            for Line { text, evidence } in lines {
                let evidence = evidence.map_or(String::new(), |it| format!("    [{it}]"));
                out += &format!("{indent}{text}{evidence}\n");
            }
        }
    }
    out
}
