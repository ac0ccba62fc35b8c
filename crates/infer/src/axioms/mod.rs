//! The algebraic loop (slides 20–32): executions are composed where one ends in the state in which the other begins,
//! and compared with templates of axioms.

mod candidates;
mod rhs;
mod sample;
mod search;
mod support;

pub use rhs::Rhs;

use crate::explore::Exploration;
use crate::recorder::Recording;
use crate::sequence::Test;
use crate::subject::Subject;
use crate::trace::{Ending, Origin};
use sample::Samples;
use std::rc::Rc;

/// The condition of an axiom.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// An argument of the first call equals one of the second.
    Same(usize, usize),
    /// An observer returns `true` in the state before.
    Guard(String),
}

/// `foo2(foo1(S, arg1), arg2) == RHS`, or the same of one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Axiom {
    /// The inner method.
    pub first: usize,
    /// The outer one.
    pub second: Option<usize>,
    /// Whether it is about the final state rather than about the last result.
    pub of_state: bool,
    /// The right side; for a conditional axiom, the one where the condition holds, if there is one.
    pub right: Option<Rhs>,
    /// The condition, and the right side where it does not hold, if there is one.
    pub condition: Option<(Condition, Option<Rhs>)>,
    /// The number of compositions of which it held.
    pub samples: usize,
    /// The smallest set of tests from which exactly these right sides are inferred.
    pub support: Vec<Rc<Test>>,
}

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
pub fn infer(
    subject: &Subject,
    _recorded: &Recording,
    explored: &Exploration,
    rounds: usize,
) -> (Vec<Axiom>, Vec<Round>) {
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
            if let Some(test) = all.violating(subject, axiom, calls) {
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

/// Whether a method never changes its object.
fn is_pure(explored: &Exploration, method: usize) -> bool {
    let number = |state: u32| explored.states[state as usize].number;
    explored.executions.iter().filter(|it| it.method == method).all(|it| match it.origin {
        Origin::Explored { from: Some(from), to: Some(to) } => number(from) == number(to),
        Origin::Explored { from: Some(_), to: None } => matches!(it.ending, Ending::Threw { .. }),
        _ => true,
    })
}

impl Axiom {
    /// The axiom in the notation of the slides.
    pub fn text(&self, subject: &Subject) -> String {
        let left = self.left(subject);
        let right = |rhs: &Option<Rhs>| match rhs {
            Some(rhs) => rhs.text(self, subject),
            None => "?".to_owned(),
        };
        let side = match &self.condition {
            None => right(&self.right),
            Some((condition, otherwise)) => {
                format!(
                    "({}) ? {} : {}",
                    condition_text(self, subject, condition),
                    right(&self.right),
                    right(otherwise)
                )
            }
        };
        if self.of_state { format!("equals({left}, {side})") } else { format!("{left} == {side}") }
    }

    /// The left side.
    fn left(&self, subject: &Subject) -> String {
        let inner = call(subject, self.first, "S", self.second.is_some().then_some(1));
        match self.second {
            Some(second) => call(subject, second, &inner, Some(2)),
            None => inner,
        }
    }

    /// The evidence for it.
    pub fn evidence(&self) -> String {
        let tests: Vec<String> = self.support.iter().map(ToString::to_string).collect();
        format!("{} compositions; from {}", self.samples, tests.join(" | "))
    }
}

/// A parameter of a method in an axiom; numbered where two calls have names.
fn parameter(subject: &Subject, method: usize, at: usize, number: Option<usize>) -> String {
    let name = subject.methods[method].parameters.get(at).map_or("x", |it| it.name.as_str());
    number.map_or_else(|| name.to_owned(), |number| format!("{name}{number}"))
}

/// A method applied to a state.
fn call(subject: &Subject, method: usize, state: &str, number: Option<usize>) -> String {
    let invokable = &subject.methods[method];
    let mut arguments: Vec<String> = Vec::new();
    if invokable.has_receiver() {
        arguments.push(state.to_owned());
    }
    let names = (0..invokable.parameters.len()).map(|at| parameter(subject, method, at, number));
    arguments.extend(names);
    let name =
        if invokable.is_constructor() { subject.simple_name() } else { invokable.reference.name.to_string() };
    format!("{name}({})", arguments.join(", "))
}

fn condition_text(axiom: &Axiom, subject: &Subject, condition: &Condition) -> String {
    match condition {
        Condition::Same(first, second) => format!(
            "{} == {}",
            parameter(subject, axiom.first, *first, Some(1)),
            parameter(subject, axiom.second.unwrap_or(axiom.first), *second, Some(2))
        ),
        Condition::Guard(observer) => format!("{}(S)", observer.trim_end_matches("()")),
    }
}
