//! Changed methods that run while a class is initialised.
//!
//! If one throws there and nothing catches it, the class cannot be used, and no call of it begins that could be
//! compared. As every test of the class would see that, such a method needs no triple of its own.

use super::super::inner_call::site_of_call;
use super::super::method_knowledge::MethodTriples;
use super::super::running_call::RunningCall;
use super::super::state::WatcherState;
use crate::method_names::named;
use cupping_machine::{Kind, Machine, WatchedCall};
use std::rc::Rc;

/// Limit on the stack frames between a call and the initialiser.
const MOST_FRAMES: usize = 256;

impl WatcherState {
    /// The call of a method without triples, if it is going to make an initialiser fail that did not fail before.
    pub(in crate::watcher) fn failing_initialization(
        &mut self,
        machine: &mut Machine,
        call: WatchedCall,
    ) -> Option<Box<RunningCall>> {
        self.options.earlier.as_ref()?;
        if !self.is_replaced(machine, call.method) || !is_within_initializer(machine) {
            return None;
        }
        let method = machine.method(call.method);
        let receiver = std::iter::once(Kind::Reference).filter(|_| !method.is_static());
        let kinds = receiver.chain(method.parameters.iter().copied()).collect();
        let name = named(machine, call.method);
        let name = format!("{}.{}", name.class.replace('/', "."), name.name);
        let mut running = Box::new(RunningCall::new(call, Rc::new(MethodTriples::none(kinds, name))));
        running.thread = machine.registers().thread;
        machine.put_arguments_of_call(call.method, &mut running.arguments);
        running.site = site_of_call(machine, call.method);
        running.changed = self.compare_versions(machine, &running).filter(|it| it.is_new_exception);
        running.changed.as_ref()?;
        running.row = self.rows.number((call.method, running.site.0, running.site.1));
        for (kind, value) in running.tested.kinds.iter().zip(&running.arguments) {
            if *kind == Kind::Reference && value.bits != 0 {
                self.pin(machine, value.as_ref());
                running.pinned.push(value.as_ref());
            }
        }
        Some(running)
    }
}

/// Whether the call of the innermost frame is made for a static initialiser, and no frame up to that handles
/// exceptions.
fn is_within_initializer(machine: &Machine) -> bool {
    for frame in machine.registers().frames.iter().rev().skip(1).take(MOST_FRAMES) {
        if frame.code.handlers.iter().any(|it| (it.start..it.end).contains(&frame.pc)) {
            return false;
        }
        if &*machine.method(frame.code.method).name == "<clinit>" {
            return true;
        }
    }
    false
}
