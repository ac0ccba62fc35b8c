//! A specification for people: as Daikon writes, with the evidence behind each line.

use super::sections::{Clause, Line, Section, sections};
use crate::rounds::Outcome;
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
    format!("held of {} executions by tests and {more} more: {bound}", outcome.recorded)
}

/// All that was found of a class.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let mut out = format!("{}\n{}\n", subject.name.replace('/', "."), basis(outcome));
    if outcome.axiomatic {
        out += &axiomatic(subject, outcome);
    }
    if let Some(axioms) = &outcome.axioms {
        out += "\naxioms\n";
        for axiom in axioms {
            out += &format!("  {}    [{}]\n", axiom.text(subject), axiom.evidence());
        }
        if axioms.is_empty() {
            out += "  none\n";
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
