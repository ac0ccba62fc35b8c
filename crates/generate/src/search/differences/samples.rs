//! Samples: calls with other inputs and further calls, run on both versions without the solver.
//!
//! A product decides for a few paths whether any input shows a difference; samples look at many paths, with one input
//! each. They find differences in deep loops, long texts and rare combinations of calls. Samples that cover code which
//! none covered before are varied in turn, as in grey-box fuzzing.

use super::super::Search;
use super::super::products::{Attempt, WORK_OF_RUN};
use super::super::samples::{Reduction, Samples};
use super::findings::{Findings, Reaching};
use super::opponent::Opponent;
use crate::candidate::Candidate;
use crate::case_writer::CaseWriter;
use crate::comparison::ComparisonVerdict;
use crate::mutation::Vocabulary;
use crate::versions::{Alternative, Comparison, Extent, Image};
use cupping_explore::InvocationEnd;
use cupping_machine::MethodId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Fuel of a sample on the original: at first, and at most, if samples do not end.
const FUEL: [u64; 2] = [300_000, 10_000_000];
/// Fuel of a sample on the other version in addition to five times that of the original.
const MORE_FUEL: u64 = 50_000;
/// Limit on the samples in a round that differ without a difference that a test shows.
const MAX_REFUSED: usize = 20;
/// Limit on the samples in a row whose last call is not one under test.
const MAX_IMPOSSIBLE: usize = 100;
/// One in this many samples varies any sequence, and one in this many those that ran new code; the others vary
/// sequences that run changed code.
const ANY: usize = 4;
/// Limit on the samples with the same calls that are kept because the states differ.
const MAX_ALIKE: usize = 3;

/// Limit on the sequences that are varied.
const MAX_SEQUENCES: usize = 1000;
/// The number of sequences of a kind that were kept last, of which every other sample varies one.
const LATEST: usize = 24;

/// The sequences that are varied.
pub(super) struct VersionSamples {
    samples: Samples,
    /// The sequences that run changed code, of which those that led to different states come last.
    favoured: Vec<usize>,
    /// The sequences that ran code which none had run before.
    novel: Vec<usize>,
    /// The number of samples that were kept because the states differ, by their calls.
    alike: BTreeMap<Vec<MethodId>, usize>,
    /// The probes that samples have hit.
    covered: Vec<u64>,
    /// Fuel of a sample on the original.
    fuel: u64,
}

/// How the versions end after a sample.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SampleContrast {
    /// The original did not end.
    Endless,
    /// The original ran no changed code.
    NotRun,
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
        let near: Vec<MethodId> =
            opponent.changed.iter().chain(&opponent.changed_there).flatten().copied().collect();
        let vocabulary = Vocabulary::of(search.machine, &classes, &near, seed);
        let samples = Samples::new(vocabulary, MAX_SEQUENCES);
        VersionSamples {
            samples,
            favoured: Vec::new(),
            novel: Vec::new(),
            alike: BTreeMap::new(),
            covered: Vec::new(),
            fuel: FUEL[0],
        }
    }

    /// Notes the probes that a sample hit; returns whether some are new.
    fn cover(&mut self, hits: &[u64]) -> bool {
        self.covered.resize(self.covered.len().max(hits.len()), 0);
        let mut is_new = false;
        for (known, hits) in self.covered.iter_mut().zip(hits) {
            is_new |= hits & !*known != 0;
            *known |= hits;
        }
        is_new
    }

    fn add(&mut self, search: &Search<'_>, along: &[Reaching]) {
        let known = self.samples.all.len();
        let reaching = along.iter().filter(|(_, reached)| !reached.is_empty());
        self.samples.add_candidates(reaching.map(|(candidate, _)| candidate));
        self.favoured.extend(known..self.samples.all.len());
        self.samples.add_states(search);
    }

    /// Keeps a sample that led to different states.
    fn favour(&mut self, sample: Attempt) {
        let alike = self.alike.entry(sample.plan.methods()).or_default();
        *alike += 1;
        if *alike <= MAX_ALIKE {
            self.keep(sample, true);
        }
    }

    fn keep(&mut self, sample: Attempt, is_favoured: bool) {
        let at = self.samples.all.len();
        if self.samples.add(sample) {
            let kept = if is_favoured { &mut self.favoured } else { &mut self.novel };
            kept.push(at);
        }
    }

    fn next(&mut self) -> Option<usize> {
        let all = self.samples.all.len();
        if all == 0 {
            return None;
        }
        let vocabulary = &mut self.samples.vocabulary;
        let from = match vocabulary.below(ANY) {
            0 => &[][..],
            1 => &self.novel[..],
            _ => &self.favoured[..],
        };
        let from = match vocabulary.below(2) {
            0 => &from[from.len().saturating_sub(LATEST)..],
            _ => from,
        };
        let at = if from.is_empty() { vocabulary.below(all) } else { from[vocabulary.below(from.len())] };
        Some(at)
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
            let (contrast, hits) = self.contrast_of_sample(opponent, &sample, samples.fuel);
            let is_new = samples.cover(&hits);
            match contrast {
                SampleContrast::NotRun if is_new => samples.keep(sample, false),
                SampleContrast::Same if is_new => samples.keep(sample, true),
                SampleContrast::Same | SampleContrast::NotRun => {}
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
                && search.contrast_of_sample(versions, &Attempt::of(shorter), fuel).0
                    == SampleContrast::Visible
        });
        let mut runs = self.changed_methods_of(opponent, &candidate);
        runs.retain(|at| found.verdicts[*at].is_open());
        let all: BTreeSet<usize> = (0..opponent.changed.len()).collect();
        let is_known = runs.is_empty() && opponent.changed.iter().all(Option::is_some);
        let runs = if runs.is_empty() { &all } else { &runs };
        !is_known && self.try_on_both(opponent, &candidate, runs, writer, found)
    }

    /// Whether both versions return from the calls of a candidate, with the same values, static fields and output. What
    /// observers would show is the same then, and this is found much faster than a test is written down.
    pub(super) fn ends_alike(&mut self, opponent: &Opponent<'_>, candidate: &Candidate) -> bool {
        // Files are not part of the state.
        if candidate.plan.has_folder() || !matches!(candidate.ended, InvocationEnd::Returned(_)) {
            return false;
        }
        let (contrast, _) = self.contrast_of_sample(opponent, &Attempt::of(candidate), FUEL[1]);
        matches!(contrast, SampleContrast::Same)
    }

    /// How the versions end after a sample. The other version does not run if the sample runs no changed code.
    fn contrast_of_sample(
        &mut self,
        opponent: &Opponent<'_>,
        sample: &Attempt,
        fuel: u64,
    ) -> (SampleContrast, Rc<Vec<u64>>) {
        let extents = [Extent::Visible, Extent::State];
        self.machine.restore(&opponent.bases.original);
        let Some(original) = self.run_sample(sample, &sample.plan, fuel) else {
            return (SampleContrast::Endless, Rc::default());
        };
        let hits = self.machine.hits_under(&sample.model);
        let under_test = sample.plan.under_test().map(|it| it.method);
        // Methods that only the other version has may run instead of any.
        let is_all_known = opponent.changed.iter().all(Option::is_some) && !opponent.version.is_broken();
        if is_all_known && self.changed_methods_run(opponent, &hits, under_test).is_empty() {
            return (SampleContrast::NotRun, hits);
        }
        let images = self.images(&original, extents, &opponent.bases.settled);
        let version = opponent.version.clone();
        self.machine.restore(version.start());
        version.install(self.machine);
        let translated = version.plan(self.machine, &sample.plan);
        let fuel = MORE_FUEL + 5 * original.fuel;
        let other = translated.map(|plan| self.run_sample(sample, &plan, fuel));
        let contrast = match other {
            // The version lacks a member that the calls need.
            None => SampleContrast::Same,
            // It may be endless, which a longer run decides.
            Some(None) => SampleContrast::Visible,
            Some(Some(other)) => {
                let others = self.images(&other, extents, &opponent.bases.settled);
                let is_same = |extent: usize| {
                    let (one, other) = (images[extent].as_ref(), others[extent].as_ref());
                    Image::compare(self.machine, &sample.model, one, other) == Comparison::Same
                };
                let is_written_alike = original.written == other.written;
                match (is_written_alike && is_same(0), is_same(1)) {
                    (false, _) => SampleContrast::Visible,
                    (true, false) => SampleContrast::State,
                    (true, true) => SampleContrast::Same,
                }
            }
        };
        version.remove(self.machine);
        (contrast, hits)
    }
}
