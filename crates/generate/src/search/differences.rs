//! Sequences of calls on which another version of the program does something else.
//!
//! First the paths that the search has found are run on the other version as they are. Then, for each changed method
//! that shows no difference yet, both versions are run as one product along the sequences that reach it, from further
//! states, and with further calls where states differ and nobody sees it. That a difference is seen is always for
//! concrete runs of both to say ([`contrast()`]).

use super::Search;
use super::mutants::Attempt;
use crate::candidate::Candidate;
use crate::case_writer::CaseWriter;
use crate::comparison::{Difference, Verdict};
use crate::influence::Influence;
use crate::observe::Variations;
use crate::outcome::Progress;
use crate::versions::{
    Bases, Comparison, Contrast, Contrasted, End, Extent, Image, Product, ProgramVersion, contrast,
};
use cupping_explore::{Completed, Ended};
use cupping_machine::MethodId;
use cupping_solve::Answer;
use cupping_term::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// By how much the following limits are raised, round by round.
const EFFORTS: [usize; 3] = [1, 4, 16];
/// Sequences along which a changed method is run on both versions, at most.
const MAX_ALONG: usize = 6;
/// States from which methods that reach it are called on both, at most.
const MAX_STATES: usize = 6;
/// Sides tried in one product.
const MAX_SIDES: usize = 40;
/// Inputs of one product that are tried.
const MAX_INPUTS: usize = 6;
/// Calls appended to show a difference of states.
const MAX_CALLS: usize = 2;
/// States with a difference that is not seen yet, kept for further calls.
const MAX_HIDDEN: usize = 3;
/// Conditions that are told of a difference.
const MAX_CONDITIONS: usize = 4;
/// Work of one run of a test, in microseconds of a reference machine.
const WORK_OF_RUN: u64 = 150;

/// The other version, and what has been found out about it.
pub(crate) struct Opponent<'a> {
    /// The other version.
    pub version: Rc<ProgramVersion>,
    /// The states before sequences of the original.
    pub bases: Bases,
    /// The methods that changed, as the original has them; `None` for those that only the other version has.
    pub changed: Vec<Option<MethodId>>,
    /// Effects of the other version's methods.
    pub influence: Influence,
    /// Varied states of the other version.
    pub variations: Variations<'a>,
    /// Work beyond which nothing is started.
    pub limit: u64,
}

/// What was found.
#[derive(Default)]
pub(crate) struct Findings {
    pub differences: Vec<Difference>,
    pub verdicts: Vec<Verdict>,
}

/// Inputs of a product on which the ends differ.
#[derive(Default)]
struct Ends {
    /// In the result, or in how the last call ended.
    results: Vec<Model>,
    /// In the state alone.
    states: Vec<Model>,
    paths: usize,
    is_same: bool,
}

impl Search<'_> {
    /// Looks for sequences of calls that tell the other version from this one.
    pub fn differences_from(
        &mut self,
        opponent: &mut Opponent<'_>,
        writer: &mut CaseWriter<'_>,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Findings {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_by_key(|it| (it.plan.calls(), it.plan.steps.len()));
        let reached: Vec<BTreeSet<usize>> =
            candidates.iter().map(|it| self.changed_methods_of(opponent, it)).collect();
        let mut found = Findings { differences: Vec::new(), verdicts: Vec::new() };
        for changed in 0..opponent.changed.len() {
            let sequences = reached.iter().filter(|it| it.contains(&changed)).count();
            found.verdicts.push(match sequences {
                0 => Verdict::NotRun,
                sequences => Verdict::Open { sequences, paths: 0 },
            });
        }
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|at| reached[*at].is_empty());
        for at in order {
            if self.is_out_of_work(opponent) || !progress(self.progress()) {
                break;
            }
            self.try_on_both(opponent, &candidates[at], &reached[at], writer, &mut found);
        }
        let along: Vec<(&Candidate, &BTreeSet<usize>)> = candidates.iter().zip(&reached).collect();
        // Where all that can be tried ended alike on all paths, more effort finds no more.
        let mut settled: BTreeSet<usize> = BTreeSet::new();
        'rounds: for effort in EFFORTS {
            for changed in 0..opponent.changed.len() {
                if self.is_out_of_work(opponent) || !progress(self.progress()) {
                    break 'rounds;
                }
                let is_open = matches!(found.verdicts[changed], Verdict::Open { .. });
                if is_open
                    && !settled.contains(&changed)
                    && self.seek(opponent, changed, effort, &along, writer, &mut found)
                {
                    settled.insert(changed);
                }
            }
        }
        self.machine.restore(&self.base);
        found.differences = smallest(found.differences);
        found
    }

    fn is_out_of_work(&self, opponent: &Opponent<'_>) -> bool {
        let clock = self.options.clock.unwrap_or(self.options.budget * 4);
        self.work > opponent.limit || self.started.elapsed() > clock
    }

    /// The changed methods that a candidate's run on the original enters.
    fn changed_methods_of(&self, opponent: &Opponent<'_>, candidate: &Candidate) -> BTreeSet<usize> {
        let under_test = candidate.plan.under_test().map(|it| it.method);
        let is_run = |method: MethodId| {
            let loaded = self.machine.method(method);
            let name = &self.machine.class(loaded.class).name;
            let class = self.map.classes().iter().find(|it| it.name == *name);
            let known = class.and_then(|it| it.methods.iter().find(|it| it.index == loaded.index));
            // What coverage does not count may have been run.
            known.is_none_or(|it| it.covered_ways(&candidate.hits).is_some_and(|it| it.contains(&true)))
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
        self.work += 4 * WORK_OF_RUN;
        let is_failing = candidate.thrown.as_ref().is_some_and(|it| it.is_failure());
        let Some(draft) = writer.write(self.machine, &mut self.influence, candidate, is_failing) else {
            return false;
        };
        let Opponent { version, influence, variations, .. } = opponent;
        let package = &self.subject.package;
        let (contrasted, fuel) = contrast(self.machine, influence, version, variations, &draft, package);
        self.work += WORK_OF_RUN + fuel / 4;
        let Some(Contrasted { what, case }) = contrasted else { return false };
        for changed in runs {
            found.verdicts[*changed] = Verdict::Differs;
        }
        let mut old_case = draft.case;
        if let Contrast::Values(pairs) = &what {
            // What tells them apart is said, also where the last call has not changed it.
            let is_new = |it: &&cupping_case::Assertion| !old_case.assertions.contains(it);
            let more: Vec<_> = pairs.iter().map(|(old, _)| old).filter(is_new).cloned().collect();
            old_case.assertions.extend(more);
        }
        let conditions = self.conditions(opponent, candidate);
        found.differences.push(Difference {
            old_case,
            new_case: case,
            what,
            conditions,
            runs: runs.clone(),
            is_confirmed: false,
        });
        true
    }

    /// The conditions that a path satisfies in changed methods.
    fn conditions(&mut self, opponent: &Opponent<'_>, candidate: &Candidate) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for taken in candidate.path.decisions() {
            if opponent.changed.contains(&Some(taken.site.method)) && texts.len() < MAX_CONDITIONS {
                let text = self.machine.terms().display(taken.constraint, 80).to_string();
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// Runs products for a changed method, until a difference is seen. Returns whether all sequences that there are
    /// end alike on all paths.
    fn seek(
        &mut self,
        opponent: &mut Opponent<'_>,
        changed: usize,
        effort: usize,
        candidates: &[(&Candidate, &BTreeSet<usize>)],
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) -> bool {
        let mut along: Vec<Attempt> = Vec::new();
        let mut callers: Vec<MethodId> = Vec::new();
        let mut known: BTreeSet<Vec<String>> = BTreeSet::new();
        for (candidate, _) in candidates.iter().filter(|(_, reached)| reached.contains(&changed)) {
            callers.extend(candidate.plan.under_test().map(|it| it.method));
            if along.len() < MAX_ALONG * effort && known.insert(candidate.plan.calls_by_name()) {
                along.push(Attempt {
                    plan: candidate.plan.clone(),
                    slots: Rc::new(candidate.driver.slots.clone()),
                    model: candidate.model.clone(),
                });
            }
        }
        let from_states = self.calls_across_states(&callers, MAX_STATES * effort);
        let mut is_settled = along.len() < MAX_ALONG * effort && from_states.len() < MAX_STATES * effort;
        along.extend(from_states);
        let mut hidden: Vec<Attempt> = Vec::new();
        for attempt in along {
            if self.is_out_of_work(opponent) {
                return false;
            }
            let ends = self.ends(opponent, &attempt, effort);
            is_settled &= ends.is_same;
            if let Verdict::Open { paths, .. } = &mut found.verdicts[changed] {
                *paths += ends.paths;
            }
            let method = opponent.changed[changed];
            if ends.is_same && method.is_some_and(|it| self.has_all_inputs(&attempt.plan, it)) {
                found.verdicts[changed] = Verdict::Same { elements: self.options.max_elements };
                return true;
            }
            for model in ends.results.into_iter().chain(ends.states) {
                let attempt = Attempt { model, plan: attempt.plan.clone(), slots: attempt.slots.clone() };
                if self.try_attempt_on_both(opponent, changed, &attempt, writer, found) {
                    return true;
                }
                if hidden.len() < MAX_HIDDEN * effort {
                    hidden.push(attempt);
                }
            }
        }
        self.reveal(opponent, changed, effort, hidden, writer, found);
        is_settled
    }

    /// Calls of these methods with free arguments, from states spread over all that are known: those that were found
    /// early are small, those that were found late have seen many calls.
    fn calls_across_states(&mut self, methods: &[MethodId], most: usize) -> Vec<Attempt> {
        let methods: BTreeSet<MethodId> = methods.iter().copied().collect();
        let subject = self.subject;
        let invokables = subject.under_test.iter().filter(|it| it.has_receiver());
        let invokables: Vec<_> = invokables.filter(|it| methods.contains(&it.method)).collect();
        let mut attempts = Vec::new();
        let count = self.states.len();
        let places: BTreeSet<usize> =
            (0..most).map(|at| at * count / most).filter(|at| *at < count).collect();
        for state in places {
            for invokable in &invokables {
                let known = &self.states[state];
                let (Some(receiver), class) = (known.receiver, known.class) else { continue };
                if attempts.len() == 2 * most || !self.machine.is_subtype(class, invokable.class) {
                    continue;
                }
                let (plan, slots) = (known.driver.plan.clone(), known.driver.slots.clone());
                let model = known.model.clone();
                let plan = self.with_call(&plan, invokable, receiver);
                attempts.extend(plan.map(|plan| Attempt { plan, slots: Rc::new(slots), model }));
            }
        }
        attempts
    }

    /// Appends calls to runs whose states differ, until somebody sees the difference.
    fn reveal(
        &mut self,
        opponent: &mut Opponent<'_>,
        changed: usize,
        effort: usize,
        mut hidden: Vec<Attempt>,
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) {
        let subject = self.subject;
        for _ in 0..MAX_CALLS {
            let mut next: Vec<Attempt> = Vec::new();
            for attempt in &hidden {
                let Some(receiver) = self.object_of(&attempt.plan) else { continue };
                for invokable in subject.under_test.iter().filter(|it| it.has_receiver()) {
                    if self.is_out_of_work(opponent) {
                        return;
                    }
                    let Some(plan) = self.with_call(&attempt.plan, invokable, receiver) else { continue };
                    let longer = Attempt { plan, slots: attempt.slots.clone(), model: attempt.model.clone() };
                    let ends = self.ends(opponent, &longer, effort);
                    for model in ends.results.into_iter().chain(ends.states) {
                        let (plan, slots) = (longer.plan.clone(), longer.slots.clone());
                        let attempt = Attempt { model, plan, slots };
                        if self.try_attempt_on_both(opponent, changed, &attempt, writer, found) {
                            return;
                        }
                        if next.len() < MAX_HIDDEN * effort {
                            next.push(attempt);
                        }
                    }
                }
            }
            hidden = next;
        }
    }

    fn try_attempt_on_both(
        &mut self,
        opponent: &mut Opponent<'_>,
        changed: usize,
        attempt: &Attempt,
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) -> bool {
        let Some(candidate) = self.follow_to_end(&opponent.bases.original, attempt) else { return false };
        let mut runs = self.changed_methods_of(opponent, &candidate);
        runs.insert(changed);
        self.try_on_both(opponent, &candidate, &runs, writer, found)
    }

    /// Runs a product.
    fn ends(&mut self, opponent: &Opponent<'_>, attempt: &Attempt, effort: usize) -> Ends {
        let mut ends = Ends { is_same: true, ..Ends::default() };
        let version = opponent.version.clone();
        let sides = MAX_SIDES * effort;
        let is_whole = self.explore_product(&opponent.bases, version, attempt, sides, |search, done| {
            if let Some(done) = done {
                search.compare_ends(done, &mut ends);
            }
            ends.results.len() < MAX_INPUTS && !search.is_out_of_work(opponent)
        });
        ends.is_same &= is_whole;
        ends
    }

    /// Adds inputs on which a path ends differently.
    fn compare_ends(&mut self, done: Completed<Product>, ends: &mut Ends) {
        let is_end = |it: &Ended| matches!(it, Ended::Returned(_) | Ended::Threw(_));
        let Some((original, other)) = done.driver.ends() else {
            ends.is_same = false;
            return;
        };
        if !is_end(original) {
            ends.is_same = false;
            return;
        }
        ends.paths += 1;
        if !is_end(other) {
            ends.is_same = false;
            ends.results.push(done.model);
            return;
        }
        for extent in [Extent::Result, Extent::State] {
            let (original, other) = done.driver.images(self.machine, extent);
            let differing = match Image::compare(self.machine, &done.model, original, other.as_ref()) {
                Comparison::Different => Some(done.model.clone()),
                Comparison::Alike { pairs, is_complete } => match self.tell_apart(&done, &pairs) {
                    Answer::Sat(model) => Some(model),
                    Answer::Unsat { .. } => {
                        ends.is_same &= is_complete;
                        None
                    }
                    Answer::Unknown(_) => {
                        ends.is_same = false;
                        None
                    }
                },
                Comparison::Same => None,
                Comparison::Unknown => {
                    ends.is_same = false;
                    None
                }
            };
            let Some(model) = differing else { continue };
            ends.is_same = false;
            match extent {
                Extent::Result => ends.results.push(model),
                Extent::State if ends.states.len() < MAX_INPUTS => ends.states.push(model),
                Extent::State => {}
            }
            return;
        }
    }
}

/// One difference of each kind: the smallest that runs these changed methods through this method and shows this.
fn smallest(all: Vec<Difference>) -> Vec<Difference> {
    let size = |it: &Difference| {
        let text = format!("{:?}", it.old_case.steps);
        (it.old_case.steps.len(), text.len(), text)
    };
    let mut kept: BTreeMap<(BTreeSet<usize>, String, String), Difference> = BTreeMap::new();
    for difference in all {
        let method = &difference.old_case.under_test;
        let name = format!("{}.{}{}", method.class, method.name, method.descriptor);
        let key = (difference.runs.clone(), name, kind(&difference.what));
        match kept.entry(key) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(difference);
            }
            std::collections::btree_map::Entry::Occupied(mut known) => {
                if size(&difference) < size(known.get()) {
                    known.insert(difference);
                }
            }
        }
    }
    let mut kept: Vec<Difference> = kept.into_values().collect();
    kept.sort_by_cached_key(size);
    kept
}

/// What a difference is about, without its values.
fn kind(what: &Contrast) -> String {
    let end = |end: &End| match end {
        End::Threw { class, .. } => class.to_string(),
        other => format!("{other:?}"),
    };
    match what {
        Contrast::Ends(old, new) => format!("{} {}", end(old), end(new)),
        Contrast::Values(_) => "values".to_owned(),
    }
}
