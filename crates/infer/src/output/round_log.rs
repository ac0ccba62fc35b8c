//! The log of both loops, in the form of the table in the slides.

use crate::outcome::{Classification, InferenceOutcome};

/// Writes the log.
pub fn write(outcome: &InferenceOutcome) -> String {
    let mut out = format!(
        "{} executions by tests; {} explored ({} states, {} by equals; {} calls did not end)\n",
        outcome.recorded,
        outcome.explored.executions.len(),
        outcome.explored.states.len(),
        outcome.explored.numbers,
        outcome.explored.stuck
    );
    for (at, round) in outcome.rounds.iter().enumerate() {
        let guarded = round.selected.iter().filter(|it| it.is_guarded);
        let revealing = |kind: Classification| kind != Classification::NewBehaviour;
        out += &format!(
            "round {}: {} likely; selected {} with preconditions ({} reveal), {} without ({} reveal); {} relaxed\n",
            at + 1,
            round.clauses,
            guarded.clone().count(),
            guarded.filter(|it| revealing(it.kind)).count(),
            round.selected.len(),
            round.selected.iter().filter(|it| revealing(it.kind)).count(),
            round.relaxed,
        );
        for selected in &round.selected {
            out += &format!("  {}: {}\n", selected.kind.text(), selected.test);
            for violated in &selected.violates {
                out += &format!("    violates {violated}\n");
            }
        }
    }
    if outcome.axiomatic {
        out += if outcome.fixed_point { "fixed point\n" } else { "no fixed point: more rounds are needed\n" };
    }
    for round in &outcome.algebraic {
        out += &format!("axioms of sequences up to {} calls: {}\n", round.calls, round.axioms);
        for (axiom, test) in &round.violated {
            out += &format!("  violated: {axiom}\n    by {test}\n");
        }
    }
    out
}
