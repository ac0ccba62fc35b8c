//! Static state: static getters and fields that show a change by the invocation under test.

use super::observer::Observer;
use super::observers::{Argument, Candidate, only_parameter, rank};
use crate::invokable::Invokable;
use cupping_case::{Expectation, FieldRef, Member, Operand, Probe};
use cupping_machine::{ClassId, Kind, MethodId, Snapshot};

/// Static members that are asserted, at most.
const MAX_SAID: usize = 3;
/// Static observers that are called, at most.
const MAX_CALLED: usize = 8;

impl Observer<'_> {
    /// Asserts the static state that an invocation has changed.
    pub(super) fn statics(&mut self, invokable: &Invokable, before: &Snapshot) {
        let effects = self.influence.effects(self.machine, invokable.class, invokable.method);
        let class = self.machine.method(invokable.method).class;
        if effects.is_pure() || self.machine.class(class).from_jdk {
            return;
        }
        let said = self.assertions.len();
        for field in self.static_fields(class) {
            let now = self.static_value(class, &field);
            let here = self.machine.snapshot();
            self.machine.restore(before);
            let was = self.static_value(class, &field);
            self.machine.restore(&here);
            if let Some(now) = now.filter(|it| was.as_ref() != Some(it))
                && self.assertions.len() < said + MAX_SAID
            {
                self.say(Probe::Chain { of: None, members: vec![Member::Field(field)] }, now);
            }
        }
        let mut called = 0;
        for (method, argument) in self.static_observers(class) {
            if called == MAX_CALLED || self.assertions.len() >= said + MAX_SAID {
                break;
            }
            let later = self.influence.effects(self.machine, class, method);
            if !later.defines.is_empty() || !effects.influences_globally(self.machine, &later) {
                continue;
            }
            let Some(invokable) = Invokable::new(self.machine, class, method) else { continue };
            let Invokable { reference, result, .. } = invokable;
            let arguments: Vec<Operand> = argument.iter().map(|(operand, _)| operand.clone()).collect();
            let members = vec![Member::Method { method: reference.clone(), arguments }];
            let probe = Probe::Chain { of: None, members };
            if self.is_idle(&probe) {
                continue;
            }
            let candidate =
                Candidate { method, reference, result, argument, is_static: true, disturbs: false };
            called += 1;
            let (hits, probed) = (self.hits.clone(), self.effects.clone());
            let Some(now) = self.call(&candidate, class, 0) else { continue };
            if self.call_before(before, &candidate, class, 0).as_ref() == Some(&now) {
                (self.hits, self.effects) = (hits, probed);
                continue;
            }
            self.say(probe, now);
        }
    }

    /// Static fields that are not final and that the test can read.
    fn static_fields(&self, class: ClassId) -> Vec<FieldRef> {
        let fields = &self.machine.class(class).fields;
        let open = (0..fields.len()).filter(|at| !fields[*at].access.is_final());
        open.filter_map(|at| self.field_ref(class, at, true)).map(|(_, field)| field).collect()
    }

    fn static_value(&mut self, class: ClassId, field: &FieldRef) -> Option<Expectation> {
        let bits = self.machine.static_field(class, &field.name)?;
        match crate::invokable::kind_of(&field.ty) {
            Kind::Reference => self.shown(bits as u32, 0),
            kind => Some(Expectation::Equals(crate::input::primitive_literal(kind, kind.narrow(bits)))),
        }
    }

    /// Static observers without a parameter, and those that can be called with values that the test has passed, with
    /// such a value. This runs for each mutant of each test, and a class may have hundreds of static methods.
    fn static_observers(&self, class: ClassId) -> Vec<(MethodId, Option<Argument>)> {
        let mut found = Vec::new();
        let is_own_package = self.machine.class(class).package() == self.package;
        for method in self.machine.class(class).methods.iter().copied() {
            let loaded = self.machine.method(method);
            let is_open = loaded.access.is_public() || !loaded.is_private() && is_own_package;
            let is_closed = loaded.access.is_synthetic() || !loaded.is_static() || !is_open;
            let is_observer = !loaded.descriptor.ends_with('V') && rank(&loaded.name, false).is_some();
            if is_closed || !is_observer || !self.may_be_asserted(&loaded.name) {
                continue;
            }
            if loaded.descriptor.starts_with("()") {
                found.push((method, None));
            } else if let Some(ty) = only_parameter(&loaded.descriptor) {
                found.extend(self.arguments(&ty).into_iter().map(|it| (method, Some(it))));
            }
        }
        found
    }
}
