//! The algebraic loop (slides 20–32): executions are composed if one ends in the state in which the other begins,
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

use crate::confidence::confidence;
use crate::explore::{Exploration, Explorer};
use crate::sequence::CallSequence;
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
    /// Axioms of the previous round that longer sequences violate, each with the test.
    pub violated: Vec<(String, Rc<CallSequence>)>,
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

/// For each axiom, the first composition of explored calls that violates it.
pub fn violations(
    subject: &Subject,
    explored: &Exploration,
    axioms: &[Axiom],
) -> Vec<Option<Rc<CallSequence>>> {
    violated(&Samples::new(subject, explored), axioms)
}

fn violated(all: &Samples<'_>, axioms: &[Axiom]) -> Vec<Option<Rc<CallSequence>>> {
    axioms.iter().map(|it| it.violating(all, usize::MAX)).collect()
}

/// The number of random compositions for a pair of methods with too few known axioms.
const MORE: usize = 96;
/// The seed of these.
const MORE_SEED: u64 = 1_000;

/// Keeps the axioms that enough compositions could have violated and none did.
fn keep_confirmed(
    subject: &Subject,
    explorer: &mut Explorer<'_>,
    axioms: &mut Vec<Axiom>,
    min_confidence: f64,
) {
    let is_sure =
        |it: &Axiom, all: &Samples<'_>| it.tried(all).is_none_or(|tried| confidence(tried) >= min_confidence);
    let all = Samples::new(subject, explorer.found());
    let unsure = axioms.iter().filter(|it| !is_sure(it, &all));
    let mut pairs: Vec<(usize, usize)> = unsure.map(|it| (it.first, it.second.unwrap_or(it.first))).collect();
    drop(all);
    if pairs.is_empty() {
        return;
    }
    pairs.sort_unstable();
    pairs.dedup();
    explorer.compose(&pairs, MORE, MORE_SEED);
    let all = Samples::new(subject, explorer.found());
    axioms.retain(|it| is_sure(it, &all) && it.violating(&all, usize::MAX).is_none());
}

/// The number of random compositions of each pair of methods.
const COMPOSED: usize = 32;
/// The largest number of times that axioms are inferred again from random compositions.
const MOST_CHALLENGES: u64 = 3;

/// Infers axioms and challenges them with random compositions until none is violated. Axioms that the last challenge
/// violates are dropped.
pub fn infer_challenged(
    subject: &Subject,
    explorer: &mut Explorer<'_>,
    rounds: usize,
    min_confidence: f64,
) -> (Vec<Axiom>, Vec<Round>) {
    let (mut axioms, mut done) = infer(subject, explorer.found(), rounds);
    for seed in 0..=MOST_CHALLENGES {
        let mut pairs: Vec<(usize, usize)> =
            axioms.iter().map(|it| (it.first, it.second.unwrap_or(it.first))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        explorer.compose(&pairs, COMPOSED, seed);
        if seed == 0 {
            explorer.compose_at_boundaries(&pairs);
        }
        let all = Samples::new(subject, explorer.found());
        let violating = violated(&all, &axioms);
        if violating.iter().all(Option::is_none) {
            break;
        }
        if seed == MOST_CHALLENGES {
            let mut violating = violating.iter();
            axioms.retain(|_| violating.next().is_none_or(Option::is_none));
            break;
        }
        let calls = done.last().map_or(2, |it| it.calls);
        let mut round = Round { calls, ..Round::default() };
        for (axiom, test) in axioms.iter().zip(violating) {
            round.violated.extend(test.map(|it| (axiom.text(subject), it)));
        }
        axioms = search::search(subject, &all, usize::MAX);
        round.axioms = axioms.len();
        done.push(round);
    }
    keep_confirmed(subject, explorer, &mut axioms, min_confidence);
    (axioms, done)
}
