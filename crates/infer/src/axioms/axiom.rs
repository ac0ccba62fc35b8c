//! Axioms: the effect of two calls in terms of simpler calls.

use super::rhs::Rhs;
use super::sample::{Sample, Samples};
use super::words::{call, parameter};
use crate::sequence::CallSequence;
use crate::subject::Subject;
use crate::value::Value;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The condition of an axiom.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// An argument of the first call equals one of the second.
    Same(usize, usize),
    /// An observer returns `true` in the state before.
    Guard(String),
}

/// `foo2(foo1(S, arg1), arg2) == RHS`, or the same with one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Axiom {
    /// The inner method.
    pub first: usize,
    /// The outer one.
    pub second: Option<usize>,
    /// Whether it concerns the final state rather than the last result.
    pub of_state: bool,
    /// The right side; for a conditional axiom, the one where the condition holds, if there is one.
    pub right: Option<Rhs>,
    /// The condition, and the right side if it does not hold, if there is one.
    pub condition: Option<(Condition, Option<Rhs>)>,
    /// The number of compositions of which it held.
    pub samples: usize,
    /// The smallest set of tests from which exactly these right sides are inferred.
    pub support: Vec<Rc<CallSequence>>,
}

impl Condition {
    /// Whether it holds of a sample.
    pub fn holds(&self, sample: &Sample<'_>) -> Option<bool> {
        match self {
            Condition::Same(first, second) => {
                match (sample.first.get(*first)?, sample.second.get(*second)?) {
                    // Addresses of different forks tell nothing.
                    (Value::Object(_), Value::Object(_)) => None,
                    (one, other) => one.same(other),
                }
            }
            Condition::Guard(name) => sample.guards.iter().find(|it| it.0 == *name).map(|it| it.1),
        }
    }
}

impl Axiom {
    /// The axiom in the notation of the slides.
    pub fn text(&self, subject: &Subject) -> String {
        let left = self.left(subject);
        let right = |rhs: &Option<Rhs>| match rhs {
            Some(rhs) => rhs.text(subject, self.first, self.second),
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

    /// The first composition of at most this many calls that violates the axiom.
    pub fn violating(&self, samples: &Samples<'_>, calls: usize) -> Option<Rc<CallSequence>> {
        let all = match self.second {
            Some(second) => samples.all_of_two(self.first, second, calls),
            None => samples.all_of_one(self.first, calls),
        };
        let broken = all.iter().find(|it| self.is_violated(it));
        broken.map(|it| it.test.clone())
    }

    /// Whether a composition violates it.
    pub fn is_violated(&self, sample: &Sample<'_>) -> bool {
        let right = match &self.condition {
            None => self.right.as_ref(),
            Some((condition, otherwise)) => match condition.holds(sample) {
                Some(true) => self.right.as_ref(),
                Some(false) => otherwise.as_ref(),
                None => None,
            },
        };
        right.and_then(|it| it.fits(sample, self.of_state)) == Some(false)
    }

    /// The number of executions of the first call whose compositions could have violated it; for a conditional axiom,
    /// of the side with fewer. That one execution is composed with many others is no evidence of the first call.
    /// `None` if there is only one, as for calls without parameters on a new object.
    pub fn tried(&self, samples: &Samples<'_>) -> Option<usize> {
        let all = match self.second {
            Some(second) => samples.all_of_two(self.first, second, usize::MAX),
            None => samples.all_of_one(self.first, usize::MAX),
        };
        if all.iter().all(|it| it.before.is_none() && it.first.is_empty() && it.second.is_empty()) {
            return None;
        }
        let count = |right: &Option<Rhs>, side: bool| {
            let right = right.as_ref()?;
            let is_here = |it: &&Sample<'_>| {
                self.condition.as_ref().is_none_or(|(condition, _)| condition.holds(it) == Some(side))
            };
            let fits = |it: &&Sample<'_>| right.fits(it, self.of_state) == Some(true);
            let distinct: FxHashSet<_> =
                all.iter().filter(is_here).filter(fits).map(|it| it.execution).collect();
            Some(distinct.len())
        };
        let otherwise = self.condition.as_ref().and_then(|it| count(&it.1, false));
        count(&self.right, true).into_iter().chain(otherwise).min().or(Some(0))
    }

    /// Whether it leaves the right side open, either under its condition or otherwise.
    pub fn is_open(&self) -> bool {
        self.right.is_none() || self.condition.as_ref().is_some_and(|it| it.1.is_none())
    }

    /// The evidence for it.
    pub fn evidence(&self) -> String {
        let tests: Vec<String> = self.support.iter().map(ToString::to_string).collect();
        format!("{} compositions; from {}", self.samples, tests.join(" | "))
    }
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
