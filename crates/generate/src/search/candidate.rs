//! Which completed paths become candidates for tests.

use super::{Job, Search, is_application};
use crate::candidate::Candidate;
use crate::driver::PlanDriver;
use crate::exceptions::{ThrownException, missing_class, says_more_of_the_jvm};
use crate::invokable::Invokable;
use crate::realization::LONGEST_TEST;
use crate::redundancy::{Extent, redundant};
use cupping_case::{Blame, Criterion};
use cupping_explore::{CompletedPath, InvocationEnd, Path, Signature};
use cupping_machine::{DecisionKind, Halt};
use std::collections::btree_map::Entry;
use std::rc::Rc;

/// Number of definition-use pairs up to which a new pair extends the search.
const FEW_PAIRS: usize = 200;

impl Search<'_> {
    /// Whether a run that has just ended slept or waited longer than a test may.
    pub(super) fn takes_long(&self) -> bool {
        self.machine.now().saturating_sub(self.begins_at) > LONGEST_TEST
    }

    /// Handles a completed path; the machine is at its end.
    pub(super) fn complete(&mut self, job: &Job, done: CompletedPath<PlanDriver>) {
        let Some(ended) = done.driver.ended.clone() else { return };
        self.losses.ended(self.machine, job.invokable.method, &ended);
        if let InvocationEnd::Halted(Halt::Unsupported(what)) = &ended {
            self.statistics.missing_natives.insert(what.clone());
        }
        if matches!(ended, InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions) {
            return;
        }
        if let InvocationEnd::Threw(exception) = &ended
            && says_more_of_the_jvm(self.machine, *exception)
        {
            self.statistics.missing_classes.extend(missing_class(self.machine, *exception));
            return;
        }
        if self.takes_long() {
            self.losses.took_long(job.invokable.method);
            return;
        }
        let thrown = match &ended {
            InvocationEnd::Threw(exception) => {
                Some(ThrownException::of(self.machine, *exception, &done.driver, &done.path))
            }
            _ => None,
        };
        if self.withhold(job, &done, thrown.as_ref())
            || self.constants.are_changed(self.machine, &done.driver.plan)
        {
            return;
        }
        let mut hits = self.machine.hits_under(&done.model);
        if let Some(before) = &job.hits_before {
            // Goals of earlier operations of a world are covered by their own tests.
            let known = before.iter().zip(&self.hits).map(|(before, covered)| before & covered);
            let own = Rc::make_mut(&mut hits).iter_mut();
            own.zip(known.chain(std::iter::repeat(0))).for_each(|(hits, known)| *hits &= !known);
        }
        // For an operation in a world, the pairs of the world's other operations do not count.
        let pairs = if job.in_world { Rc::default() } else { self.machine.registers().pairs.clone() };
        let fails_to_construct = thrown.is_some() && self.constructs_under_test(&job.invokable);
        let under_test = self.is_under_test(&job.invokable) || job.is_on_result() || fails_to_construct;
        let control = self.control(&done);
        let mut gained = false;
        if under_test {
            let covered = self.map.covered(&hits);
            let gain = self.map.gain(&covered, &self.goals);
            let new_throw = thrown.as_ref().is_some_and(|it| {
                let grade = it.grade(&done.driver, &done.model);
                let known = self.thrown.entry((it.fault(), job.invokable.method));
                match known {
                    Entry::Vacant(first) => first.insert(grade) == &grade,
                    Entry::Occupied(mut known) => *known.get() > grade && known.insert(grade) > grade,
                }
            });
            // Write one input for each fault, and those that cover something new. Without tests of broken
            // preconditions, only likely defects are left.
            let reaches_new = gain.total() > 0;
            let is_written = thrown.as_ref().and_then(|it| it.cause.as_ref()).is_none_or(|cause| {
                cause.blame == Blame::Defect
                    || (new_throw || reaches_new) && self.options.writes_preconditions()
            });
            let new_cover = is_written && reaches_new;
            if let Some(thrown) = thrown.as_ref().filter(|it| it.is_failure() && reaches_new) {
                self.grow_inputs(job, thrown);
            }
            let is_first = thrown.as_ref().is_none_or(|it| it.cause.is_none() || new_throw);
            let new_pair = is_written && is_first && pairs.iter().any(|p| !self.pairs.contains(p));
            let new_path = self.options.criteria.has(Criterion::Path)
                && self.ways.insert((job.invokable.method, control))
                || self.is_new_way(job.invokable.method, control, &hits);
            if new_cover {
                let last = done.driver.plan.steps.len() - 1;
                self.remember_arguments(&done.driver, last, &done.model, false);
                self.variants.note_gain(&done.driver.plan);
            }
            gained = new_cover || new_pair || new_throw || new_path;
            let plain_return = thrown.is_none()
                && !self.candidates.iter().any(|c| {
                    c.thrown.is_none()
                        && c.plan.under_test().is_some_and(|m| m.method == job.invokable.method)
                });
            if gained || plain_return || job.remembered.is_some() {
                let effects = self.influence.effects(self.machine, self.subject.class, job.invokable.method);
                let is_pure = effects.is_pure() && job.invokable.has_receiver() && !job.is_on_result();
                if is_written {
                    self.cover(&hits);
                    self.pairs.extend(pairs.iter().copied());
                }
                self.counts.meet(&hits);
                let is_goal = self.options.pairs_are_goals || self.pairs.len() < FEW_PAIRS;
                if new_cover || new_throw || new_path || (new_pair && is_goal) || self.last_find == 0 {
                    self.last_find = self.work;
                }
                self.candidates.push(Candidate {
                    plan: done.driver.plan.clone(),
                    driver: done.driver.clone(),
                    path: done.path.clone(),
                    model: done.model.clone(),
                    hits,
                    pairs,
                    ended: ended.clone(),
                    thrown,
                    is_pure,
                    leaf: done.leaf,
                    control,
                    remembered: job.remembered.clone(),
                    keeps_inputs: false,
                });
            }
        }
        if under_test && !job.is_found {
            self.note_sentence(&done);
        }
        if let Some(story) = &mut self.story {
            let unused = redundant(self.machine, &mut self.influence, &done.driver, Extent::Complete);
            story.path(&done.driver.plan, gained && under_test, unused.is_some());
        }
        if matches!(ended, InvocationEnd::Returned(_)) {
            let last = done.driver.plan.steps.len() - 1;
            self.remember_arguments(&done.driver, last, &done.model, true);
            self.extend_results(job, &done);
            self.extend(job, done, gained);
        }
    }

    /// The signature of the control-flow path through the last invocation, in code under test. Values fixed
    /// on the way and requirements do not count.
    pub(super) fn control(&self, done: &CompletedPath<PlanDriver>) -> Signature {
        let in_jdk = self.machine.class(self.subject.class).from_jdk;
        let decisions = done.path.decisions();
        let own = decisions[done.begun_after.min(decisions.len())..].iter().filter(|taken| {
            let is_way = taken.kind != DecisionKind::Concretization && !taken.kind.is_required();
            is_way && (in_jdk || is_application(self.machine, taken.site.method))
        });
        let ways = own.fold(Path::default(), |path, taken| path.with(*taken));
        ways.signature()
    }

    /// Whether an invocation is of a constructor of an abstract class under test. Tests of the methods show what it
    /// does, unless it throws.
    fn constructs_under_test(&self, invokable: &Invokable) -> bool {
        let is_asked_for = self.options.methods.is_empty();
        is_asked_for && invokable.stub.is_some() && invokable.class == self.subject.class
    }

    /// Whether an invocation can be a test's subject; unrequested makers are only used for set-up.
    pub(super) fn is_under_test(&self, invokable: &Invokable) -> bool {
        self.subject.under_test.iter().any(|m| m.method == invokable.method)
    }
}
