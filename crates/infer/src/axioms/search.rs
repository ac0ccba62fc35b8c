//! The search for axioms.

use super::axiom::{Axiom, Condition};
use super::candidates::{LEAST, right};
use super::rhs::Rhs;
use super::sample::{Sample, Samples};
use super::support::support;
use crate::subject::{Subject, is_left_out};
use cupping_case::JavaType;

/// Axioms that hold of all compositions of at most this many calls.
pub fn search(subject: &Subject, samples: &Samples<'_>, calls: usize) -> Vec<Axiom> {
    let methods: Vec<usize> = (0..subject.methods.len())
        .filter(|at| {
            let name = &*subject.methods[*at].reference.name;
            !is_left_out(name) && name != "equals" && name != "toString"
        })
        .collect();
    let mut found = Vec::new();
    let mut constant = vec![false; subject.methods.len()];
    for method in &methods {
        let invokable = &subject.methods[*method];
        if invokable.is_constructor() {
            continue;
        }
        let single = || samples.of_one(*method, calls);
        let all = samples.all_of_one(*method, calls);
        let axiom = |of_state| of(*method, None, of_state, single(), &all);
        if invokable.result != JavaType::Void
            && let Some(axiom) = axiom(false)
        {
            constant[*method] = matches!(axiom.right, Some(Rhs::Constant(_)));
            found.push(axiom);
        }
        if invokable.has_receiver()
            && let Some(axiom) = axiom(true)
        {
            found.push(axiom);
        }
    }
    for first in &methods {
        let makes = subject.makers.contains(first);
        // After a method that does not change the state, there is nothing to learn.
        if !makes && (samples.pure[*first] || !subject.methods[*first].has_receiver()) {
            continue;
        }
        for second in &methods {
            let invokable = &subject.methods[*second];
            if !invokable.has_receiver() {
                continue;
            }
            let all = samples.all_of_two(*first, *second, calls);
            let both = || samples.of_two(*first, *second, calls);
            if invokable.result != JavaType::Void && !constant[*second] {
                found.extend(of(*first, Some(*second), false, both(), &all));
            }
            if !samples.pure[*second] {
                found.extend(of(*first, Some(*second), true, both(), &all));
            }
        }
    }
    found
}

/// Limit on how often a sample grows by compositions that violate its suggestion.
const MOST_GROWTHS: usize = 6;
/// The number of violating compositions by which it grows.
const GROWTH: usize = 20;

/// The axiom of a pair of methods, if there is one: inferred from a sample, compared with all compositions, and
/// inferred again with those that violate it.
fn of<'e>(
    first: usize,
    second: Option<usize>,
    of_state: bool,
    mut sample: Vec<Sample<'e>>,
    all: &[Sample<'e>],
) -> Option<Axiom> {
    for _ in 0..MOST_GROWTHS {
        let axiom = of_sample(first, second, of_state, &sample)?;
        let violating: Vec<Sample<'e>> =
            all.iter().filter(|it| axiom.is_violated(it)).take(GROWTH).cloned().collect();
        if violating.is_empty() {
            return Some(Axiom { samples: all.len(), ..axiom });
        }
        sample.extend(violating);
    }
    None
}

/// The axiom of a sample.
fn of_sample(first: usize, second: Option<usize>, of_state: bool, samples: &[Sample<'_>]) -> Option<Axiom> {
    let all: Vec<&Sample<'_>> = samples.iter().collect();
    let whole = right(&all, of_state, second.is_none());
    let axiom = |right: Option<Rhs>, condition, parts: &[&[&Sample<'_>]]| Axiom {
        first,
        second,
        of_state,
        support: support(parts, of_state, second.is_none()),
        samples: samples.len(),
        right,
        condition,
    };
    if let Some(whole) = whole {
        return Some(axiom(Some(whole), None, &[&all]));
    }
    second?;
    let parameters = (samples.first()?.first.len(), samples.first()?.second.len());
    let mut conditions = Vec::new();
    for at in 0..parameters.0 {
        conditions.extend((0..parameters.1).map(|other| Condition::Same(at, other)));
    }
    conditions.extend(samples.iter().find(|it| !it.guards.is_empty()).map_or(Vec::new(), |it| {
        it.guards.iter().map(|(name, _)| Condition::Guard((*name).to_owned())).collect()
    }));
    let (mut best, mut most): (Option<Axiom>, usize) = (None, 0);
    for condition in conditions {
        let part = |wanted: bool| -> Vec<&Sample<'_>> {
            samples.iter().filter(|it| condition.holds(it) == Some(wanted)).collect()
        };
        let (within, others) = (part(true), part(false));
        if within.len() < LEAST || others.len() < LEAST {
            continue;
        }
        let sides = (right(&within, of_state, false), right(&others, of_state, false));
        // The condition that leaves fewer compositions open is better.
        let known = if sides.0.is_some() { within.len() } else { 0 }
            + if sides.1.is_some() { others.len() } else { 0 };
        if known > most {
            most = known;
            let mut parts: Vec<&[&Sample<'_>]> = Vec::new();
            if sides.0.is_some() {
                parts.push(&within);
            }
            if sides.1.is_some() {
                parts.push(&others);
            }
            best = Some(axiom(sides.0, Some((condition, sides.1)), &parts));
        }
    }
    best
}
