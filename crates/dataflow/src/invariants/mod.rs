//! Class invariants: formulas about the variables of the object that constructors establish, and that every call that
//! returns preserves. Deduction need not go on from a state that contradicts one, however long the sequences are that
//! could lead there.
//!
//! As Houdini does (Flanagan & Leino), [`candidates`] are guessed from the code, and those that a path may violate are
//! dropped until the rest implies itself on all paths. Paths over-approximate, so what is left holds after all
//! sequences of calls that return.

mod candidates;

use crate::account::Stop;
use crate::deduce::CallableKind;
use crate::flattened_class::FlatClass;
use crate::symbolic::{MethodSummary, PathEnd, StateVariables, with_lengths};
use candidates::Candidate;
use cupping_solve::{Answer, Query, Solver};
use cupping_term::{Evaluator, Substitution, TermId, Terms, VarIndex};
use std::collections::{BTreeMap, BTreeSet};

/// Work on a group of a step at least, in microseconds: if there is less for all, the search would be in vain.
const PER_GROUP: u64 = 1_000;

/// A path that another call can follow.
struct Step {
    is_constructor: bool,
    condition: Vec<TermId>,
    after: Vec<(VarIndex, TermId)>,
    /// The state variables that condition and values after it read.
    read: BTreeSet<VarIndex>,
}

impl Step {
    /// The sets of variables that candidates are about which the step may violate. Formulas about the same variables
    /// are checked together.
    fn groups(&self, left: &[Candidate]) -> BTreeSet<BTreeSet<VarIndex>> {
        let changed: BTreeSet<VarIndex> = self.after.iter().map(|(variable, _)| *variable).collect();
        let groups = left.iter().map(|it| &it.variables);
        groups.filter(|group| self.is_constructor || !group.is_disjoint(&changed)).cloned().collect()
    }

    /// Whether a candidate says something about the state before the step that concerns these variables after it.
    fn knows(&self, candidate: &Candidate, group: &BTreeSet<VarIndex>) -> bool {
        candidate.variables.iter().all(|variable| group.contains(variable) || self.read.contains(variable))
    }
}

/// With how many candidates those about certain variables were found to be preserved by a step.
type Verified = BTreeMap<(usize, BTreeSet<VarIndex>), usize>;

/// The search for invariants.
pub(crate) struct Search<'a> {
    pub terms: &'a mut Terms,
    pub solver: &'a mut Solver,
    pub flat: &'a FlatClass,
    pub variables: &'a StateVariables,
    pub summaries: &'a [MethodSummary],
    pub kinds: &'a [CallableKind],
    /// Work of the solver at which it gives up, in microseconds.
    pub limit: u64,
    pub stop: Stop,
}

impl Search<'_> {
    /// The invariants; none if the work did not suffice, since only all of them together are known to hold.
    pub fn run(&mut self) -> Vec<TermId> {
        let steps = self.steps();
        let mut left = candidates::candidates(self.terms, self.flat, self.variables, self.summaries);
        let groups: usize = steps.iter().map(|step| step.groups(&left).len()).sum();
        if groups as u64 * PER_GROUP > self.limit.saturating_sub(self.solver.work()) {
            return Vec::new();
        }
        let mut verified = Verified::default();
        loop {
            let before = left.len();
            for (nth, step) in steps.iter().enumerate() {
                if !self.keep_preserved(nth, step, &mut left, &mut verified) {
                    return Vec::new();
                }
            }
            if left.len() == before {
                break;
            }
        }
        left.into_iter().map(|it| it.formula).collect()
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (summary, kind) in self.summaries.iter().zip(self.kinds) {
            for path in summary.paths.iter().filter(|path| path.end != PathEnd::Threw) {
                let terms = path.condition.iter().chain(path.after.iter().map(|(_, value)| value));
                let read = terms.flat_map(|term| self.terms.variables(*term)).copied();
                let read = read.filter(|variable| self.variables.contains(*variable)).collect();
                let is_constructor = *kind == CallableKind::Constructor;
                steps.push(Step {
                    is_constructor,
                    condition: path.condition.clone(),
                    after: path.after.clone(),
                    read,
                });
            }
        }
        // What constructors establish excludes most.
        steps.sort_by_key(|step| !step.is_constructor);
        steps
    }

    /// Drops the candidates that may not hold after a step; returns whether the work sufficed.
    fn keep_preserved(
        &mut self,
        nth: usize,
        step: &Step,
        left: &mut Vec<Candidate>,
        verified: &mut Verified,
    ) -> bool {
        for group in step.groups(left) {
            // Candidates only get fewer: as many as before are the same.
            let is_known = |it: &&Candidate| step.knows(it, &group);
            let known = left.iter().filter(is_known).count();
            if verified.get(&(nth, group.clone())) == Some(&known) {
                continue;
            }
            if !self.keep_of_group(step, &group, left) {
                return false;
            }
            // What was dropped just now was still given.
            verified.insert((nth, group), known);
        }
        true
    }

    /// The same for the candidates about these variables.
    fn keep_of_group(&mut self, step: &Step, group: &BTreeSet<VarIndex>, left: &mut Vec<Candidate>) -> bool {
        let mut substitution = Substitution::default();
        for (variable, value) in &step.after {
            substitution.set(self.terms, *variable, *value);
        }
        let mut given = step.condition.clone();
        if !step.is_constructor {
            given.extend(left.iter().filter(|it| step.knows(it, group)).map(|it| it.formula));
        }
        let (of_group, mut others): (Vec<_>, Vec<_>) =
            std::mem::take(left).into_iter().partition(|it| it.variables == *group);
        let mut open: Vec<(Candidate, TermId)> = Vec::new();
        for candidate in of_group {
            let after = substitution.apply(self.terms, candidate.formula);
            open.push((candidate, after));
        }
        let mut kept = Vec::new();
        let mut values = Evaluator::new();
        // All at once, until the solver cannot decide; then one by one.
        let mut is_single = false;
        while !open.is_empty() {
            if self.solver.work() > self.limit || self.stop.is_due() {
                return false;
            }
            let checked = if is_single { 1 } else { open.len() };
            let mut all = self.terms.bool(true);
            for (_, after) in &open[..checked] {
                all = self.terms.and(all, *after);
            }
            let mut assertions = given.clone();
            assertions.push(self.terms.not(all));
            let assertions = with_lengths(self.terms, &assertions);
            match self.solver.solve(self.terms, &Query { assertions: &assertions, hint: None }) {
                Answer::Unsat { .. } => kept.extend(open.drain(..checked)),
                Answer::Sat(model) => {
                    values.forget();
                    open.retain(|(_, after)| values.eval(self.terms, &model, *after) != 0);
                }
                Answer::Unknown(_) if is_single => drop(open.remove(0)),
                Answer::Unknown(_) => is_single = true,
            }
        }
        others.extend(kept.into_iter().map(|(candidate, _)| candidate));
        *left = others;
        true
    }
}
