//! Replaces tests without assertions: another candidate with the same coverage may have some.

use super::Search;
use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use cupping_case::{Criterion, Outcome};
use cupping_coverage::{Goal, GoalId, GoalSet};

/// Limit on the candidates that are tried as a replacement of one test.
const MAX_TRIED: usize = 6;

impl Search<'_> {
    /// Drops tests that assert nothing and cover no goal of their own. Those that do cover such goals are
    /// replaced by candidates with assertions where possible.
    pub fn replace_blind(&mut self, writer: &mut CaseWriter<'_>, drafts: &mut Vec<Draft>) {
        let counts_coverage =
            |it: &Criterion| matches!(it, Criterion::Line | Criterion::Branch | Criterion::Mutation);
        // If there are no line numbers, a test counts for its method.
        let has_lines = self.map.goals().iter().any(|goal| matches!(goal, Goal::Line { .. }));
        if !has_lines || !self.options.criteria.reported().iter().all(counts_coverage) {
            return;
        }
        let mut at = 0;
        while at < drafts.len() {
            if !is_blind(&drafts[at]) {
                at += 1;
                continue;
            }
            let needed = self.needed(drafts, at);
            let is_replaceable = drafts[at].candidate.remembered.is_none();
            if is_replaceable && needed.is_empty() {
                drafts.remove(at);
                continue;
            }
            if is_replaceable && let Some(other) = self.replacement(writer, &drafts[at], &needed) {
                drafts[at] = other;
            }
            at += 1;
        }
    }

    /// The goals that only this test covers.
    fn needed(&self, drafts: &[Draft], at: usize) -> Vec<GoalId> {
        let mut others = self.map.covered(&[]);
        for (other, draft) in drafts.iter().enumerate() {
            if other != at && !draft.is_failing {
                others.union(&self.map.covered(&draft.coverage.hits));
            }
        }
        self.map.covered(&drafts[at].coverage.hits).difference(&others).iter().collect()
    }

    /// A candidate that covers these goals and shows something, written down.
    fn replacement(
        &mut self,
        writer: &mut CaseWriter<'_>,
        blind: &Draft,
        needed: &[GoalId],
    ) -> Option<Draft> {
        let covers = |goals: &GoalSet| needed.iter().all(|goal| goals.contains(*goal));
        let mut others: Vec<usize> = (0..self.candidates.len())
            .filter(|at| {
                let it = &self.candidates[*at];
                let is_failure = it.thrown.as_ref().is_some_and(|thrown| thrown.is_failure());
                !is_failure && !is_same(it, &blind.candidate) && covers(&self.map.covered(&it.hits))
            })
            .collect();
        let own = blind.candidate.path_taken().0;
        others.sort_by_key(|at| {
            let plan = &self.candidates[*at].plan;
            (self.candidates[*at].path_taken().0 != own, plan.calls(), plan.steps.len(), *at)
        });
        for at in others.into_iter().take(MAX_TRIED) {
            let candidate = self.candidates[at].clone();
            let Some(draft) = self.write(writer, &candidate, false) else { continue };
            if !is_blind(&draft) && covers(&self.map.covered(&draft.coverage.hits)) {
                return Some(draft);
            }
        }
        None
    }
}

/// Whether a test shows only that its call returns.
fn is_blind(draft: &Draft) -> bool {
    draft.case.assertions.is_empty() && draft.case.outcome == Outcome::Returned && !draft.is_failing
}

fn is_same(one: &Candidate, other: &Candidate) -> bool {
    std::rc::Rc::ptr_eq(&one.plan, &other.plan) && one.path.signature() == other.path.signature()
}
