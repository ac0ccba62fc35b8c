//! What is covered, and whether anything is left to cover.

use super::{Aim, Search};
use cupping_case::Criterion;
use cupping_coverage::Goal;

/// Number of refutations after which the search no longer waits for a goal.
const VAIN: u32 = 4;

impl Search<'_> {
    /// Records further hits as covered.
    pub(super) fn cover(&mut self, hits: &[u64]) {
        cupping_coverage::merge(&mut self.hits, hits);
        self.goals = self.map.covered(&self.hits);
        self.count_covered();
    }

    pub(super) fn count_covered(&mut self) {
        let figures = self.map.coverage(0, &self.hits).map(|c| c.counters.branches);
        self.branches = figures.map_or((0, 0), |it| (it.covered, it.covered + it.missed));
        let all = (0..self.map.classes().len()).flat_map(|class| self.map.uncovered(class, &self.hits));
        let is_wanted = |goal: &Goal| self.aim.as_ref().is_none_or(|aim| aim.wants(goal));
        self.uncovered = all.filter(|(_, goal)| is_wanted(goal)).map(|(goal, _)| goal).collect();
        if let Some(aim) = &mut self.aim {
            aim.note_run(self.map, &self.hits);
        }
    }

    /// Whether all goals are covered or given up. There may always be more paths.
    pub(super) fn is_complete(&self) -> bool {
        !self.options.criteria.has(Criterion::Path)
            && self.aim.as_ref().is_none_or(Aim::is_run)
            && self.uncovered.iter().all(|goal| self.is_given_up(&self.map.goals()[goal.0 as usize]))
    }

    /// Whether a requirement is given up: it has been refuted often enough, or does not depend on inputs.
    pub(super) fn is_given_up(&self, goal: &Goal) -> bool {
        let Goal::Requirement { class, place, .. } = goal else { return false };
        let requirement = self.map.classes().get(*class).and_then(|class| class.requirements.get(*place));
        requirement.and_then(|it| it.probe).is_some_and(|probe| {
            let counts = self.counts.required(probe);
            counts.offered == 0 || counts.refuted + counts.timed_out >= VAIN
        })
    }
}
