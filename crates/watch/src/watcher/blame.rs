//! Who is to blame for a triple that does not hold.
//!
//! If a predicate is broken, the call may be as innocent as its test: the fault may be in a method that it calls, or
//! that the predicate itself calls. A fault that the suite does not notice mostly lies on a path that no test takes.
//! So if the call took a tested path, and only one method among those took an untested one, that one is to blame.
//!
//! If the suite ran with an earlier version of the program, more is certain. A triple fits a call if everything that
//! the call and its condition read is as in the test. Where no code differs between the versions, the call then does
//! what it did in the test. So only a method whose code has changed can be to blame, and only if it ran: the method
//! itself, one that it called, or one that the condition calls. If the call was compared with the earlier version
//! ([`super::versions`]), that says which.

use super::active_branch::ActiveBranch;
use super::changed_call::ChangedCall;
use super::entered_calls::{Entered, MOST_LABELS};
use super::inner_call::{InnerCall, site_of_call};
use super::method_knowledge::MethodKnowledge;
use super::running_call::RunningCall;
use super::state::{Note, WatcherState};
use crate::method_names::named;
use crate::outcome::WatchOutcome;
use crate::path::Path;
use cupping_contract::CompiledTriple;
use cupping_machine::{CallEnd, Machine, MethodId};

/// Limit on the calls of changed methods that are kept of one call.
const MOST_CALLS: usize = 16;

/// A triple whose postcondition does not hold after a call.
#[derive(Clone, Copy)]
pub(super) struct BrokenTriple<'b> {
    pub(super) active: &'b ActiveBranch,
    pub(super) triple: &'b CompiledTriple,
    pub(super) running: &'b RunningCall,
    pub(super) how: CallEnd,
}

/// Who is to blame.
pub(super) enum Blame {
    /// The method whose triple does not hold.
    Callee,
    /// A method that ran in its course, or that the condition called.
    Other(InnerCall),
    /// Nobody, for this reason.
    Nobody(&'static str),
}

/// A method to blame that another one called.
pub(super) struct BlamedCall {
    call: InnerCall,
    /// The triple that shows it, if it is not an exception.
    branch: Option<usize>,
    /// How the outer call differs from the earlier version, if that is known.
    difference: Option<String>,
}

impl BlamedCall {
    pub(super) fn of(call: InnerCall, branch: usize) -> BlamedCall {
        BlamedCall { call, branch: Some(branch), difference: None }
    }
}

impl WatcherState {
    /// Whether the tests ran with other code of a method.
    pub(super) fn is_replaced(&self, machine: &Machine, method: MethodId) -> bool {
        let Some(replaced) = &self.options.replaced else { return false };
        let mut known = self.replaced.borrow_mut();
        let at = method.0 as usize;
        if known.len() <= at {
            known.resize(at + 1, None);
        }
        *known[at].get_or_insert_with(|| replaced.contains(&named(machine, method)))
    }

    /// Whether a static initialiser has changed.
    fn has_replaced_initializer(&self) -> bool {
        self.options.replaced.iter().flatten().any(|it| it.name == "<clinit>")
    }

    /// Records the call of such a method for the calls around it.
    pub(super) fn note_replaced(&mut self, machine: &Machine, method: MethodId) {
        let call = InnerCall { method, site: site_of_call(machine, method) };
        let thread = machine.registers().thread;
        for running in self.running.iter_mut().filter(|it| it.thread == thread) {
            if running.replaced.len() < MOST_CALLS && !running.replaced.contains(&call) {
                running.replaced.push(call);
            }
        }
    }

    /// The outcome of a call that behaves otherwise than with the earlier version, if the call itself is to blame.
    /// Callers are not to blame for calls that failed.
    pub(super) fn changed(
        &self,
        running: &RunningCall,
        others: &mut Vec<BlamedCall>,
    ) -> Option<(WatchOutcome, Option<usize>, Note)> {
        let changed = running.changed.as_ref().filter(|_| !running.failed_inside)?;
        let culprit = changed.culprit?;
        if culprit == running.call.method {
            return Some((WatchOutcome::FailedTest, changed.branch, changed.difference.clone().into()));
        }
        let difference = Some(changed.difference.clone());
        others.push(BlamedCall { call: call_of(running, culprit), branch: changed.branch, difference });
        None
    }

    /// Who is to blame for a postcondition that does not hold.
    pub(super) fn blame(&mut self, machine: &mut Machine, broken: BrokenTriple<'_>) -> Blame {
        let own = broken.running.call.method;
        match &broken.running.changed {
            Some(ChangedCall { culprit: Some(culprit), .. }) if *culprit == own => return Blame::Callee,
            Some(ChangedCall { culprit: Some(culprit), .. }) => {
                return Blame::Other(call_of(broken.running, *culprit));
            }
            Some(ChangedCall { culprit: None, .. }) => {
                return Blame::Nobody("several methods that it called have changed together");
            }
            None => {}
        }
        if self.options.replaced.is_none() {
            return self.blame_stray(machine, broken);
        }
        if self.is_replaced(machine, broken.running.call.method) {
            let is_long = self.branches[broken.active.branch].is_long;
            let mut others = Vec::new();
            if is_long {
                others = self.replaced_in_condition(machine, broken);
                others.retain(|it| it.method != broken.running.call.method);
            }
            return match others[..] {
                [] => Blame::Callee,
                _ => Blame::Nobody("the rest of the test calls other methods that have changed"),
            };
        }
        let inside = only_one(&broken.running.replaced);
        match inside {
            Found::One(call) => return Blame::Other(call),
            Found::Many => return Blame::Callee,
            Found::None => {}
        }
        match only_one(&self.replaced_in_condition(machine, broken)) {
            Found::One(call) => Blame::Other(call),
            Found::Many => Blame::Nobody("methods that the condition calls have changed"),
            // The state that it made is not that of the tests, whatever reads it.
            Found::None if self.has_replaced_initializer() => Blame::Callee,
            Found::None => Blame::Nobody("none of the code that runs has changed since the test"),
        }
    }

    /// Who is to blame for a broken predicate, according to the paths.
    fn blame_stray(&mut self, machine: &mut Machine, broken: BrokenTriple<'_>) -> Blame {
        if self.branches[broken.active.branch].property.is_none() || broken.running.tested_ways() == 0 {
            return Blame::Callee;
        }
        let mut strays = broken.running.strays.clone();
        if strays.is_empty() {
            strays = self.strays_in_condition(machine, broken);
        }
        match only_one(&strays) {
            Found::One(call) if call.method != broken.running.call.method => Blame::Other(call),
            _ => Blame::Callee,
        }
    }

    /// The innermost calls that a condition makes on paths that no test takes.
    fn strays_in_condition(&mut self, machine: &mut Machine, broken: BrokenTriple<'_>) -> Vec<InnerCall> {
        let entered = Entered { with_paths: true, ..Entered::default() };
        self.observe_condition(machine, &entered, broken);
        let calls = std::mem::take(&mut *entered.calls.borrow_mut());
        let mut strays = Vec::new();
        // Calls end before those that make them; those have a number that is smaller.
        let mut inner: Vec<usize> = Vec::new();
        for (number, call) in calls.iter().enumerate().rev() {
            let has_stray_inside = inner.iter().any(|it| (number + 1..call.until).contains(it));
            let MethodKnowledge::Tested(tested) = self.known(machine, call.method) else { continue };
            if call.labels.len() > MOST_LABELS {
                continue;
            }
            let steps = Path::of(&call.labels).steps;
            let ways =
                steps.iter().fold(u128::MAX, |set, it| set & tested.ways.get(it).copied().unwrap_or(0));
            if ways == 0 {
                inner.push(number);
                if !has_stray_inside {
                    strays.push(InnerCall { method: call.method, site: broken.running.site });
                }
            }
        }
        strays
    }

    /// Evaluates a condition again and records the calls that it makes.
    fn observe_condition(&self, machine: &mut Machine, entered: &Entered, broken: BrokenTriple<'_>) {
        let BrokenTriple { active, triple, running, how } = broken;
        *self.witness.borrow_mut() = Some(entered.clone());
        self.postcondition(machine, active, triple, running, how);
        *self.witness.borrow_mut() = None;
    }

    /// The changed methods that a condition calls.
    fn replaced_in_condition(&self, machine: &mut Machine, broken: BrokenTriple<'_>) -> Vec<InnerCall> {
        let entered = Entered::default();
        self.observe_condition(machine, &entered, broken);
        let calls = entered.calls.borrow();
        let methods = calls.iter().map(|it| it.method).filter(|it| self.is_replaced(machine, *it));
        methods.map(|method| InnerCall { method, site: broken.running.site }).collect()
    }

    /// Counts a failed test for a method that another one called.
    pub(super) fn blame_other(
        &mut self,
        machine: &mut Machine,
        running: &RunningCall,
        blamed: BlamedCall,
        how: CallEnd,
    ) {
        let BlamedCall { call, branch, difference } = blamed;
        let row = self.rows.number((call.method, call.site.0, call.site.1));
        if self.rows.get(row).count(WatchOutcome::FailedTest, self.options.examples) {
            let note = match (difference, &self.options.replaced) {
                (Some(difference), _) => {
                    format!("{} behaves otherwise because of this method: {difference}", running.tested.name)
                }
                (None, Some(_)) => {
                    let why = "this is the only code that has changed of what ran";
                    format!("the test of {} does not hold; {why}", running.tested.name)
                }
                (None, None) => {
                    let why = "of what ran, only this took a path that no test takes";
                    format!("the test of {} does not hold; {why}", running.tested.name)
                }
            };
            let example = self.example(machine, running, branch, how, note);
            self.rows.get(row).keep(WatchOutcome::FailedTest, example, true);
        }
    }
}

/// The call of a method that ran in the course of a call.
fn call_of(running: &RunningCall, method: MethodId) -> InnerCall {
    let known = running.replaced.iter().find(|it| it.method == method);
    known.copied().unwrap_or(InnerCall { method, site: running.site })
}

enum Found {
    None,
    One(InnerCall),
    Many,
}

fn only_one(calls: &[InnerCall]) -> Found {
    match calls {
        [] => Found::None,
        [first, rest @ ..] if rest.iter().all(|it| it.method == first.method) => Found::One(*first),
        _ => Found::Many,
    }
}
