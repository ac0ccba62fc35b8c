//! Trials of richer inputs: calls of existing tests, with other arguments and one or two more calls.
//!
//! A product asks the solver for inputs; a trial just runs some, on the original and on the mutants that it
//! reaches. Texts and arrays may be long, and one trial may distinguish many mutants from the original. Trials
//! that infect a mutant, or reach one for the first time, are varied further. A successful trial is shortened
//! before it is written down.

use super::super::products::{Attempt, Part, halved};
use super::shapes::MAX_SHAPES;
use super::{MutantSearch, Search};
use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use crate::driver::Slot;
use crate::input::{Input, Symbols, fixed};
use crate::mutation::Fate;
use crate::plan::{Plan, PlanStep};
use crate::versions::{Comparison, Image};
use cupping_machine::Kind;
use cupping_term::Model;
use std::rc::Rc;

/// Trials without a find until the next sequence has its turn, multiplied by the effort.
const PATIENCE: usize = 60;
/// Limit on the mutants on which one trial runs, and the least share of them; mutants that were tried least
/// come first.
const MAX_JUDGED: usize = 40;
const JUDGED_PART: usize = 3;
/// Limit on the sequences that are tried with whole tables and alphabets.
const MAX_WHOLE: usize = 40;
/// Limit on the runs by which one trial is shortened.
const MAX_REDUCTIONS: usize = 16;
/// Fuel of a trial, and fuel of a mutant in addition to five times that of the original.
const FUEL: [u64; 2] = [300_000, 20_000];

impl Search<'_> {
    /// Tries samples until many in a row were in vain.
    pub(super) fn try_samples(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let mut left = PATIENCE * aim.effort;
        while left > 0 && !self.is_out_of_budget(aim) && !aim.shapes.samples.all.is_empty() {
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
        let texts = aim.shapes.samples.vocabulary.whole_texts();
        for at in 0..aim.shapes.samples.all.len().min(MAX_WHOLE) {
            for text in &texts {
                if self.is_out_of_budget(aim) {
                    return;
                }
                let Some(attempt) = with_text(&aim.shapes.samples.all[at], text) else { break };
                self.try_inputs(aim, &attempt, writer, drafts);
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
        let at = aim.shapes.samples.vocabulary.below(aim.shapes.samples.all.len());
        let attempt = self.sample(&mut aim.shapes.samples, at);
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
            return false;
        }
        let Some(candidate) = self.follow(&aim.bases.original, attempt) else { return false };
        let mut open = aim.targets.reached(self.map, &candidate.hits, &candidate);
        open.retain(|at| aim.targets.is_open(*at));
        let known = aim.shapes.reached.len();
        aim.shapes.reached.extend(open.iter().copied());
        let is_new = aim.shapes.reached.len() > known;
        open.sort_by_key(|at| (aim.shapes.vain[*at], *at));
        open.truncate(MAX_JUDGED.max(open.len() / JUDGED_PART));
        let infected = self.infected(aim, &candidate, &open);
        if (is_new || !infected.is_empty()) && aim.shapes.samples.all.len() < MAX_SHAPES {
            aim.shapes.samples.all.push(Attempt::of(&candidate));
        }
        open.iter().for_each(|at| aim.shapes.vain[*at] += 1);
        if infected.is_empty() {
            return false;
        }
        let candidate = self.reduced(aim, candidate, &infected);
        self.try_candidate(aim, &candidate, Some(&infected), writer, drafts);
        infected.iter().any(|at| aim.targets.all[*at].fate == Fate::Noticed)
    }

    /// The mutants that end in a state other than the original's, or do not end.
    fn infected(&mut self, aim: &MutantSearch, candidate: &Candidate, among: &[usize]) -> Vec<usize> {
        if among.is_empty() {
            return Vec::new();
        }
        self.machine.restore(&aim.bases.original);
        let Some((original, taken)) = self.ends_of(candidate, FUEL[0]) else { return Vec::new() };
        let fuel = FUEL[1] + 5 * taken;
        let mut infected = Vec::new();
        for at in among {
            let version = aim.targets.all[*at].version.clone();
            let Some(base) = version.base(self.machine, &aim.bases) else { continue };
            self.machine.restore(&base);
            version.install(self.machine);
            let mutated = self.ends_of(candidate, fuel);
            version.remove(self.machine);
            // Effects of a mutant of the initialiser are not effects of the calls.
            let compared = if version.initialises.is_some() { 0 } else { 1 };
            let differs = mutated.is_none_or(|(mutated, _)| {
                let (one, other) = (original[compared].as_ref(), mutated[compared].as_ref());
                Image::compare(self.machine, &candidate.model, one, other) != Comparison::Same
            });
            if differs {
                infected.push(*at);
            }
        }
        infected
    }

    /// The shortest variant found of a candidate that still infects these mutants: without unnecessary calls,
    /// with shorter texts and arrays.
    fn reduced(&mut self, aim: &MutantSearch, candidate: Candidate, infected: &[usize]) -> Candidate {
        let mut best = candidate;
        let mut tries = 0;
        let mut at = best.plan.steps.len();
        while at > best.plan.setup && tries < MAX_REDUCTIONS {
            at -= 1;
            let is_call = best.plan.steps.get(at).is_some_and(PlanStep::is_effect);
            let shorter = if is_call { best.plan.without(at) } else { None };
            if let Some(shorter) = shorter.filter(|it| it.under_test().is_some()) {
                tries += 1;
                self.take_if_infecting(aim, &mut best, shorter, infected);
            }
        }
        for at in best.plan.setup..best.plan.steps.len() {
            for part in [Part::First, Part::Second, Part::First, Part::Second] {
                let Some(shorter) = halved(&best.plan, at, part, &aim.shapes.samples.vocabulary) else {
                    continue;
                };
                if tries < MAX_REDUCTIONS {
                    tries += 1;
                    self.take_if_infecting(aim, &mut best, shorter, infected);
                }
            }
        }
        best
    }

    fn take_if_infecting(
        &mut self,
        aim: &MutantSearch,
        best: &mut Candidate,
        plan: Plan,
        infected: &[usize],
    ) {
        let slots = Rc::new(best.driver.slots.clone());
        let attempt = Attempt { plan: Rc::new(plan), slots, model: best.model.clone() };
        let Some(candidate) = self.follow(&aim.bases.original, &attempt) else { return };
        if self.infected(aim, &candidate, infected).len() == infected.len() {
            *best = candidate;
        }
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
