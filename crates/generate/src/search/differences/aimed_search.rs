//! Sequences aimed at a changed method that shows no difference yet.

use super::super::Search;
use super::super::products::{Attempt, MAX_CALLS, MAX_HIDDEN, MAX_STATES};
use super::findings::Findings;
use super::opponent::Opponent;
use crate::candidate::Candidate;
use crate::case_writer::CaseWriter;
use crate::comparison::{ComparisonVerdict, SameBound};
use crate::plan::PlanStep;
use cupping_machine::MethodId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Limit on the sequences along which a changed method runs on both versions.
const MAX_ALONG: usize = 6;
/// Limit on the arguments that such a call is tried with.
const MAX_ARGUMENTS: usize = 12;
/// Limit on the arguments of the calls that are appended to reveal a difference.
const MAX_REVEALING: usize = 6;

impl Search<'_> {
    /// Runs products for a changed method until a difference is observed.
    pub(super) fn seek(
        &mut self,
        opponent: &mut Opponent<'_>,
        changed: usize,
        effort: usize,
        candidates: &[(Candidate, BTreeSet<usize>)],
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) {
        let mut along = along_ways(candidates, changed, MAX_ALONG * effort);
        let reaching = candidates.iter().filter(|(_, reached)| reached.contains(&changed));
        let callers = reaching.filter_map(|(it, _)| Some(it.plan.under_test()?.method)).collect();
        along.extend(self.calls_across_states(&callers, MAX_STATES * effort));
        let mut hidden: Vec<Attempt> = Vec::new();
        for attempt in along {
            if self.is_out_of_work(opponent) {
                return;
            }
            let ends = self.ends(opponent, &attempt, effort);
            if let ComparisonVerdict::Open { paths, .. } = &mut found.verdicts[changed] {
                *paths += ends.paths;
            }
            let method = opponent.changed[changed];
            // Nothing is left to be asked about a function of its arguments.
            if ends.is_same && method.is_some_and(|it| self.has_all_inputs(&attempt.plan, it)) {
                let elements = self.options.max_elements;
                let bound = SameBound { elements, sequences: None };
                found.verdicts[changed] = ComparisonVerdict::Same(bound);
                return;
            }
            for model in ends.results.into_iter().chain(ends.states) {
                let attempt = Attempt { model, plan: attempt.plan.clone(), slots: attempt.slots.clone() };
                if self.try_attempt_on_both(opponent, changed, &attempt, writer, found) {
                    return;
                }
                if hidden.len() < MAX_HIDDEN * effort {
                    hidden.push(attempt);
                }
            }
        }
        self.reveal(opponent, changed, effort, hidden, writer, found);
    }

    /// Looks for a difference with fewer calls than those known.
    pub(super) fn shorten(
        &mut self,
        opponent: &mut Opponent<'_>,
        changed: usize,
        candidates: &[(Candidate, BTreeSet<usize>)],
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) {
        let Some(most) = found.fewest_calls(changed) else { return };
        let mut shorter = along_ways(candidates, changed, usize::MAX);
        shorter.retain(|it| it.plan.calls() < most);
        shorter.sort_by_key(|it| it.plan.calls());
        for attempt in shorter.into_iter().take(MAX_ALONG) {
            if self.is_out_of_work(opponent) {
                return;
            }
            for model in self.ends(opponent, &attempt, 1).results {
                let attempt = Attempt { model, plan: attempt.plan.clone(), slots: attempt.slots.clone() };
                if self.try_attempt_on_both(opponent, changed, &attempt, writer, found) {
                    return;
                }
            }
        }
    }

    /// Calls of these methods with free arguments, from states spread over all known ones: states found early
    /// are small, states found late follow many calls. All states are tried with the likely arguments before
    /// others are.
    fn calls_across_states(&mut self, methods: &BTreeSet<MethodId>, most: usize) -> Vec<Attempt> {
        let subject = self.subject;
        let invokables = subject.under_test.iter().filter(|it| it.has_receiver());
        let invokables: Vec<_> = invokables.filter(|it| methods.contains(&it.method)).collect();
        let count = self.states.len();
        let places: BTreeSet<usize> =
            (0..most).map(|at| at * count / most).filter(|at| *at < count).collect();
        let most_arguments = MAX_ARGUMENTS.min(most);
        let mut turns: Vec<(usize, usize, usize)> = Vec::new();
        for (rank, state) in places.into_iter().enumerate() {
            turns.extend((0..most_arguments).map(|nth| (rank + 3 * nth, state, nth)));
        }
        turns.sort_unstable();
        let mut attempts = Vec::new();
        for (_, state, nth) in turns {
            for invokable in &invokables {
                let known = &self.states[state];
                let (Some(receiver), class) = (known.receiver, known.class) else { continue };
                if attempts.len() == 2 * most {
                    return attempts;
                }
                if !self.machine.is_subtype(class, invokable.class) {
                    continue;
                }
                let (plan, slots) = (known.driver.plan.clone(), known.driver.slots.clone());
                let model = known.model.clone();
                let plan = self.with_arguments(&plan, invokable, receiver, nth);
                attempts.extend(plan.map(|plan| Attempt { plan, slots: Rc::new(slots), model }));
            }
        }
        attempts
    }

    /// Appends calls to runs whose states differ, until a result shows the difference.
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
                let observers = subject.under_test.iter().filter(|it| it.has_receiver());
                let turns = observers.flat_map(|it| (0..MAX_REVEALING.min(effort)).map(move |nth| (nth, it)));
                let mut turns: Vec<_> = turns.collect();
                turns.sort_by_key(|(nth, _)| *nth);
                for (nth, invokable) in turns {
                    if self.is_out_of_work(opponent) {
                        return;
                    }
                    let Some(plan) = self.with_arguments(&attempt.plan, invokable, receiver, nth) else {
                        continue;
                    };
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
}

/// The calls of paths that run a changed method. Distinct calls come first, then the same calls with other
/// inputs, then other paths of the same calls.
fn along_ways(candidates: &[(Candidate, BTreeSet<usize>)], changed: usize, most: usize) -> Vec<Attempt> {
    let mut by_calls: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut by_inputs: BTreeMap<(Vec<String>, Vec<String>), usize> = BTreeMap::new();
    let mut ways: Vec<(usize, usize, &Candidate)> = Vec::new();
    for (candidate, _) in candidates.iter().filter(|(_, reached)| reached.contains(&changed)) {
        let calls = candidate.plan.calls_by_name();
        let input = |step: &PlanStep| match step {
            PlanStep::Input { input, .. } => Some(format!("{input:?}")),
            _ => None,
        };
        let inputs: Vec<String> = candidate.plan.steps.iter().filter_map(input).collect();
        let inputs = (calls.clone(), inputs);
        let calls = by_calls.entry(calls).or_default();
        let inputs = by_inputs.entry(inputs).or_default();
        ways.push((3 * *inputs + *calls, *inputs, candidate));
        *inputs += 1;
        *calls += 1;
    }
    ways.sort_by_key(|(rank, inputs, _)| (*rank, *inputs));
    ways.into_iter().take(most).map(|(_, _, candidate)| Attempt::of(candidate)).collect()
}
