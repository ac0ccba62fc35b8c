//! The text that the invocation under test prints.

use super::observer::Observer;
use crate::driver::OUT;
use crate::environment::speaks_of_environment;
use crate::realization::Realization;
use crate::slots::{Elements, visit};
use crate::statics::statics_under_test;
use cupping_case::{Expectation, Literal, Probe};
use cupping_machine::{Addr, Kind, Machine, Snapshot};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Bytes of output that are asserted, at most.
const MAX_PRINTED: usize = 400;
/// Limit on the objects through which the stream is looked for.
const MAX_OBJECTS: usize = 4000;

impl Observer<'_> {
    /// Asserts what the invocation under test has printed. The test replaces `System.out` by its own stream: before
    /// all steps if one of its objects keeps the stream. What a static field keeps cannot be replaced. Returns whether
    /// the invocation has printed nothing.
    pub(super) fn printed(&mut self, realized: &Realization, before: &Snapshot) -> bool {
        let now = self.machine.written(OUT);
        if now.is_empty() {
            return true;
        }
        let here = self.machine.snapshot();
        self.machine.restore(before);
        let length = self.machine.written(OUT).len();
        self.machine.restore(&here);
        let Some(text) = now.get(length..).filter(|it| !it.is_empty() && it.len() <= MAX_PRINTED) else {
            return now.len() == length;
        };
        let Some(probe) = self.probe_of_stream(realized, length > 0) else { return false };
        // Other characters depend on the encoding.
        let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
        let units: Vec<u16> = text.iter().map(|byte| u16::from(*byte)).collect();
        if text.iter().all(is_plain) && !speaks_of_environment(&units) {
            self.say(probe, Expectation::Equals(Literal::String(units)));
        }
        false
    }

    /// How a test can read the text; `None` if it cannot.
    fn probe_of_stream(&mut self, realized: &Realization, was_written: bool) -> Option<Probe> {
        let machine = &*self.machine;
        let system = machine.loaded("java/lang/System")?;
        let stream = machine.static_field(system, "out")? as Addr;
        let statics = statics_under_test(machine, &BTreeSet::new()).into_iter();
        let in_statics =
            statics.filter(|(kind, _)| *kind == Kind::Reference).map(|(_, value)| value.as_ref());
        if is_reached(machine, in_statics.collect(), stream) {
            return None;
        }
        let slots = realized.driver.slots.iter().zip(&realized.plan.variables);
        let in_test = slots.filter(|(_, variable)| variable.ty.is_reference());
        let in_test = in_test.filter_map(|(slot, _)| slot.value).map(|value| value.as_ref());
        match is_reached(machine, in_test.collect(), stream) {
            true => (!was_written).then_some(Probe::PrintedToKept),
            false => Some(Probe::Printed),
        }
    }
}

/// Whether these objects lead to another; so they may, if there are too many.
fn is_reached(machine: &Machine, mut open: Vec<Addr>, wanted: Addr) -> bool {
    let mut seen: FxHashSet<Addr> = open.iter().copied().collect();
    while let Some(object) = open.pop() {
        if object == wanted || seen.len() > MAX_OBJECTS {
            return true;
        }
        if object == 0 || &*machine.class(machine.class_of(object)).name == "java/lang/Class" {
            continue;
        }
        visit(machine, object, Elements::Length, |part| {
            if part.kind == Kind::Reference && seen.insert(part.value.as_ref()) {
                open.push(part.value.as_ref());
            }
        });
    }
    false
}
