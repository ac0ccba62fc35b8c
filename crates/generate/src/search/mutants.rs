//! Tests aimed at mutants that no test detects.
//!
//! For each such mutant the original and the mutant run as one product ([`crate::versions`]): along the calls
//! of a test that reaches the mutated place, from other states of the object, and, when the states differ but
//! no assertion shows it, followed by further calls. The steps are those of constraint-based mutation testing
//! (reach, infect, propagate): the solver is asked for inputs on which the two differ, the exploration follows
//! the decisions of both, and the assertions of the test decide whether the difference is observable.

mod attempts;
mod constants;
mod fewest;
mod hidden;
mod infection;
mod initialisation;
mod judgement;
mod samples;
mod settled;
mod showing;

use super::Search;
use super::products::{Attempt, MAX_CALLS, MAX_HIDDEN, MAX_STATES, WORK_OF_RUN};
use super::samples::Samples;
use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use crate::mutation::{Fate, Targets};
use crate::outcome::Progress;
use crate::versions::Bases;
use cupping_case::Criterion;
use showing::Showing;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The factor by which the following limits grow each round.
const EFFORTS: [usize; 3] = [1, 4, 16];
/// Limit on the tests along which a mutant runs together with the original.
const MAX_ALONG: usize = 4;
/// Sides tried in one product.
const MAX_SIDES: usize = 24;
/// Different inputs tried in one product.
const MAX_INPUTS: usize = 4;
/// Limit on the candidates that are written down only to see which mutants they detect.
const MAX_SPARE: usize = 60;
/// The minimum part of the budget reserved for mutants, in tenths.
const LEAST_TENTHS: u64 = 4;
/// The part of the budget, as a divisor, after which the search ends if it has found nothing, unless mutants
/// were requested.
const PATIENCE: u64 = 3;

/// The state of the search for tests that notice mutants.
struct MutantSearch {
    targets: Targets,
    /// The test to which each detected mutant is credited, by index.
    noticed_by: BTreeMap<usize, usize>,
    bases: Bases,
    /// See [`EFFORTS`].
    effort: usize,
    /// The mutants that each test reaches.
    by_drafts: Vec<Vec<usize>>,
    /// The mutants that each candidate reaches.
    by_candidates: Vec<Vec<usize>>,
    samples: Samples,
    /// How often each mutant was run by samples without success.
    vain: Vec<u32>,
    /// How many samples each mutant has infected without being noticed.
    unshown: Vec<u8>,
    /// The mutants that a sample has reached.
    reached: BTreeSet<usize>,
    /// The mutants that end in another state in a test, which nothing shows yet, by test.
    hidden: Vec<(usize, Vec<usize>)>,
    /// The work that was done so far to show such mutants, and how often it was in vain for each.
    showing: Showing,
    /// The work at the time when a test was last found to detect a mutant.
    last_find: u64,
    /// The work after which the search ends if nothing is found.
    patience: u64,
    /// Work beyond which nothing is started.
    limit: u64,
}

impl MutantSearch {
    fn credit(&mut self, target: usize, draft: usize) {
        self.targets.all[target].fate = Fate::Noticed;
        self.noticed_by.insert(target, draft);
    }
}

impl MutantSearch {
    /// How many mutants are noticed, of how many.
    fn noticed(&self) -> (u32, u32) {
        let all = self.targets.all.len();
        let noticed = (0..all).filter(|at| !self.targets.is_open(*at)).count();
        (u32::try_from(noticed).unwrap_or(u32::MAX), u32::try_from(all).unwrap_or(u32::MAX))
    }
}

impl Search<'_> {
    /// Judges the tests by mutants, adds assertions and tests that detect more of them, and reports the fate of
    /// each mutant.
    pub fn aim_at_mutants(
        &mut self,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
        progress: &mut dyn FnMut(crate::outcome::Progress) -> bool,
    ) -> Targets {
        self.machine.restore(writer.base());
        // Work of the user's set-up methods and of slow initialisers before the tests is not repeated.
        let bases = Bases::new(writer.booted().clone(), writer.base().clone());
        let with_initialiser =
            !self.is_set_up && !self.is_warm && bases.can_initialise(self.machine, self.subject.class);
        self.machine.restore(&bases.original);
        // Tests are judged however much work the search for them took.
        let budget = self.options.budget.as_micros() as u64;
        let limit = budget.max(self.work + budget / 10 * LEAST_TENTHS);
        // Most remaining mutants are equivalent. A user who requests the criterion accepts the whole budget.
        let is_asked = self.options.criteria.reported().contains(&Criterion::Mutation);
        let bases = self.settle(bases, drafts);
        let targets = Targets::of(self.machine, self.map, with_initialiser);
        let targets_count = targets.all.len();
        let mut aim = MutantSearch {
            samples: Samples::of_tests(self, drafts),
            vain: vec![0; targets_count],
            unshown: vec![0; targets_count],
            reached: BTreeSet::new(),
            targets,
            noticed_by: BTreeMap::new(),
            bases,
            effort: 1,
            by_drafts: Vec::new(),
            by_candidates: Vec::new(),
            hidden: Vec::new(),
            showing: Showing::of(self.work, targets_count),
            last_find: self.work,
            patience: if is_asked { limit } else { limit / PATIENCE },
            limit,
        };
        for draft in drafts.iter() {
            aim.by_drafts.push(aim.targets.reached(self.map, &draft.coverage.hits, &draft.candidate));
        }
        for (place, draft) in drafts.iter_mut().enumerate() {
            let mut reached = aim.by_drafts[place].clone();
            reached.retain(|at| aim.targets.all[*at].version.initialises.is_none());
            self.judge(&mut aim, draft, place, &reached);
        }
        if with_initialiser {
            self.judge_initialisation(&mut aim, writer, drafts);
        }
        // Another test may have detected them as it is.
        for (place, hidden) in std::mem::take(&mut aim.hidden) {
            self.show_hidden(&mut aim, writer, &mut drafts[place], place, hidden);
        }
        let of = |it: &Candidate| aim.targets.reached(self.map, &it.hits, it);
        aim.by_candidates = self.candidates.iter().map(of).collect();
        self.try_whole_texts(&mut aim, writer, drafts);
        self.try_spare_candidates(&mut aim, writer, drafts);
        'rounds: for effort in EFFORTS {
            aim.effort = effort;
            self.try_samples(&mut aim, writer, drafts);
            for at in 0..aim.targets.all.len() {
                let now = Progress { mutants: Some(aim.noticed()), ..self.progress() };
                if self.is_out_of_budget(&aim) || !progress(now) {
                    break 'rounds;
                }
                if aim.targets.is_open(at) {
                    self.aim_at(&mut aim, at, writer, drafts);
                }
            }
        }
        self.drop_superseded(&mut aim, drafts);
        self.machine.restore(&self.base);
        aim.targets
    }

    fn is_out_of_budget(&self, aim: &MutantSearch) -> bool {
        let is_spent = self.work > aim.limit || self.work - aim.last_find > aim.patience;
        is_spent || self.clock.is_over()
    }

    /// Writes down candidates that were not selected, if they detect further mutants.
    fn try_spare_candidates(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let written: BTreeSet<(usize, u64)> = drafts.iter().map(|it| key(&it.candidate)).collect();
        let spare: Vec<Candidate> = std::mem::take(&mut self.candidates);
        let mut tried = 0;
        for (place, candidate) in spare.iter().enumerate() {
            if tried == MAX_SPARE || self.is_out_of_budget(aim) {
                break;
            }
            let is_failure = candidate.thrown.as_ref().is_some_and(|it| it.is_failure());
            let reaches_open = aim.by_candidates[place].iter().any(|at| aim.targets.is_open(*at));
            if is_failure || written.contains(&key(candidate)) || !reaches_open {
                continue;
            }
            // To write one down takes as long as to run it on many mutants.
            let open = self.least_tried(aim, aim.by_candidates[place].clone());
            if self.infected(aim, candidate, &open).is_empty() {
                open.iter().for_each(|at| aim.vain[*at] += 1);
                continue;
            }
            tried += 1;
            self.try_candidate(aim, candidate, None, writer, drafts);
        }
        self.candidates = spare;
    }

    /// Adds a candidate to the tests if it detects mutants that no test does. It runs on the given mutants, or
    /// on all that it reaches. Calls that have nothing to do with the last one stay only if nothing is detected
    /// without them: what they show is for tests that end with them.
    fn try_candidate(
        &mut self,
        aim: &mut MutantSearch,
        candidate: &Candidate,
        only: Option<&[usize]>,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let known = drafts.len();
        if let Some(shorter) = self.without_strangers(aim, candidate) {
            self.try_whole(aim, &shorter, only, writer, drafts);
        }
        if drafts.len() == known {
            self.try_whole(aim, candidate, only, writer, drafts);
        }
    }

    /// The candidate without the calls that have nothing to do with the last one, if there are such calls.
    fn without_strangers(&mut self, aim: &MutantSearch, candidate: &Candidate) -> Option<Candidate> {
        let plan = &candidate.plan;
        let shorter = plan.leading_to(plan.steps.len().checked_sub(1)?);
        if plan.setup > 0 || shorter.calls() >= plan.calls() {
            return None;
        }
        let slots = Rc::new(candidate.driver.slots.clone());
        let attempt = Attempt { plan: Rc::new(shorter), slots, model: candidate.model.clone() };
        self.follow(&aim.bases.original, &attempt)
    }

    fn try_whole(
        &mut self,
        aim: &mut MutantSearch,
        candidate: &Candidate,
        only: Option<&[usize]>,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let Some(mut draft) = self.write(writer, candidate, false) else { return };
        self.take_image(&aim.bases, &mut draft);
        let reached = aim.targets.reached(self.map, &draft.coverage.hits, &draft.candidate);
        let place = drafts.len();
        let mut is_useful = self.judge(aim, &mut draft, place, only.unwrap_or(&reached));
        for (place, hidden) in std::mem::take(&mut aim.hidden) {
            is_useful |= self.show_hidden(aim, writer, &mut draft, place, hidden);
        }
        if is_useful {
            drafts.push(draft);
            aim.by_drafts.push(reached);
        }
    }

    /// Looks for a test that notices a mutant.
    fn aim_at(
        &mut self,
        aim: &mut MutantSearch,
        at: usize,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let version = aim.targets.all[at].version.clone();
        let mut along: Vec<Attempt> = Vec::new();
        let mut callers: Vec<cupping_machine::MethodId> = Vec::new();
        let by_drafts = drafts.iter().map(|it| &it.candidate).zip(&aim.by_drafts);
        let by_candidates = self.candidates.iter().zip(&aim.by_candidates);
        let reaches = |(_, reached): &(&Candidate, &Vec<usize>)| reached.binary_search(&at).is_ok();
        let mut order: Vec<&Candidate> =
            by_drafts.chain(by_candidates).filter(reaches).map(|(candidate, _)| candidate).collect();
        order.sort_by_key(|it| it.plan.steps.len());
        for candidate in order {
            if along.len() >= MAX_ALONG * aim.effort {
                break;
            }
            let attempt = Attempt {
                plan: candidate.plan.clone(),
                slots: Rc::new(candidate.driver.slots.clone()),
                model: candidate.model.clone(),
            };
            let is_known = along.iter().any(|it| it.plan.calls_by_name() == attempt.plan.calls_by_name());
            callers.extend(candidate.plan.under_test().map(|it| it.method));
            if !is_known {
                along.push(attempt);
            }
        }
        if along.is_empty() {
            return;
        }
        let mut hidden: Vec<Attempt> = Vec::new();
        let mut from_states = self.calls_from_states(&callers, MAX_STATES * aim.effort);
        along.append(&mut from_states);
        for attempt in along {
            if self.is_out_of_budget(aim) {
                return;
            }
            let found = self.differences(aim, &version, &attempt);
            if found.is_refuted && self.has_all_inputs(&attempt.plan, version.method) {
                aim.targets.all[at].fate = Fate::Equivalent;
                return;
            }
            for model in found.inputs {
                let attempt = Attempt { model, plan: attempt.plan.clone(), slots: attempt.slots.clone() };
                if self.try_attempt(aim, at, &attempt, writer, drafts) {
                    return;
                }
                if hidden.len() < MAX_HIDDEN * aim.effort {
                    hidden.push(attempt);
                }
            }
        }
        self.show(aim, at, hidden, writer, drafts);
    }

    /// Appends calls to runs whose states differ, until an assertion shows the difference.
    fn show(
        &mut self,
        aim: &mut MutantSearch,
        at: usize,
        mut hidden: Vec<Attempt>,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let version = aim.targets.all[at].version.clone();
        let subject = self.subject;
        for _ in 0..MAX_CALLS {
            let mut next: Vec<Attempt> = Vec::new();
            for attempt in &hidden {
                let Some(receiver) = self.object_of(&attempt.plan) else { continue };
                for invokable in subject.under_test.iter().filter(|it| it.has_receiver()) {
                    if self.is_out_of_budget(aim) {
                        return;
                    }
                    let Some(plan) = self.with_call(&attempt.plan, invokable, receiver) else { continue };
                    let longer = Attempt { plan, slots: attempt.slots.clone(), model: attempt.model.clone() };
                    for model in self.differences(aim, &version, &longer).inputs {
                        let found = Attempt { model, plan: longer.plan.clone(), slots: longer.slots.clone() };
                        if self.try_attempt(aim, at, &found, writer, drafts) {
                            return;
                        }
                        if next.len() < MAX_HIDDEN * aim.effort {
                            next.push(found);
                        }
                    }
                }
            }
            hidden = next;
        }
    }

    /// Turns inputs on which a mutant behaves differently into a test, if the assertions show the difference.
    fn try_attempt(
        &mut self,
        aim: &mut MutantSearch,
        at: usize,
        attempt: &Attempt,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        let Some(candidate) = self.follow(&aim.bases.original, attempt) else { return false };
        self.try_candidate(aim, &candidate, None, writer, drafts);
        aim.targets.all[at].fate == Fate::Noticed
    }
}

fn key(candidate: &Candidate) -> (usize, u64) {
    (Rc::as_ptr(&candidate.plan) as usize, candidate.path.signature())
}
