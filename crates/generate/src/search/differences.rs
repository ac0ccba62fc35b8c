//! Sequences of calls that distinguish this version of the program from another one.
//!
//! First, the paths that the search has found are run on the other version as they are. Then, for each changed
//! method that shows no difference yet, both versions run as one product along the sequences that reach it,
//! from further states, and with further calls where the states differ but no result shows it. Only concrete
//! runs of both versions establish a difference ([`contrast()`]).

mod aimed_search;
mod bounded_proof;
mod end_differences;
mod findings;
mod generalisation;
mod later_arguments;
mod opponent;
mod samples;
mod smallest;

use super::Search;
use super::products::WORK_OF_RUN;
use crate::candidate::Candidate;
use crate::case_writer::CaseWriter;
use crate::comparison::{ComparisonVerdict, Difference};
use crate::outcome::Progress;
use crate::versions::{Contrast, DifferenceTest, contrast};
use bounded_proof::BoundedProof;
use cupping_explore::spent;
use cupping_machine::MethodId;
use findings::{Findings, Reaching};
pub(crate) use opponent::Opponent;
use samples::VersionSamples;
use smallest::smallest;
use std::collections::BTreeSet;

/// For each round: the share of the work, in percent, at which the search for paths ends; the share at which
/// the comparison ends; and the factor on the limits of the comparison.
const ROUNDS: [(u64, u64, usize); 4] = [(10, 25, 1), (35, 50, 3), (60, 75, 8), (80, 100, 20)];
/// The share of the work, in percent, that each round spends on a proof.
const PROOF: [u64; 4] = [5, 0, 0, 10];
/// The share of the work, in percent, that each round spends on samples.
const SAMPLES: [u64; 4] = [4, 8, 8, 10];
/// The share of the work, in percent, for which differences with fewer calls are looked for.
const SHORTENING: u64 = 10;

impl Search<'_> {
    /// Looks for sequences of calls that distinguish the two versions.
    pub fn differences_from(
        &mut self,
        opponent: &mut Opponent<'_>,
        writer: &mut CaseWriter<'_>,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Findings {
        // What was spent on objects of other classes is not part of the rounds.
        let (started, whole) = (opponent.started, opponent.limit);
        let part = |percent: u64| whole.saturating_sub(started) / 100 * percent;
        let mut along: Vec<Reaching> = Vec::new();
        let mut proof: Option<BoundedProof> = None;
        let mut samples = VersionSamples::new(self, opponent);
        let verdicts = opponent.changed.iter().map(|_| ComparisonVerdict::NotRun).collect();
        let mut found = Findings { verdicts, ..Findings::default() };
        for (round, (searched, compared, effort)) in ROUNDS.into_iter().enumerate() {
            if round > 0 {
                self.resume(started + part(searched), progress);
            }
            opponent.limit = started + part(compared);
            let fresh = self.fresh_candidates(opponent, &mut found);
            // A path that runs no changed code shows no difference, unless the other version adds methods.
            let runs_all = opponent.changed.iter().all(Option::is_some);
            let is_broken = opponent.version.is_broken();
            let all: BTreeSet<usize> = (0..opponent.changed.len()).collect();
            for (candidate, reached) in fresh.iter().filter(|it| !runs_all || is_broken || !it.1.is_empty()) {
                // Whatever a class runs, its initialiser runs before.
                let reached = if is_broken { &all } else { reached };
                if self.is_out_of_work(opponent) || !progress(self.progress()) {
                    break;
                }
                if !self.ends_alike(opponent, candidate) {
                    self.try_on_both(opponent, candidate, reached, writer, &mut found);
                }
            }
            along.extend(fresh);
            along.sort_by_key(|(it, _)| (it.plan.calls(), it.plan.steps.len()));
            opponent.limit = opponent.limit.min(self.work + part(SAMPLES[round]));
            self.try_version_samples(opponent, &mut samples, &along, writer, &mut found);
            opponent.limit = started + part(compared);
            // The search finds more differences for the same work, so most of it is left to that.
            opponent.limit = opponent.limit.min(self.work + part(PROOF[round]));
            if opponent.may_be_same(&found.verdicts) && !self.is_out_of_work(opponent) {
                let mut known = proof.take().unwrap_or_else(|| self.bounded_proof(opponent));
                self.prove_same(opponent, &mut known, &along, writer, &mut found);
                proof = Some(known);
            }
            opponent.limit = started + part(compared);
            for changed in 0..opponent.changed.len() {
                let is_run = !matches!(found.verdicts[changed], ComparisonVerdict::NotRun);
                if is_run
                    && found.verdicts[changed].is_open()
                    && !self.is_out_of_work(opponent)
                    && progress(self.progress())
                {
                    self.seek(opponent, changed, effort, &along, writer, &mut found);
                }
            }
            if !found.verdicts.iter().any(ComparisonVerdict::is_open)
                || self.is_late()
                || !progress(self.progress())
            {
                break;
            }
        }
        opponent.limit = self.work + part(SHORTENING);
        for changed in 0..opponent.changed.len() {
            self.shorten(opponent, changed, &along, writer, &mut found);
        }
        opponent.limit = whole;
        let kept = smallest(found.differences.drain(..).zip(found.shown_by.drain(..)).collect());
        for (mut difference, candidate) in kept {
            if !self.is_late() {
                difference.conditions = self.generalised(opponent, &candidate);
            }
            found.differences.push(difference);
        }
        self.machine.restore(&self.base);
        found
    }

    /// Compares all short sequences. A difference is tried, and without one the verdicts say how far the versions
    /// are the same.
    fn prove_same(
        &mut self,
        opponent: &mut Opponent<'_>,
        proof: &mut BoundedProof,
        along: &[Reaching],
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) {
        let all: BTreeSet<usize> = (0..opponent.changed.len()).collect();
        loop {
            let differing = self.prove(opponent, proof);
            if differing.is_empty() {
                break;
            }
            for attempt in differing {
                let Some(candidate) = self.follow_to_end(&opponent.bases.original, &attempt) else {
                    continue;
                };
                let runs = self.changed_methods_of(opponent, &candidate);
                let runs = if runs.is_empty() { &all } else { &runs };
                if self.try_on_both(opponent, &candidate, runs, writer, found) {
                    return;
                }
            }
        }
        let Some(bound) = proof.bound(self.options.max_elements) else { return };
        for (changed, verdict) in found.verdicts.iter_mut().enumerate() {
            let is_stronger = match verdict {
                // Sequences that do not run the method prove nothing.
                ComparisonVerdict::Open { .. } => {
                    along.iter().any(|(it, reached)| reached.contains(&changed) && proof.covers(it))
                }
                ComparisonVerdict::Same(known) => {
                    known.sequences.as_ref().is_some_and(|it| it.calls < proof.calls())
                }
                ComparisonVerdict::Differs | ComparisonVerdict::NotRun => false,
            };
            if is_stronger {
                *verdict = ComparisonVerdict::Same(bound.clone());
            }
        }
    }

    /// The candidates that the search has found since the last request, with the changed methods that they run.
    /// Candidates that run any come first.
    fn fresh_candidates(&mut self, opponent: &Opponent<'_>, found: &mut Findings) -> Vec<Reaching> {
        let candidates = std::mem::take(&mut self.candidates);
        let mut fresh: Vec<Reaching> = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let reached = self.changed_methods_of(opponent, &candidate);
            for changed in &reached {
                match &mut found.verdicts[*changed] {
                    ComparisonVerdict::Open { sequences, .. } => *sequences += 1,
                    known @ ComparisonVerdict::NotRun => {
                        *known = ComparisonVerdict::Open { sequences: 1, paths: 0 }
                    }
                    ComparisonVerdict::Differs | ComparisonVerdict::Same(_) => {}
                }
            }
            fresh.push((candidate, reached));
        }
        fresh.sort_by_key(|(it, reached)| (reached.is_empty(), it.plan.calls(), it.plan.steps.len()));
        fresh
    }

    /// Whether the clock demands an end, whatever work has been done.
    fn is_late(&self) -> bool {
        self.clock.is_over()
    }

    fn is_out_of_work(&self, opponent: &Opponent<'_>) -> bool {
        self.work > opponent.limit || self.is_late()
    }

    /// The changed methods that a candidate's run on the original enters.
    fn changed_methods_of(&self, opponent: &Opponent<'_>, candidate: &Candidate) -> BTreeSet<usize> {
        let under_test = candidate.plan.under_test().map(|it| it.method);
        self.changed_methods_run(opponent, &candidate.hits, under_test)
    }

    /// The changed methods that a run with these hits enters.
    fn changed_methods_run(
        &self,
        opponent: &Opponent<'_>,
        hits: &[u64],
        under_test: Option<MethodId>,
    ) -> BTreeSet<usize> {
        let is_run = |method: MethodId| {
            let loaded = self.machine.method(method);
            let name = &self.machine.class(loaded.class).name;
            let class = self.map.classes().iter().find(|it| it.name == *name);
            let known = class.and_then(|it| it.methods.iter().find(|it| it.index == loaded.index));
            // Code that coverage does not count may have run.
            known.is_none_or(|it| it.covered_ways(hits).is_some_and(|it| it.contains(&true)))
                || under_test == Some(method)
        };
        let changed = opponent.changed.iter().enumerate();
        changed.filter(|(_, method)| method.is_some_and(is_run)).map(|(at, _)| at).collect()
    }

    /// Runs a candidate on both versions with concrete inputs; returns whether they differ.
    fn try_on_both(
        &mut self,
        opponent: &mut Opponent<'_>,
        candidate: &Candidate,
        runs: &BTreeSet<usize>,
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) -> bool {
        let is_failing = candidate.thrown.as_ref().is_some_and(|it| it.is_failure());
        let Some(draft) = self.write(writer, candidate, is_failing) else { return false };
        let Opponent { version, influence, variations, .. } = opponent;
        let package = &self.subject.package;
        let begun = spent(self.machine);
        let contrasted = contrast(self.machine, influence, version, variations, &draft, package);
        self.work += WORK_OF_RUN;
        self.charge_runs(begun);
        let Some(DifferenceTest { what, case }) = contrasted else { return false };
        for changed in runs {
            found.verdicts[*changed] = ComparisonVerdict::Differs;
        }
        let mut old_case = draft.case;
        if let Contrast::Values(pairs) = &what {
            // Reports the distinguishing value even if the last call has not changed it.
            let is_new = |it: &&cupping_case::Assertion| !old_case.assertions.contains(it);
            let more: Vec<_> = pairs.iter().map(|(old, _)| old).filter(is_new).cloned().collect();
            old_case.assertions.extend(more);
        }
        found.shown_by.push(candidate.clone());
        found.differences.push(Difference {
            old_case,
            new_case: case,
            what,
            conditions: Vec::new(),
            runs: runs.clone(),
            breaks: Vec::new(),
            is_confirmed: false,
        });
        true
    }
}
