//! Test selection: a small set of candidates, each of which adds coverage (greedy set cover).

use crate::candidate::Candidate;
use crate::options::GenerateOptions;
use cupping_case::{Blame, Criterion};
use cupping_coverage::{CoverageMap, Goal, GoalId, GoalSet};
use cupping_machine::{DefUse, MethodId};
use std::collections::{BTreeMap, BTreeSet};

/// Indices of the selected candidates; those that add most come first.
#[derive(Debug, Default)]
pub struct Choice {
    /// Those that describe behaviour.
    pub kept: Vec<usize>,
    /// Those that reveal a likely bug.
    pub failing: Vec<usize>,
}

/// Limit on the selected tests.
const MAX_TESTS: usize = 1000;

/// Selects greedily the candidate that adds most goals, the shorter one in case of a tie; then drops
/// candidates that the others make redundant. All tests of an earlier run are kept and come first. Without
/// explicit criteria, tests for new definition-use pairs between invocations follow. One test per kind of
/// failure comes last.
pub fn choose(
    candidates: &[Candidate],
    map: &CoverageMap,
    base: &[u64],
    options: &GenerateOptions,
) -> Choice {
    let goals = Goals::new(candidates, map, options);
    let mut choice = Choice::default();
    let known = map.covered(base);
    let mut covered = known.clone();
    let mut open: Vec<usize> = (0..candidates.len()).filter(|at| !is_failure(&candidates[*at])).collect();
    // Tests of an earlier run are always kept.
    let remembered = open.extract_if(.., |at| candidates[*at].remembered.is_some());
    choice.kept.extend(remembered);
    choice.kept.iter().for_each(|at| covered.union(&goals.of[*at]));
    while choice.kept.len() < MAX_TESTS {
        let gain = |at: usize| goals.weight(&goals.of[at].difference(&covered));
        open.retain(|at| gain(*at) > 0);
        let best =
            open.iter().copied().max_by_key(|at| (gain(*at), std::cmp::Reverse(cost(candidates, *at))));
        let Some(best) = best else { break };
        covered.union(&goals.of[best]);
        open.retain(|at| *at != best);
        choice.kept.push(best);
    }
    drop_redundant(candidates, &goals, &known, &mut choice.kept);
    if options.criteria.has_data_flow() {
        choose_for_data_flow(candidates, &mut choice, options.max_data_flow_tests);
    }
    choose_failures(candidates, &mut choice, &goals, &covered, options);
    choice
}

/// The goals that each candidate covers.
struct Goals {
    of: Vec<GoalSet>,
    /// The weight of each goal.
    weights: Vec<u32>,
}

impl Goals {
    /// The goals of the map keep their numbers; exceptions, methods and paths get the following ones.
    fn new(candidates: &[Candidate], map: &CoverageMap, options: &GenerateOptions) -> Goals {
        let criteria = &options.criteria;
        let weight = |goal: &Goal| match goal {
            Goal::Line { .. } => u32::from(criteria.has(Criterion::Line)),
            Goal::Branch { .. } if !criteria.has(Criterion::Branch) => 0,
            _ => 2,
        };
        let mut weights: Vec<u32> = map.goals().iter().map(weight).collect();
        let (mut exceptions, mut paths, mut methods) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        // Without line numbers, only branches are left, which many methods do not have.
        let has_lines = map.goals().iter().any(|goal| matches!(goal, Goal::Line { .. }));
        let counts_methods = !has_lines && criteria.has(Criterion::Line);
        let mut number = |known: Option<u32>| {
            known.unwrap_or_else(|| {
                weights.push(2);
                weights.len() as u32 - 1
            })
        };
        let mut of = Vec::new();
        for candidate in candidates {
            let mut goals = map.covered(&candidate.hits);
            if let Some(thrown) = candidate.thrown.as_ref().filter(|_| criteria.has(Criterion::Exception)) {
                let key = (&thrown.class, thrown.place);
                let goal = number(exceptions.get(&key).copied());
                exceptions.insert(key, goal);
                goals.insert(GoalId(goal));
            }
            if counts_methods && !is_failure(candidate) {
                let key = candidate.path_taken().0;
                let goal = number(methods.get(&key).copied());
                methods.insert(key, goal);
                goals.insert(GoalId(goal));
            }
            if criteria.has(Criterion::Path) {
                let key = candidate.path_taken();
                let goal = number(paths.get(&key).copied());
                paths.insert(key, goal);
                goals.insert(GoalId(goal));
            }
            of.push(goals);
        }
        Goals { of, weights }
    }

    fn weight(&self, goals: &GoalSet) -> u32 {
        goals.iter().map(|goal| self.worth(goal)).sum()
    }

    fn worth(&self, goal: GoalId) -> u32 {
        self.weights.get(goal.0 as usize).copied().unwrap_or(0)
    }
}

fn cost(candidates: &[Candidate], at: usize) -> (usize, usize, usize) {
    (candidates[at].plan.calls(), candidates[at].plan.steps.len(), at)
}

/// Drops candidates whose goals others cover, longest first: a candidate selected early may become redundant
/// through later ones.
fn drop_redundant(candidates: &[Candidate], goals: &Goals, known: &GoalSet, kept: &mut Vec<usize>) {
    let needed = |at: usize| {
        let own = goals.of[at].difference(known);
        own.iter().filter(|goal| goals.worth(*goal) > 0).collect::<Vec<GoalId>>()
    };
    let mut covering: BTreeMap<GoalId, u32> = BTreeMap::new();
    for at in kept.iter() {
        needed(*at).into_iter().for_each(|goal| *covering.entry(goal).or_default() += 1);
    }
    let mut order = kept.clone();
    order.sort_by_key(|at| std::cmp::Reverse(cost(candidates, *at)));
    for at in order.into_iter().filter(|at| candidates[*at].remembered.is_none()) {
        let own = needed(at);
        if own.iter().all(|goal| covering.get(goal).is_some_and(|count| *count > 1)) {
            own.iter().for_each(|goal| *covering.entry(*goal).or_default() -= 1);
            kept.retain(|it| *it != at);
        }
    }
}

fn choose_for_data_flow(candidates: &[Candidate], choice: &mut Choice, most: usize) {
    let mut exercised: BTreeSet<DefUse> =
        choice.kept.iter().flat_map(|at| candidates[*at].pairs.iter().copied()).collect();
    // Methods with tests of an earlier run already have data-flow tests.
    let under_test = |c: &Candidate| c.path_taken().0;
    let had: BTreeSet<MethodId> =
        candidates.iter().filter(|c| c.remembered.is_some()).map(under_test).collect();
    let useful = |c: &Candidate| !is_failure(c) && !c.is_pure && !had.contains(&under_test(c));
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

/// One failing input for each fault and blame, the clearest one; for each path, if paths are requested. The
/// most likely defects come first. Further inputs follow if they cover something new: likely defects, and broken
/// preconditions if these are written.
fn choose_failures(
    candidates: &[Candidate],
    choice: &mut Choice,
    goals: &Goals,
    covered: &GoalSet,
    options: &GenerateOptions,
) {
    let by_path = options.criteria.has(Criterion::Path);
    let may_follow = |blame: Blame| blame == Blame::Defect || options.writes_preconditions();
    let mut seen = BTreeSet::new();
    let mut covered = covered.clone();
    let mut order: Vec<usize> = (0..candidates.len()).filter(|at| is_failure(&candidates[*at])).collect();
    let grade = |at: usize| {
        let Candidate { thrown, driver, model, .. } = &candidates[at];
        thrown.as_ref().map(|it| it.grade(driver, model))
    };
    order.sort_by_key(|at| (candidates[*at].remembered.is_none(), grade(*at), cost(candidates, *at)));
    let (mut first, mut further) = (Vec::new(), Vec::new());
    for at in order {
        let path = by_path.then(|| candidates[at].path_taken());
        let Some(thrown) = &candidates[at].thrown else { continue };
        let is_new = seen.insert((thrown.fault(), thrown.cause.as_ref().map(|it| it.blame), path));
        if is_new || candidates[at].remembered.is_some() {
            covered.union(&goals.of[at]);
            first.push(at);
        } else if thrown.cause.as_ref().is_some_and(|it| may_follow(it.blame)) {
            further.push(at);
        }
    }
    for at in further {
        if goals.weight(&goals.of[at].difference(&covered)) > 0 {
            covered.union(&goals.of[at]);
            first.push(at);
        }
    }
    first.truncate(MAX_TESTS);
    choice.failing = first;
}

fn is_failure(candidate: &Candidate) -> bool {
    candidate.thrown.as_ref().is_some_and(|t| t.is_failure())
}

#[cfg(test)]
mod tests;
