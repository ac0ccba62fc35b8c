//! What a test asserts that would assert nothing: something that has not changed, but might have.

use super::observer::Observer;
use crate::influence::element_key;
use crate::invokable::Invokable;
use crate::realization::Realization;
use cupping_case::{Assertion, Probe, VarId};
use cupping_coverage::merge;
use cupping_machine::{Addr, ClassKind};

impl Observer<'_> {
    /// Asserts one value that the invocation under test has not changed, if there is no other assertion: what an
    /// observer returns, which calls a stub has received, or an argument that the method may change.
    pub(super) fn at_least(&mut self, realized: &Realization, ids: &[Option<VarId>], invokable: &Invokable) {
        if !self.assertions.is_empty() {
            return;
        }
        let observed = |it: &Assertion| matches!(it.probe, Probe::Observer { .. } | Probe::Chain { .. });
        let called = |it: &Assertion| matches!(it.probe, Probe::Calls { .. });
        let position = |shows: fn(&Assertion) -> bool| self.unchanged.iter().position(shows);
        let at = position(observed).or_else(|| position(called));
        let Some(at) = at.or_else(|| self.spared_argument(realized, ids, invokable)) else { return };
        let shown = self.unchanged.remove(at);
        let hits = self.unchanged_hits.iter().filter(|it| it.0 == shown.probe);
        hits.for_each(|it| merge(&mut self.hits, &it.1));
        self.assertions.push(shown);
    }

    /// The unused assertion about an object that the test holds and the method may change.
    fn spared_argument(
        &mut self,
        realized: &Realization,
        ids: &[Option<VarId>],
        invokable: &Invokable,
    ) -> Option<usize> {
        let effects = self.influence.effects(self.machine, invokable.class, invokable.method);
        let machine = &*self.machine;
        let may_change = |object: Addr| {
            let class = machine.class_of(object);
            match machine.class(class).kind {
                ClassKind::Array { kind, .. } => effects.stores.contains(&element_key(kind)),
                _ => effects.changes.iter().any(|it| machine.is_subtype(class, it)),
            }
        };
        let object = |id: VarId| realized.driver.object(ids.iter().position(|it| *it == Some(id))?);
        self.unchanged.iter().position(|it| match it.probe {
            Probe::Var(id) => object(id).is_some_and(may_change),
            _ => false,
        })
    }
}
