//! The entry of a call: selects the triples that apply, and captures the state before it.

use super::inner_call::site_of_call;
use super::limits::{ALLOWED, OF_A_BRANCH, OF_A_CALL, OF_A_PICTURE};
use super::method_knowledge::{MethodKnowledge, MethodTriples};
use super::running_call::RunningCall;
use super::state::WatcherState;
use crate::binding::TraceStep;
use crate::conditions::Truth;
use crate::method_names::named;
use cupping_machine::{Addr, Kind, Machine, WatchedCall};

impl WatcherState {
    /// A method of the program is entered; returns whether its end is of interest.
    pub(super) fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
        let tested = match self.known(machine, call.method) {
            MethodKnowledge::Ignored => return false,
            MethodKnowledge::Untested => None,
            MethodKnowledge::Tested(tested) => Some(tested.clone()),
        };
        if self.is_replaced(machine, call.method) {
            self.note_replaced(machine, call.method);
        }
        if self.looks && self.running.iter().any(|it| it.tested.looks) {
            let arguments = machine.arguments_of_call(call.method);
            let place = TraceStep::Enter(named(machine, call.method));
            self.search(&place, Some(&arguments));
        }
        let Some(tested) = tested else {
            *self.counts.entry(call.method).or_default() += 1;
            if let Some(running) = self.failing_initialization(machine, call) {
                self.running.push(running);
                return true;
            }
            if let Some(running) = self.changed_at_border(machine, call) {
                self.running.push(running);
                return true;
            }
            // If no branch looks for objects, only the number of calls matters.
            let is_counted = !self.looks && !self.is_replaced(machine, call.method);
            if is_counted && !self.may_enter(machine, call.method) {
                machine.count_calls(call.method);
            }
            return false;
        };
        if self.is_too_much(machine, &tested) {
            self.skipped += 1;
            return false;
        }
        self.calls += 1;
        self.spend(OF_A_CALL);
        let spare = self.spare.pop();
        let mut running = spare.unwrap_or_else(|| Box::new(RunningCall::new(call, tested.clone())));
        running.begin(call, tested.clone());
        running.thread = machine.registers().thread;
        machine.put_arguments_of_call(call.method, &mut running.arguments);
        running.site = site_of_call(machine, call.method);
        running.row = self.rows.number((call.method, running.site.0, running.site.1));
        let mut candidates = running.mask & tested.index.candidates(&running.arguments);
        while candidates != 0 {
            let place = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            self.spend(OF_A_BRANCH);
            let branch = tested.branches[place];
            if let Some(found) = self.check_branch(machine, place, branch, &running.arguments) {
                self.used[branch] += 1;
                let needed: Vec<Addr> = self.branches[branch].objects_needed(&found.matched).collect();
                for object in needed {
                    self.pin(machine, object);
                    running.pinned.push(object);
                }
                running.active.push(found);
            }
        }
        let is_certain = running.active.iter().any(|it| it.truth == Truth::Holds && !it.assumed);
        if tested.has_predicates && !is_certain && self.samples_predicates(call.method) {
            running.predicates = self.predicates(machine, &tested, &running.arguments);
        }
        for (kind, value) in tested.kinds.iter().zip(&running.arguments) {
            if *kind == Kind::Reference && value.bits != 0 {
                self.pin(machine, value.as_ref());
                running.pinned.push(value.as_ref());
            }
        }
        // Integers need no pinning: they can still be shown later.
        if !running.pinned.is_empty() && self.rows.get(running.row).keeps_before(self.options.examples) {
            self.spend(OF_A_PICTURE);
            running.before = Some(self.state_of(machine, &tested, call.method, &running.arguments));
        }
        if running.active.is_empty() {
            if self.rows.get(running.row).wants_examples(self.options.examples) {
                self.spend(OF_A_PICTURE);
                running.nearest = self.nearest(machine, &tested, &running.arguments);
            }
            running.is_other_value =
                tested.exhaustive && self.precondition_holds(machine, &tested, &running.arguments);
        }
        running.changed = self.compare_versions(machine, &running);
        self.running.push(running);
        true
    }

    /// Whether conditions have cost too much so far.
    pub(super) fn has_overspent(&self, machine: &Machine) -> bool {
        let beyond = self.spent.get().saturating_sub(ALLOWED);
        let is_over = |overhead: u32| {
            let until = self.begun.saturating_sub(beyond.div_ceil(u64::from(overhead.max(1))));
            beyond > 0 && machine.fuel() > until
        };
        self.options.budget.is_some_and(|it| self.spent.get() >= it)
            || self.options.overhead.is_some_and(is_over)
    }

    /// Whether to skip this call because conditions have cost too much. Triples that others wait for are
    /// never skipped.
    fn is_too_much(&self, machine: &mut Machine, tested: &MethodTriples) -> bool {
        if tested.is_waited_for {
            return false;
        }
        if self.options.budget.is_some_and(|it| self.spent.get() >= it) {
            machine.be_quiet_until(0);
            return true;
        }
        let Some(overhead) = self.options.overhead else { return false };
        let beyond = self.spent.get().saturating_sub(ALLOWED);
        // The fuel that the program must reach before the next check; the machine sends no events until then.
        let until = self.begun.saturating_sub(beyond.div_ceil(u64::from(overhead.max(1))));
        machine.be_quiet_until(until);
        beyond > 0 && machine.fuel() > until
    }
}
