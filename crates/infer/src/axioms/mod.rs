//! The algebraic loop (slides 20–32): executions are composed where one ends in the state in which the other begins,
//! and compared with templates of axioms.

mod axiom;
mod candidates;
mod rhs;
mod sample;
mod search;
mod support;
mod words;

pub use axiom::{Axiom, Condition};
pub use rhs::Rhs;

use crate::explore::Exploration;
use crate::sequence::Test;
use crate::subject::Subject;
use sample::Samples;
use std::rc::Rc;

/// A round of the loop.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The largest number of calls of composed sequences.
    pub calls: usize,
    /// The number of axioms inferred from them.
    pub axioms: usize,
    /// Axioms of the round before that longer sequences violate, each with the test.
    pub violated: Vec<(String, Rc<Test>)>,
}

/// Infers axioms, from short sequences first; longer ones try to violate them.
pub fn infer(subject: &Subject, explored: &Exploration, rounds: usize) -> (Vec<Axiom>, Vec<Round>) {
    let all = Samples::new(subject, explored);
    let longest = explored.states.iter().map(|it| it.made.calls()).max().unwrap_or(0) + 1;
    let mut axioms: Vec<Axiom> = Vec::new();
    let mut done: Vec<Round> = Vec::new();
    let mut calls = 2;
    loop {
        // The last round has all sequences.
        if done.len() + 1 >= rounds.max(1) {
            calls = longest.max(calls);
        }
        let found = search::search(subject, &all, calls);
        let mut round = Round { calls, axioms: found.len(), violated: Vec::new() };
        for axiom in &axioms {
            if let Some(test) = axiom.violating(&all, calls) {
                round.violated.push((axiom.text(subject), test));
            }
        }
        done.push(round);
        axioms = found;
        if calls >= longest {
            return (axioms, done);
        }
        calls += 1;
    }
}
