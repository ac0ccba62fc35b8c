//! Samples: calls with other inputs and further calls, run on both versions without the solver.
//!
//! A product decides for a few paths whether any input shows a difference; samples look at many paths, with one input
//! each. They find differences in deep loops, long texts and rare combinations of calls.

use super::super::Search;
use super::super::products::{Attempt, WORK_OF_RUN};
use super::super::samples::{Reduction, Samples};
use super::findings::{Findings, Reaching};
use super::opponent::Opponent;
use crate::case_writer::CaseWriter;
use crate::comparison::ComparisonVerdict;
use crate::mutation::Vocabulary;
use crate::versions::{Alternative, Comparison, Extent, Image};
use std::collections::BTreeSet;

/// Fuel of a sample on the original: at first, and at most, if samples do not end.
const FUEL: [u64; 2] = [300_000, 10_000_000];
/// Fuel of a sample on the other version in addition to five times that of the original.
const MORE_FUEL: u64 = 50_000;
/// Limit on the samples in a round that differ without a difference that a test shows.
const MAX_REFUSED: usize = 20;
/// Limit on the samples in a row whose last call is not one under test.
const MAX_IMPOSSIBLE: usize = 100;
/// One in this many samples varies any sequence; the others vary one that runs changed code, or whose variant ended in
/// different states.
const ANY: usize = 4;

/// The sequences that are varied.
pub(super) struct VersionSamples {
    samples: Samples,
    /// The sequences that are varied most.
    favoured: Vec<usize>,
    /// Fuel of a sample on the original.
    fuel: u64,
}

/// How the versions end after a sample.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SampleContrast {
    /// The original did not end.
    Endless,
    /// Alike.
    Same,
    /// In states that callers do not tell apart yet.
    State,
    /// Callers see a difference.
    Visible,
}

impl VersionSamples {
    /// No sequences yet. The values that are tried come from the code of both versions.
    pub(super) fn new(search: &mut Search<'_>, opponent: &Opponent<'_>) -> VersionSamples {
        let names: Vec<_> = search.map.classes().iter().map(|it| it.name.clone()).collect();
        let mut classes: Vec<_> = names.iter().filter_map(|it| search.machine.loaded(it)).collect();
        let seed = search.options.seed;
        let theirs = opponent.version.on(search.machine, |machine| {
            names.iter().filter_map(|it| machine.loaded(it)).collect::<Vec<_>>()
        });
        classes.extend(theirs);
        let vocabulary = Vocabulary::of(search.machine, &classes, seed);
        VersionSamples { samples: Samples::new(vocabulary), favoured: Vec::new(), fuel: FUEL[0] }
    }

    fn add(&mut self, search: &Search<'_>, along: &[Reaching]) {
        let known = self.samples.all.len();
        let reaching = along.iter().filter(|(_, reached)| !reached.is_empty());
        self.samples.add_candidates(reaching.map(|(candidate, _)| candidate));
        self.favoured.extend(known..self.samples.all.len());
        self.samples.add_states(search);
    }

    fn favour(&mut self, sample: Attempt) {
        let at = self.samples.all.len();
        if self.samples.add(sample) {
            self.favoured.push(at);
        }
    }

    fn next(&mut self) -> Option<usize> {
        let all = self.samples.all.len();
        if all == 0 {
            return None;
        }
        let vocabulary = &mut self.samples.vocabulary;
        if self.favoured.is_empty() || vocabulary.below(ANY) == 0 {
            return Some(vocabulary.below(all));
        }
        Some(self.favoured[vocabulary.below(self.favoured.len())])
    }
}

impl Search<'_> {
    /// Runs samples until the work is spent, or no changed method is left without a difference.
    pub(super) fn try_version_samples(
        &mut self,
        opponent: &mut Opponent<'_>,
        samples: &mut VersionSamples,
        along: &[Reaching],
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) {
        samples.add(self, along);
        let (mut refused, mut impossible) = (0, 0);
        while refused < MAX_REFUSED
            && impossible < MAX_IMPOSSIBLE
            && found.verdicts.iter().any(ComparisonVerdict::is_open)
            && !self.is_out_of_work(opponent)
        {
            let Some(at) = samples.next() else { return };
            let sample = self.sample(&mut samples.samples, at);
            self.work += WORK_OF_RUN / 3;
            if !self.ends_under_test(&sample.plan) {
                impossible += 1;
                continue;
            }
            impossible = 0;
            match self.contrast_of_sample(opponent, &sample, samples.fuel) {
                SampleContrast::Same => {}
                SampleContrast::Endless => samples.fuel = FUEL[1].min(samples.fuel * 2),
                SampleContrast::State => samples.favour(sample),
                SampleContrast::Visible => {
                    let is_find = self.try_sample_on_both(opponent, samples, &sample, writer, found);
                    refused += usize::from(!is_find);
                }
            }
        }
    }

    /// Shortens a sample on which the versions differ, and tries it as a test.
    fn try_sample_on_both(
        &mut self,
        opponent: &mut Opponent<'_>,
        samples: &VersionSamples,
        sample: &Attempt,
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) -> bool {
        let base = opponent.bases.original.clone();
        let Some(candidate) = self.follow_to_end(&base, sample) else { return false };
        let versions = &*opponent;
        let (how, fuel) = ((Reduction::Smallest, &samples.samples.vocabulary), samples.fuel);
        let candidate = self.reduced(&base, how, candidate, &mut |search, shorter| {
            search.ends_under_test(&shorter.plan)
                && search.contrast_of_sample(versions, &Attempt::of(shorter), fuel) == SampleContrast::Visible
        });
        let mut runs = self.changed_methods_of(opponent, &candidate);
        runs.retain(|at| found.verdicts[*at].is_open());
        let all: BTreeSet<usize> = (0..opponent.changed.len()).collect();
        let is_known = runs.is_empty() && opponent.changed.iter().all(Option::is_some);
        let runs = if runs.is_empty() { &all } else { &runs };
        !is_known && self.try_on_both(opponent, &candidate, runs, writer, found)
    }

    fn contrast_of_sample(&mut self, opponent: &Opponent<'_>, sample: &Attempt, fuel: u64) -> SampleContrast {
        let extents = [Extent::Visible, Extent::State];
        self.machine.restore(&opponent.bases.original);
        let Some(original) = self.ends_of_sample(sample, &sample.plan, extents, fuel) else {
            return SampleContrast::Endless;
        };
        let version = opponent.version.clone();
        self.machine.restore(version.start());
        version.install(self.machine);
        let translated = version.plan(self.machine, &sample.plan);
        let fuel = MORE_FUEL + 5 * original.fuel;
        let other = translated.map(|plan| self.ends_of_sample(sample, &plan, extents, fuel));
        let contrast = match other {
            // The version lacks a member that the calls need.
            None => SampleContrast::Same,
            // It may be endless, which a longer run decides.
            Some(None) => SampleContrast::Visible,
            Some(Some(other)) => {
                let is_same = |extent: usize| {
                    let (one, other) = (original.images[extent].as_ref(), other.images[extent].as_ref());
                    Image::compare(self.machine, &sample.model, one, other) == Comparison::Same
                };
                match (is_same(0), is_same(1)) {
                    (false, _) => SampleContrast::Visible,
                    (true, false) => SampleContrast::State,
                    (true, true) => SampleContrast::Same,
                }
            }
        };
        version.remove(self.machine);
        contrast
    }
}
