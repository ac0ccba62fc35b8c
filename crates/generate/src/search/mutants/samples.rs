//! Samples: calls of existing tests with other inputs, and up to four more calls, run on the mutants that they reach.
//!
//! One sample may distinguish many mutants from the original. Samples that infect a mutant, or reach one for the first
//! time, are varied further. A successful sample is shortened before it is written down.

use super::super::products::{Attempt, WORK_OF_RUN};
use super::super::samples::{Reduction, Samples};
use super::{MutantSearch, Search};
use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use crate::driver::Slot;
use crate::input::{Input, Symbols, fixed};
use crate::mutation::{Fate, Vocabulary};
use crate::plan::PlanStep;
use crate::versions::{Comparison, Extent, Image};
use cupping_explore::spent;
use cupping_machine::Kind;
use cupping_term::Model;
use std::rc::Rc;

/// Limit on the sequences that are varied, in a class of few methods.
const MAX_SEQUENCES: usize = 200;
/// Samples without a find until the next sequence has its turn, multiplied by the effort.
const PATIENCE: usize = 60;
/// Limit on the mutants on which one sample runs, and the least share of them; mutants that were tried least
/// come first.
const MAX_JUDGED: usize = 40;
const JUDGED_PART: usize = 3;
/// Limit on the sequences that are tried with whole tables and alphabets.
const MAX_WHOLE: usize = 40;
/// Samples that a mutant infects without being noticed, after which a sample is no longer written down for it alone;
/// multiplied by the effort.
const UNSHOWN: usize = 6;
/// The parts of the remaining work, as divisors, that samples with whole tables and alphabets may take, and that may be
/// spent on shortening one sample.
const WHOLE: u64 = 4;
const REDUCING: u64 = 20;
/// The part of the work for whole tables and alphabets, as a divisor, that may be in vain.
const VAIN: u64 = 4;
/// Fuel of a sample, multiplied by the effort, and fuel of a mutant in addition to five times that of the original.
/// Each sample runs on many mutants, so those that take long wait until the others have been tried.
const FUEL: [u64; 2] = [20_000, 20_000];

impl Search<'_> {
    /// Tries samples until many in a row were in vain.
    pub(super) fn try_samples(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        // Each sequence once: the mutants of one method are not reached by sequences that end with another.
        for at in 0..aim.samples.all.len() {
            if self.is_out_of_budget(aim) {
                return;
            }
            let attempt = self.sample(&mut aim.samples, at);
            self.try_inputs(aim, &attempt, writer, drafts);
        }
        let mut left = PATIENCE * aim.effort;
        while left > 0 && !self.is_out_of_budget(aim) && !aim.samples.all.is_empty() {
            let is_find = self.try_sample(aim, writer, drafts);
            left = if is_find { PATIENCE * aim.effort } else { left - 1 };
        }
    }

    /// Tries the most effective texts, tables of the code and alphabets, in all sequences.
    pub(super) fn try_whole_texts(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let texts = aim.samples.vocabulary.whole_texts();
        let begun = self.work;
        let most = begun + aim.limit.saturating_sub(begun) / WHOLE;
        let mut last_find = self.work;
        for at in 0..aim.samples.all.len().min(MAX_WHOLE) {
            for text in &texts {
                let is_vain = self.work - last_find > (most - begun) / VAIN;
                if self.is_out_of_budget(aim) || self.work > most || is_vain {
                    return;
                }
                let Some(attempt) = with_text(&aim.samples.all[at], text) else { break };
                if self.try_inputs(aim, &attempt, writer, drafts) {
                    last_find = self.work;
                }
            }
        }
    }

    /// Tries one sample; returns whether it detects mutants that nothing else does.
    fn try_sample(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        let at = aim.samples.vocabulary.below(aim.samples.all.len());
        let attempt = self.sample(&mut aim.samples, at);
        self.try_inputs(aim, &attempt, writer, drafts)
    }

    /// Tries a sequence with its inputs; returns whether it detects mutants that nothing else does.
    fn try_inputs(
        &mut self,
        aim: &mut MutantSearch,
        attempt: &Attempt,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        // The last call may be one that is not under test.
        if !self.ends_under_test(&attempt.plan) {
            self.work += WORK_OF_RUN / 3;
            return false;
        }
        let Some(candidate) = self.follow(&aim.bases.original, attempt) else { return false };
        let reached = aim.targets.reached(self.map, &candidate.hits, &candidate);
        let known = aim.reached.len();
        aim.reached.extend(reached.iter().copied().filter(|at| aim.targets.is_open(*at)));
        let is_new = aim.reached.len() > known;
        let open = self.least_tried(aim, reached);
        let infected = self.infected(aim, &candidate, &open);
        if is_new || !infected.is_empty() {
            aim.samples.add(Attempt::of(&candidate));
        }
        open.iter().for_each(|at| aim.vain[*at] += 1);
        let mut infected = infected;
        infected.retain(|at| usize::from(aim.unshown[*at]) < UNSHOWN * aim.effort);
        if infected.is_empty() {
            return false;
        }
        let known = &*aim;
        let (base, how) = (&known.bases.original, (Reduction::Short, &known.samples.vocabulary));
        let most = self.work + known.limit.saturating_sub(self.work) / REDUCING;
        let candidate = self.reduced(base, how, candidate, &mut |search, shorter| {
            let is_failing = shorter.thrown.as_ref().is_some_and(|it| it.is_failure());
            !is_failing && search.work < most && search.infects_all(known, shorter, &infected)
        });
        self.try_candidate(aim, &candidate, Some(&infected), writer, drafts);
        let hidden = infected.iter().filter(|at| aim.targets.all[**at].fate != Fate::Noticed);
        hidden.for_each(|at| aim.unshown[*at] = aim.unshown[*at].saturating_add(1));
        infected.iter().any(|at| aim.targets.all[*at].fate == Fate::Noticed)
    }

    /// The open mutants among these on which one sample runs.
    pub(super) fn least_tried(&self, aim: &MutantSearch, mut reached: Vec<usize>) -> Vec<usize> {
        reached.retain(|at| aim.targets.is_open(*at));
        reached.sort_by_key(|at| (aim.vain[*at], *at));
        reached.truncate(MAX_JUDGED.max(reached.len() / JUDGED_PART));
        reached
    }

    /// The mutants that end in a state other than the original's, or do not end.
    pub(super) fn infected(
        &mut self,
        aim: &MutantSearch,
        candidate: &Candidate,
        among: &[usize],
    ) -> Vec<usize> {
        let Some(original) = self.run_original(aim, candidate, among) else { return Vec::new() };
        let all = among.iter().copied();
        all.filter(|at| !self.is_out_of_budget(aim) && self.infects(aim, candidate, &original, *at)).collect()
    }

    /// Whether all these mutants do.
    fn infects_all(&mut self, aim: &MutantSearch, candidate: &Candidate, all: &[usize]) -> bool {
        let Some(original) = self.run_original(aim, candidate, all) else { return false };
        all.iter().all(|at| self.infects(aim, candidate, &original, *at))
    }

    /// Runs a sample on the original, if there are mutants to compare it with.
    fn run_original(
        &mut self,
        aim: &MutantSearch,
        candidate: &Candidate,
        mutants: &[usize],
    ) -> Option<OriginalRun> {
        if mutants.is_empty() {
            return None;
        }
        let sample = Attempt::of(candidate);
        self.machine.restore(&aim.bases.original);
        let run = self.run_sample(&sample, &sample.plan, FUEL[0] * aim.effort as u64)?;
        let images = self.images(&run, EXTENTS, &aim.bases.settled);
        Some(OriginalRun { sample, images, fuel: run.fuel })
    }

    /// Whether a mutant ends in a state other than the original's, or does not end.
    fn infects(
        &mut self,
        aim: &MutantSearch,
        candidate: &Candidate,
        original: &OriginalRun,
        at: usize,
    ) -> bool {
        let OriginalRun { sample, images, fuel } = original;
        let version = aim.targets.all[at].version.clone();
        let begun = spent(self.machine);
        let base = version.base(self.machine, &aim.bases);
        self.charge_run(begun);
        self.charge_version(&version);
        let Some(base) = base else { return false };
        self.machine.restore(&base);
        version.install(self.machine);
        let mutated = self.run_sample(sample, &sample.plan, FUEL[1] + 5 * fuel);
        let mutated = mutated.map(|run| self.images(&run, EXTENTS, &aim.bases.settled));
        version.remove(self.machine);
        // Effects of a mutant of the initialiser are not effects of the calls.
        let compared = if version.initialises.is_some() { 0 } else { 1 };
        mutated.is_none_or(|mutated| {
            let (one, other) = (images[compared].as_ref(), mutated[compared].as_ref());
            Image::compare(self.machine, &candidate.model, one, other) != Comparison::Same
        })
    }
}

/// What is compared at the end of a sample's run.
const EXTENTS: [Extent; 2] = [Extent::Result, Extent::State];

/// A sample's run on the original.
struct OriginalRun {
    sample: Attempt,
    images: [Option<Image>; 2],
    /// The fuel that it took.
    fuel: u64,
}

impl Samples {
    /// The sequences of tests and candidates, and those that lead to the states of the search.
    pub(super) fn of_tests(search: &Search<'_>, drafts: &[Draft]) -> Samples {
        let classes: Vec<_> = search.map.classes().iter().map(|it| it.name.clone()).collect();
        let classes: Vec<_> = classes.iter().filter_map(|it| search.machine.loaded(it)).collect();
        let vocabulary = Vocabulary::of(search.machine, &classes, &[], search.options.seed);
        // One sequence for each method at least, whose candidates may take half.
        let most = MAX_SEQUENCES.max(3 * search.subject.under_test.len());
        let mut samples = Samples::new(vocabulary, most);
        let written = drafts.iter().filter(|it| !it.is_failing).map(|it| &it.candidate);
        let spare = search.candidates.iter().filter(|it| it.thrown.is_none());
        samples.add_candidates(written.chain(spare));
        samples.add_states(search);
        samples
    }
}

/// A sequence with all its texts replaced by this one; `None` if it has none.
fn with_text(of: &Attempt, text: &[u16]) -> Option<Attempt> {
    let Attempt { plan, slots, model } = of;
    let mut changed = (**plan).clone();
    let mut is_changed = false;
    for step in changed.steps.iter_mut().skip(plan.setup) {
        let PlanStep::Input { input, var } = step else { continue };
        let none = Symbols::default();
        let symbols = slots.get(*var).map_or(&none, |slot| &slot.symbols);
        *input = match fixed(input, symbols, model) {
            Input::Text(_) => Input::Text(text.to_vec()),
            Input::Elements(kind @ (Kind::Byte | Kind::Char), _) => {
                Input::Elements(kind, text.iter().map(|it| u64::from(*it)).collect())
            }
            other => {
                *input = other;
                continue;
            }
        };
        is_changed = true;
    }
    let slots = Rc::new(vec![Slot::default(); changed.variables.len()]);
    is_changed.then(|| Attempt { plan: Rc::new(changed), slots, model: Model::default() })
}
