//! Calls by which the program's own code enters classes that the earlier version has.
//!
//! Tests may run such a method only through others, as an overload that one with fewer parameters calls. Then it has
//! no triple. But whatever such a call returns or throws, the program sees. Calls within the library are not compared
//! without a triple: what its methods expect of each other may change.

use super::super::inner_call::site_of_call;
use super::super::method_knowledge::MethodTriples;
use super::super::running_call::RunningCall;
use super::super::state::WatcherState;
use super::PATIENCE;
use crate::method_names::named;
use cupping_machine::{Kind, Machine, MethodId, WatchedCall};
use std::rc::Rc;

/// Number of calls of a method after which it is no longer looked for calls of the program's own code.
const MOST_CALLS: u64 = 10_000;

impl WatcherState {
    /// Whether the program's own code makes this call of a class that the earlier version has, too.
    pub(super) fn is_at_border(&self, machine: &Machine, running: &RunningCall) -> bool {
        self.is_of_earlier(machine, running.call.method) && self.is_of_program(machine, running.site.0)
    }

    fn is_of_earlier(&self, machine: &Machine, method: MethodId) -> bool {
        let class = machine.class(machine.method(method).class);
        self.options.earlier.as_ref().is_some_and(|it| it.own.contains(&*class.name))
    }

    fn is_of_program(&self, machine: &Machine, method: MethodId) -> bool {
        let class = machine.class(machine.method(method).class);
        !class.from_jdk && class.file.is_some() && !self.is_of_earlier(machine, method)
    }

    /// Whether calls of a method without triples may still be compared.
    pub(in crate::watcher) fn may_enter(&self, machine: &Machine, method: MethodId) -> bool {
        let idle = self.versions.visits.get(&method).map_or(0, |it| it.1);
        self.is_of_earlier(machine, method)
            && idle < PATIENCE
            && self.counts.get(&method).is_none_or(|it| *it < MOST_CALLS)
    }

    /// The call of a method without triples, if the program's own code makes it and it behaves otherwise than with the
    /// earlier version.
    pub(in crate::watcher) fn changed_at_border(
        &mut self,
        machine: &mut Machine,
        call: WatchedCall,
    ) -> Option<Box<RunningCall>> {
        self.options.earlier.as_ref()?;
        let site = site_of_call(machine, call.method);
        let is_entry = self.is_of_earlier(machine, call.method) && self.is_of_program(machine, site.0);
        if !is_entry || self.has_overspent(machine) {
            return None;
        }
        let mut running = self.without_triples(machine, call);
        running.changed = self.compare_versions(machine, &running);
        running.changed.as_ref()?;
        self.begin_without_triples(machine, &mut running);
        Some(running)
    }

    /// The call of a method that has no triples.
    pub(super) fn without_triples(&self, machine: &mut Machine, call: WatchedCall) -> Box<RunningCall> {
        let method = machine.method(call.method);
        let receiver = std::iter::once(Kind::Reference).filter(|_| !method.is_static());
        let kinds = receiver.chain(method.parameters.iter().copied()).collect();
        let name = named(machine, call.method);
        let name = format!("{}.{}", name.class.replace('/', "."), name.name);
        let mut running = Box::new(RunningCall::new(call, Rc::new(MethodTriples::none(kinds, name))));
        running.thread = machine.registers().thread;
        machine.put_arguments_of_call(call.method, &mut running.arguments);
        running.site = site_of_call(machine, call.method);
        running
    }

    /// Gives such a call a row in the report, and keeps its arguments.
    pub(super) fn begin_without_triples(&mut self, machine: &mut Machine, running: &mut RunningCall) {
        running.row = self.rows.number((running.call.method, running.site.0, running.site.1));
        for (kind, value) in running.tested.kinds.iter().zip(&running.arguments) {
            if *kind == Kind::Reference && value.bits != 0 {
                self.pin(machine, value.as_ref());
                running.pinned.push(value.as_ref());
            }
        }
    }
}
