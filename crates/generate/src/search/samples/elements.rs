//! Changes of the elements of an array: more of them, fewer, in another order, or the same one twice.
//!
//! Arguments of a type of collection come from arrays of one, two or three elements, since no path needs more. Code
//! that goes through them hides faults in what it keeps from one element to the next, and in what it does when two of
//! them are equal.

use crate::mutation::Vocabulary;
use crate::plan::{Plan, PlanStep, Var};

/// Elements of an array, at most.
const MAX_ELEMENTS: usize = 8;
/// Elements that are added at once, at most.
const MAX_ADDED: usize = 4;
/// Length up to which an array need not be cut.
const FEW: usize = 2;

/// A plan with another array; `None` if it has none that can be changed.
pub(super) fn with_other_elements(vocabulary: &mut Vocabulary, plan: &Plan) -> Option<Plan> {
    let arrays: Vec<usize> =
        (plan.setup..plan.steps.len()).filter(|at| !elements(plan, *at).is_empty()).collect();
    let at = *arrays.get(vocabulary.below(arrays.len()))?;
    let mut changed = plan.clone();
    let count = elements(plan, at).len();
    match vocabulary.below(6) {
        0 if count > 1 => {
            elements_mut(&mut changed, at)?.remove(vocabulary.below(count));
            changed.drop_unused_inputs();
        }
        1 if count > 1 => {
            elements_mut(&mut changed, at)?.swap(vocabulary.below(count), vocabulary.below(count))
        }
        2 if count > 1 => {
            let (from, to) = (vocabulary.below(count), vocabulary.below(count));
            let all = elements_mut(&mut changed, at)?;
            all[to] = all[from];
            changed.drop_unused_inputs();
        }
        _ => return with_more_elements(vocabulary, changed, at),
    }
    Some(changed)
}

/// Adds elements: inputs of their own like those that are there, or the same objects again.
fn with_more_elements(vocabulary: &mut Vocabulary, mut plan: Plan, mut at: usize) -> Option<Plan> {
    let added = 1 + vocabulary.below(MAX_ADDED);
    for _ in 0..added.min(MAX_ELEMENTS.saturating_sub(elements(&plan, at).len())) {
        let all = elements(&plan, at);
        let (like, place) = (all[vocabulary.below(all.len())], vocabulary.below(all.len() + 1));
        let var = match another_input(&mut plan, at, like) {
            Some(var) => {
                at += 1;
                var
            }
            None => like,
        };
        elements_mut(&mut plan, at)?.insert(place, var);
    }
    Some(plan)
}

/// Inserts an input like the one that a variable holds before the step at this index.
fn another_input(plan: &mut Plan, at: usize, like: Var) -> Option<Var> {
    let input = plan.steps[..at].iter().find_map(|step| match step {
        PlanStep::Input { input, var } if *var == like => Some(input.clone()),
        _ => None,
    })?;
    let known = plan.variables[like].clone();
    plan.variables.push(known);
    let var = plan.variables.len() - 1;
    plan.steps.insert(at, PlanStep::Input { input, var });
    Some(var)
}

/// Plans in which one element less is in an array that is long, the last elements first.
pub(super) fn without_elements(plan: &Plan, at: usize) -> Vec<Plan> {
    let count = elements(plan, at).len();
    let mut found = Vec::new();
    for place in (0..count).rev().filter(|_| count > FEW) {
        let mut shorter = plan.clone();
        if let Some(all) = elements_mut(&mut shorter, at) {
            all.remove(place);
            shorter.drop_unused_inputs();
            found.push(shorter);
        }
    }
    found
}

/// The elements of the array that a step makes; empty for other steps.
fn elements(plan: &Plan, at: usize) -> &[Var] {
    match plan.steps.get(at) {
        Some(PlanStep::NewArray { elements, .. }) => elements,
        _ => &[],
    }
}

fn elements_mut(plan: &mut Plan, at: usize) -> Option<&mut Vec<Var>> {
    match plan.steps.get_mut(at) {
        Some(PlanStep::NewArray { elements, .. }) => Some(elements),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
