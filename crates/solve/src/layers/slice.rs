//! Independence: assertions that share no variables are solved separately.

use cupping_term::{Model, TermId, Terms, VarIndex};
use rustc_hash::FxHashMap;

use super::simplify::ascending;
use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::Answer;

/// Solves each connected group of assertions separately; a group that the hint satisfies keeps its values.
pub struct Slice;

impl Layer for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, rest: &mut LowerLayers<'_>) -> LayerVerdict {
        let mut model = Model::new();
        for group in groups(cx.terms, &goal.assertions) {
            let assertions: Vec<TermId> = group.iter().map(|&position| goal.assertions[position]).collect();
            if cx.evaluator.all_hold(cx.terms, &goal.hint, &assertions) {
                for &variable in assertions.iter().flat_map(|&a| cx.terms.variables(a)) {
                    model.set(variable, goal.hint.get(variable));
                }
                continue;
            }
            match rest.solve(cx, &Goal { assertions, hint: goal.hint.clone() }) {
                Answer::Sat(found) => model.extend(&found),
                Answer::Unsat { core } => {
                    let core = ascending(core.into_iter().map(|position| group[position]).collect());
                    return LayerVerdict::Passed(Answer::Unsat { core });
                }
                unknown @ Answer::Unknown(_) => return LayerVerdict::Passed(unknown),
            }
        }
        LayerVerdict::Passed(Answer::Sat(model))
    }
}

/// Assertion indices grouped by shared variables, each group ascending, ordered by first index.
fn groups(terms: &Terms, assertions: &[TermId]) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..assertions.len()).collect();
    let mut first: FxHashMap<VarIndex, usize> = FxHashMap::default();
    for (position, &assertion) in assertions.iter().enumerate() {
        for &variable in terms.variables(assertion) {
            let other = *first.entry(variable).or_insert(position);
            let (a, b) = (root(&mut parent, other), root(&mut parent, position));
            // The smaller index stays the root, so that groups are ordered by their first assertion.
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); assertions.len()];
    for position in 0..assertions.len() {
        let root = root(&mut parent, position);
        groups[root].push(position);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn root(parent: &mut [usize], mut position: usize) -> usize {
    while parent[position] != position {
        parent[position] = parent[parent[position]];
        position = parent[position];
    }
    position
}
