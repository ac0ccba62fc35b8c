//! Withholds paths with effects outside of the test's folder, and retries them: strings that became paths are
//! replaced by paths in the folder.

use super::{Candidate, Job, Search};
use crate::driver::PlanDriver;
use crate::exceptions::ThrownException;
use crate::invokable::Invokable;
use crate::plan::PlanStep;
use cupping_case::{Effect, TEST_FOLDER, danger};
use cupping_explore::{CompletedPath, InvocationEnd};
use std::rc::Rc;

/// Limit on the withheld paths kept for the report.
const MAX_WITHHELD: usize = 200;

impl Search<'_> {
    /// Whether the completed path must not become a test, because it is unsafe or depends on the computer. It
    /// is kept for the report if it covers something new, and never extended.
    pub(super) fn withhold(
        &mut self,
        job: &Job,
        done: &CompletedPath<PlanDriver>,
        thrown: Option<&ThrownException>,
    ) -> bool {
        let effects = self.machine.effects();
        let escapes = effects.escapes_so_far(TEST_FOLDER);
        if escapes.is_empty() {
            return false;
        }
        let paths: Vec<&str> = escapes
            .iter()
            .filter_map(|effect| match effect {
                Effect::File { path, .. } | Effect::DeleteOnExit(path) => Some(&**path),
                _ => None,
            })
            .collect();
        if let Some(worst) = danger(&effects) {
            self.losses.withheld(job.invokable.method, worst);
        }
        if !paths.is_empty() {
            self.give_paths(job, done, &paths);
        }
        if self.is_under_test(&job.invokable) && self.withheld.len() < MAX_WITHHELD {
            let hits = self.machine.hits_under(&done.model);
            let known = self.withheld.iter().fold(self.goals.clone(), |mut known, other| {
                known.union(&self.map.covered(&other.hits));
                known
            });
            let is_first = !self
                .withheld
                .iter()
                .any(|other| other.plan.under_test().is_some_and(|it| it.method == job.invokable.method));
            if is_first || self.map.gain(&self.map.covered(&hits), &known).total() > 0 {
                self.withheld.push(Candidate {
                    plan: done.driver.plan.clone(),
                    driver: done.driver.clone(),
                    path: done.path.clone(),
                    model: done.model.clone(),
                    hits,
                    pairs: self.machine.registers().pairs.clone(),
                    ended: done.driver.ended.clone().unwrap_or(InvocationEnd::TooManyDecisions),
                    thrown: thrown.cloned(),
                    is_pure: false,
                    leaf: done.leaf,
                    control: 0,
                    remembered: job.remembered.clone(),
                    keeps_inputs: false,
                });
            }
        }
        true
    }

    /// Retries invocations whose strings became one of these paths with paths in the test's folder.
    fn give_paths(&mut self, job: &Job, done: &CompletedPath<PlanDriver>, paths: &[&str]) {
        let mut again: Vec<Rc<Invokable>> = Vec::new();
        for step in &done.driver.plan.steps {
            let PlanStep::Call { invokable, arguments, .. } = step else { continue };
            let became_path = arguments.iter().any(|var| {
                let ty = &done.driver.plan.variables[*var].ty;
                let object = done.driver.object(*var).filter(|_| ty.is_string());
                object.is_some_and(|object| {
                    let units = self.machine.string_units(object);
                    let text = String::from_utf16_lossy(&units);
                    paths.iter().any(|path| is_part(&text, path))
                })
            });
            if became_path && self.provider.takes_paths(invokable) {
                again.push(invokable.clone());
            }
        }
        for invokable in again {
            self.try_again(job, &invokable);
        }
    }

    /// Schedules an invokable again with new arguments.
    fn try_again(&mut self, job: &Job, invokable: &Rc<Invokable>) {
        if job.invokable.method == invokable.method && invokable.has_receiver() {
            let fits = |state: &usize| {
                let state = &self.states[*state];
                state.receiver.is_some() && self.machine.is_subtype(state.class, self.subject.class)
            };
            let states: Vec<usize> = (0..self.states.len()).filter(fits).collect();
            for state in states {
                let (receiver, cost) = (self.states[state].receiver, self.states[state].cost);
                self.push_jobs(Some(state), invokable, receiver, cost);
            }
        } else if job.invokable.method == invokable.method || self.subject.is_maker(invokable) {
            self.push_jobs(None, invokable, None, 0);
        } else {
            let cost = self.cost_of(job.state);
            let invokable = job.invokable.clone();
            self.push_jobs(job.state, &invokable, job.receiver, cost);
        }
    }
}

/// Whether a string may have become part of an absolute path. The empty string denotes the current folder.
fn is_part(text: &str, path: &str) -> bool {
    let text = text.trim_matches('/');
    text.split('/').all(|part| matches!(part, "" | "." | "..")) || path.contains(text)
}

#[cfg(test)]
mod tests {
    use super::is_part;

    #[test]
    fn texts_in_paths() {
        for (text, path) in
            [("a", "/cupping-dir/a"), ("", "/cupping-dir"), ("/etc/", "/etc/hosts"), ("..", "/")]
        {
            assert!(is_part(text, path), "{text} {path}");
        }
        assert!(!is_part("b", "/etc/hosts/a"));
    }
}
