//! Observations that no test asserts unless they show a fault that everything else hides: what chains from the objects
//! of a test lead to, and the texts of collections whose elements have no value that a test can compare.
//!
//! They are many, and few of them are ever needed. So they are asked of the end of a run only where a fault is known to
//! end in another state, and in no other run than that and those of such faults.

use super::getter_chains::{MAX_TRIED, chain};
use super::observer::{Observer, Volatility};
use super::{is_stub, known};
use crate::influence::Influence;
use crate::invokable::kind_of;
use crate::plan::PlanStep;
use crate::realization::Realization;
use cupping_case::{Assertion, Case, Expectation, JavaType, Probe, VarId};
use cupping_explore::{InvocationEnd, spent};
use cupping_machine::{Addr, Kind, Machine};

/// Limit on the observations of one object.
const MAX_SPARE: usize = 32;

/// An observation that may become an assertion.
pub struct Spare {
    /// What it would assert.
    pub assertion: Assertion,
    /// The probes that its observers hit.
    pub hits: Vec<u64>,
}

/// What could be asserted at the end of a run in addition to what a case asserts, or could assert (`others`), as far as
/// it has no further effects. The machine is at the end of the run and stays there. Nothing further is asked after so
/// much work, as [`spent`] counts it.
#[allow(clippy::too_many_arguments)]
pub fn spare(
    machine: &mut Machine,
    influence: &mut Influence,
    case: &Case,
    others: &[Assertion],
    realized: &Realization,
    ids: &[Option<VarId>],
    package: &str,
    most: u64,
) -> Vec<Spare> {
    let begun = spent(machine);
    let mut observer = Observer {
        known: known(case, realized, ids, None),
        ..Observer::of(machine, influence, case, package, Volatility::Compared)
    };
    let mut found: Vec<Spare> = Vec::new();
    let is_said = |probe: &Probe| case.assertions.iter().chain(others).any(|it| it.probe == *probe);
    for (id, ty, object) in observer.roots(realized, ids) {
        let is_value = |it: &Assertion| it.probe == Probe::Var(id) && is_value(&it.expectation);
        if case.assertions.iter().chain(others).any(is_value) {
            continue;
        }
        let Some(declared) = observer.class_of_type(&ty) else { continue };
        let dynamic = observer.machine.class_of(object);
        let declared = observer.as_cast(declared, dynamic);
        let known = found.len();
        observer.chains(object, (declared, dynamic), MAX_TRIED, |it, way, now, end| {
            let probe = chain(id, way);
            let has_more_effects = end.has_more_effects(&it.effects);
            if !end.is_volatile && !has_more_effects && !is_said(&probe) {
                found.push(Spare { assertion: Assertion { probe, expectation: now }, hits: end.hits });
            }
            found.len() < known + MAX_SPARE && spent(it.machine) - begun < most
        });
    }
    found
}

/// What these observations show at the end of another run of the case. The machine stays there.
pub fn shown_by(
    machine: &mut Machine,
    influence: &mut Influence,
    case: &Case,
    realized: &Realization,
    ids: &[Option<VarId>],
    package: &str,
    asked: &[Spare],
) -> Vec<Option<Expectation>> {
    let confirmed = Volatility::Confirmed([&[], &[]]);
    let mut observer = Observer {
        known: known(case, realized, ids, None),
        ..Observer::of(machine, influence, case, package, confirmed)
    };
    asked.iter().map(|it| observer.end_of(&it.assertion.probe, realized, ids)).collect()
}

impl Observer<'_> {
    /// The objects that the last call may have changed or made: its result, its receiver and its arguments.
    fn roots(&mut self, realized: &Realization, ids: &[Option<VarId>]) -> Vec<(VarId, JavaType, Addr)> {
        let Some(PlanStep::Call { invokable, arguments, result, .. }) = realized.plan.steps.last() else {
            return Vec::new();
        };
        let result = result.filter(|_| matches!(realized.ended, InvocationEnd::Returned(_)));
        let mut found: Vec<(VarId, JavaType, Addr)> = Vec::new();
        for var in result.iter().chain(arguments) {
            let (Some(id), Some(value)) = (ids[*var], realized.driver.slots[*var].value) else { continue };
            let ty = &realized.plan.variables[*var].ty;
            if kind_of(ty) != Kind::Reference || value.as_ref() == 0 || is_stub(&realized.plan, *var) {
                continue;
            }
            let is_receiver = invokable.has_receiver() && arguments.first() == Some(var);
            let class = self.machine.class_of(value.as_ref());
            if is_receiver && self.influence.effects(self.machine, class, invokable.method).is_pure() {
                continue;
            }
            if !found.iter().any(|(_, _, known)| *known == value.as_ref()) {
                found.push((id, ty.clone(), value.as_ref()));
            }
        }
        found
    }
}

/// Whether an assertion about a variable says all about it.
fn is_value(expectation: &Expectation) -> bool {
    matches!(
        expectation,
        Expectation::Equals(_)
            | Expectation::EqualsValue(_)
            | Expectation::ArrayEquals(_)
            | Expectation::Same(_)
    )
}
