//! Splits conjunctions, drops or refutes trivial assertions, and tries the hint.

use cupping_term::{Model, Op, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::Answer;

/// Leaves only distinct assertions that are neither conjunctions nor constants.
pub struct Simplify;

impl Layer for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, rest: &mut LowerLayers<'_>) -> LayerVerdict {
        let parts = conjuncts(cx.terms, &goal.assertions);
        let mut origin_of: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut simple: Vec<TermId> = Vec::new();
        let mut origins: Vec<usize> = Vec::new();
        for (part, origin) in parts {
            match cx.terms.as_constant(part) {
                Some(0) => return LayerVerdict::Own(Answer::Unsat { core: vec![origin] }),
                Some(_) => continue,
                None => {}
            }
            let opposite = cx.terms.not(part);
            if let Some(&other) = origin_of.get(&opposite) {
                return LayerVerdict::Own(Answer::Unsat { core: ascending(vec![other, origin]) });
            }
            if let std::collections::hash_map::Entry::Vacant(entry) = origin_of.entry(part) {
                entry.insert(origin);
                simple.push(part);
                origins.push(origin);
            }
        }
        if cx.evaluator.all_hold(cx.terms, &goal.hint, &simple) {
            return LayerVerdict::Own(Answer::Sat(Model::clone(&goal.hint)));
        }
        let changed = Goal { assertions: simple, hint: goal.hint.clone() };
        LayerVerdict::Passed(match rest.solve(cx, &changed) {
            Answer::Unsat { core } => Answer::Unsat {
                core: ascending(core.into_iter().map(|position| origins[position]).collect()),
            },
            other => other,
        })
    }
}

pub(super) fn ascending(mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// The conjuncts of the assertions, with `a && b` and `!(a || b)` split, each with the index of its
/// assertion.
fn conjuncts(terms: &mut Terms, assertions: &[TermId]) -> Vec<(TermId, usize)> {
    let mut out = Vec::new();
    for (origin, &assertion) in assertions.iter().enumerate() {
        let mut stack = vec![assertion];
        while let Some(term) = stack.pop() {
            match *terms.get(term) {
                Term::Apply { op: Op::And, sort: Sort::Bool, args: [a, b, _] } => stack.extend([b, a]),
                Term::Apply { op: Op::Not, args: [inner, ..], .. } => match *terms.get(inner) {
                    Term::Apply { op: Op::Or, sort: Sort::Bool, args: [a, b, _] } => {
                        let (a, b) = (terms.not(a), terms.not(b));
                        stack.extend([b, a]);
                    }
                    _ => out.push((term, origin)),
                },
                _ => out.push((term, origin)),
            }
        }
    }
    out
}
