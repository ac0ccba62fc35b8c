//! Which mutants a test detects, and which tests are needed.

use super::fewest::fewest;
use super::{MutantSearch, Search};
use crate::case_writer::Draft;
use crate::mutation::{Fate, Notice, notice};
use crate::versions::Version;
use cupping_case::Criterion;
use cupping_coverage::{GoalId, merge};
use cupping_explore::spent;
use cupping_machine::DefUse;
use std::collections::{BTreeMap, BTreeSet};

/// The bytecode of a changed method that is decoded, for each run anew, in a microsecond.
const BYTES_OF_MICROSECOND: u64 = 10;
/// The work of running a test on a mutant, in addition to its instructions.
const WORK_OF_JUDGING: u64 = 50;

impl Search<'_> {
    /// Runs a test on the open mutants that it reaches, and adds the assertions that detect more. Returns
    /// whether it detects any.
    pub(super) fn judge(
        &mut self,
        aim: &mut MutantSearch,
        draft: &mut Draft,
        place: usize,
        reached: &[usize],
    ) -> bool {
        if draft.is_failing {
            return false;
        }
        let mut is_useful = false;
        let mut only_with: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut hidden = Vec::new();
        for at in reached.iter().copied().filter(|at| aim.targets.is_open(*at)).collect::<Vec<_>>() {
            if self.is_out_of_budget(aim) {
                let fate = &mut aim.targets.all[at].fate;
                *fate = if *fate == Fate::NotReached { Fate::Untried } else { *fate };
                continue;
            }
            aim.targets.all[at].fate = Fate::Unnoticed;
            let version = aim.targets.all[at].version.clone();
            match self.notices(aim, draft, &version) {
                Some(Notice::AsItIs) => {
                    aim.credit(at, place);
                    is_useful = true;
                }
                Some(Notice::With(assertions)) => {
                    only_with.insert(at, assertions);
                }
                Some(Notice::Hidden) => hidden.push(at),
                None => {}
            }
        }
        is_useful |= !only_with.is_empty();
        amend(aim, draft, place, only_with);
        if !hidden.is_empty() {
            aim.hidden.push((place, hidden));
        }
        if is_useful {
            aim.last_find = self.work;
        }
        is_useful
    }

    pub(super) fn notices(&mut self, aim: &MutantSearch, draft: &Draft, version: &Version) -> Option<Notice> {
        let begun = spent(self.machine);
        let (machine, influence) = (&mut *self.machine, &mut self.influence);
        let noticed = notice(machine, influence, &aim.bases, draft, version, &self.subject.package);
        self.work += WORK_OF_JUDGING;
        self.charge_version(version);
        self.charge_run(begun);
        noticed
    }

    /// Charges what it takes to run a version, apart from the instructions that it executes.
    pub(super) fn charge_version(&mut self, version: &Version) {
        self.work += version.body.bytecode.len() as u64 / BYTES_OF_MICROSECOND;
    }

    /// Drops the tests whose coverage, data flow and detected mutants other tests share, long ones first.
    pub(super) fn drop_superseded(&mut self, aim: &mut MutantSearch, drafts: &mut Vec<Draft>) {
        let has_other_goals = self
            .options
            .criteria
            .reported()
            .iter()
            .any(|it| !matches!(it, Criterion::Line | Criterion::Branch | Criterion::Mutation));
        if has_other_goals {
            self.note_credits(aim, drafts);
            return;
        }
        let goals: Vec<_> = drafts.iter().map(|it| self.map.covered(&it.coverage.hits)).collect();
        let mut covering: BTreeMap<GoalId, u32> = BTreeMap::new();
        let passing = |at: &usize| !drafts[*at].is_failing;
        for at in (0..drafts.len()).filter(passing) {
            goals[at].iter().for_each(|goal| *covering.entry(goal).or_default() += 1);
        }
        let mut exercising: BTreeMap<DefUse, u32> = BTreeMap::new();
        for at in (0..drafts.len()).filter(passing) {
            drafts[at].candidate.pairs.iter().for_each(|pair| *exercising.entry(*pair).or_default() += 1);
        }
        let mut order: Vec<usize> = (0..drafts.len()).filter(passing).collect();
        order.sort_by_key(|at| std::cmp::Reverse((drafts[*at].realized.plan.steps.len(), *at)));
        let mut dropped: BTreeSet<usize> = BTreeSet::new();
        for at in order {
            let is_covered = goals[at].iter().all(|goal| covering.get(&goal).is_some_and(|count| *count > 1));
            let pairs = drafts[at].candidate.pairs.clone();
            let is_exercised = pairs.iter().all(|pair| exercising.get(pair).is_some_and(|count| *count > 1));
            if !is_covered || !is_exercised || drafts[at].candidate.remembered.is_some() {
                continue;
            }
            if self.take_over(aim, drafts, at, &dropped) {
                goals[at].iter().for_each(|goal| *covering.entry(goal).or_default() -= 1);
                pairs.iter().for_each(|pair| *exercising.entry(*pair).or_default() -= 1);
                dropped.insert(at);
            }
        }
        self.note_credits(aim, drafts);
        let mut place = 0;
        drafts.retain(|_| {
            place += 1;
            !dropped.contains(&(place - 1))
        });
    }

    /// Records for each test the mutants that it is credited with, in code order.
    fn note_credits(&self, aim: &MutantSearch, drafts: &mut [Draft]) {
        for (target, draft) in &aim.noticed_by {
            let note = aim.targets.note(*target, self.map, self.machine);
            drafts[*draft].coverage.noticed.push(note);
        }
    }

    /// Credits the mutants that a test detects to other tests; returns whether all of them are credited.
    pub(super) fn take_over(
        &mut self,
        aim: &mut MutantSearch,
        drafts: &[Draft],
        from: usize,
        dropped: &BTreeSet<usize>,
    ) -> bool {
        let of = |(target, by): (&usize, &usize)| (*by == from).then_some(*target);
        let targets: Vec<usize> = aim.noticed_by.iter().filter_map(of).collect();
        let mut takers = Vec::new();
        for target in targets {
            let version = aim.targets.all[target].version.clone();
            let others = (0..drafts.len()).filter(|at| *at != from && !dropped.contains(at));
            let mut taker = None;
            for other in others.filter(|at| !drafts[*at].is_failing).collect::<Vec<_>>() {
                if self.is_out_of_budget(aim) {
                    return false;
                }
                let is_reached = aim.by_drafts[other].binary_search(&target).is_ok();
                if is_reached && self.notices(aim, &drafts[other], &version) == Some(Notice::AsItIs) {
                    taker = Some((target, other));
                    break;
                }
            }
            let Some(taker) = taker else { return false };
            takers.push(taker);
        }
        aim.noticed_by.extend(takers);
        true
    }
}

/// Adds the fewest assertions that detect these mutants, most effective first.
fn amend(aim: &mut MutantSearch, draft: &mut Draft, place: usize, only_with: BTreeMap<usize, Vec<usize>>) {
    only_with.keys().for_each(|target| aim.credit(*target, place));
    let added = fewest(only_with);
    let unchanged = std::mem::take(&mut draft.unchanged).into_iter().enumerate();
    let (chosen, rest): (Vec<_>, Vec<_>) = unchanged.partition(|(at, _)| added.contains(at));
    for (_, assertion) in chosen {
        let hits = draft.unchanged_hits.iter().filter(|it| it.0 == assertion.probe);
        hits.for_each(|it| merge(&mut draft.coverage.hits, &it.1));
        draft.case.assertions.push(assertion);
    }
    draft.unchanged = rest.into_iter().map(|(_, it)| it).collect();
}
