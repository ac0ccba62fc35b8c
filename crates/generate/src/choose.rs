//! Choice of tests: few, each of which adds something.

use crate::options::Options;
use crate::search::Candidate;
use cupping_machine::DefUse;
use cupping_machine::coverage::{CoverageMap, GoalSet};
use std::collections::BTreeSet;

/// Positions of the candidates that are kept.
#[derive(Debug, Default)]
pub struct Choice {
    /// Those that describe behaviour.
    pub kept: Vec<usize>,
    /// Those that end in a likely bug.
    pub failing: Vec<usize>,
}

/// Chooses greedily: the candidate that adds most lines and branches to those chosen, the shorter of equals;
/// then those that exercise definition-use pairs between invocations that none does yet; then one for each
/// kind of failure.
pub fn choose(candidates: &[Candidate], map: &CoverageMap, base: &[u64], options: &Options) -> Choice {
    let goals: Vec<GoalSet> = candidates.iter().map(|c| map.covered(&c.hits)).collect();
    let mut choice = Choice::default();
    let mut covered = map.covered(base);
    let mut open: Vec<usize> = (0..candidates.len()).filter(|at| !is_failure(&candidates[*at])).collect();
    loop {
        let gain = |at: usize| {
            let gain = map.gain(&goals[at], &covered);
            2 * gain.branches + gain.lines
        };
        let best = open.iter().copied().filter(|at| gain(*at) > 0).max_by_key(|at| {
            let cost = (candidates[*at].plan.calls(), candidates[*at].plan.steps.len(), *at);
            (gain(*at), std::cmp::Reverse(cost))
        });
        let Some(best) = best else { break };
        covered.union(&goals[best]);
        open.retain(|at| *at != best);
        choice.kept.push(best);
    }
    choose_for_data_flow(candidates, &mut choice, options.max_data_flow_tests);
    choose_failures(candidates, &mut choice);
    choice
}

fn choose_for_data_flow(candidates: &[Candidate], choice: &mut Choice, most: usize) {
    let mut exercised: BTreeSet<DefUse> =
        choice.kept.iter().flat_map(|at| candidates[*at].pairs.iter().copied()).collect();
    let useful = |c: &Candidate| !is_failure(c) && !c.is_pure;
    let mut order: Vec<usize> = (0..candidates.len()).filter(|at| useful(&candidates[*at])).collect();
    order.sort_by_key(|at| (candidates[*at].plan.calls(), *at));
    let mut added = 0;
    for at in order {
        let between = |p: &&DefUse| p.definition.method != p.usage.method || candidates[at].plan.calls() > 1;
        if added < most && candidates[at].pairs.iter().filter(between).any(|p| !exercised.contains(p)) {
            exercised.extend(candidates[at].pairs.iter().copied());
            choice.kept.push(at);
            added += 1;
        }
    }
}

fn choose_failures(candidates: &[Candidate], choice: &mut Choice) {
    let mut seen = BTreeSet::new();
    let mut order: Vec<usize> = (0..candidates.len()).filter(|at| is_failure(&candidates[*at])).collect();
    order.sort_by_key(|at| (candidates[*at].plan.calls(), candidates[*at].plan.steps.len(), *at));
    for at in order {
        if let Some(thrown) = &candidates[at].thrown
            && seen.insert((thrown.class.clone(), thrown.place))
        {
            choice.failing.push(at);
        }
    }
}

fn is_failure(candidate: &Candidate) -> bool {
    candidate.thrown.as_ref().is_some_and(|t| t.is_failure)
}
