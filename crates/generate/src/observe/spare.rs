//! Observations that no test asserts unless they show a fault that everything else hides: what chains from the objects
//! of a test lead to, and the texts of collections whose elements have no value that a test can compare.
//!
//! They are many, and few of them are ever needed. So they are asked of the end of a run only where a fault is known to
//! end in another state, and in no other run than that and those of such faults.

use super::getter_chains::{MAX_TRIED, chain};
use super::is_stub;
use super::observer::{Observer, Volatility};
use super::observers::Candidate;
use crate::influence::Influence;
use crate::invokable::{Invokable, kind_of};
use crate::plan::PlanStep;
use crate::realization::Realization;
use cupping_case::{Assertion, Case, Expectation, JavaType, Literal, MethodRef, Operand, Probe, VarId};
use cupping_explore::{InvocationEnd, spent};
use cupping_machine::{Addr, ClassId, Kind, Machine};

/// Limit on the observations of one object.
const MAX_SPARE: usize = 32;
const OBJECT: &str = "java/lang/Object";
/// Types of the JDK whose size is asserted, if their text cannot be.
const SIZED: [&str; 2] = ["java/util/Collection", "java/util/Map"];

const ITERATOR: (&str, &str, &str) = ("java/util/Collection", "iterator", "()Ljava/util/Iterator;");
const NEXT: (&str, &str, &str) = ("java/util/Iterator", "next", "()Ljava/lang/Object;");
/// Types of the JDK that hold objects, with the calls that lead to one of them.
const ELEMENTS: [(&str, &[(&str, &str, &str)]); 4] = [
    ("java/util/List", &[("java/util/List", "get", "(I)Ljava/lang/Object;")]),
    ("java/util/Collection", &[ITERATOR, NEXT]),
    ("java/util/Map", &[("java/util/Map", "values", "()Ljava/util/Collection;"), ITERATOR, NEXT]),
    ("java/util/Optional", &[("java/util/Optional", "get", "()Ljava/lang/Object;")]),
];
/// Elements of a list that are looked at.
const ELEMENTS_OF_LIST: i32 = 2;

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
    let mut observer = Observer::of(machine, influence, case, realized, ids, package, Volatility::Compared);
    let mut found: Vec<Spare> = Vec::new();
    let is_said = |probe: &Probe| case.assertions.iter().chain(others).any(|it| it.probe == *probe);
    for (id, ty, object) in observer.roots(realized, ids) {
        let is_value = |it: &&Assertion| it.probe == Probe::Var(id) && is_value(&it.expectation);
        if case.assertions.iter().chain(others).find(is_value).is_some() {
            continue;
        }
        let Some(declared) = observer.class_of_type(&ty) else { continue };
        let dynamic = observer.machine.class_of(object);
        let declared = observer.as_cast(declared, dynamic);
        let known = found.len();
        observer.chains(object, (declared, dynamic), MAX_TRIED, |it, way, now, end| {
            let probe = chain(id, way);
            let has_more_effects = end.effects.iter().any(|effect| !it.effects.contains(effect));
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
    let mut observer = Observer::of(machine, influence, case, realized, ids, package, confirmed);
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

    /// What objects of a type of the JDK say about themselves: their text and, for collections and maps, their size.
    pub(super) fn texts_of(&mut self, class: ClassId) -> Vec<Candidate> {
        let text = self.getter(OBJECT, "toString", "()Ljava/lang/String;");
        let sized = SIZED.into_iter().find(|sized| self.is_a(class, sized));
        let size = sized.and_then(|it| self.getter(it, "size", "()I"));
        text.into_iter().chain(size).collect()
    }

    /// The calls that lead to elements of a type of the JDK: to the first two of a list, to one of others.
    pub(super) fn elements_of(&mut self, class: ClassId) -> Vec<Vec<Candidate>> {
        let Some((_, calls)) = ELEMENTS.into_iter().find(|(kind, _)| self.is_a(class, kind)) else {
            return Vec::new();
        };
        let calls = calls.iter().map(|(class, name, descriptor)| self.getter(class, name, descriptor));
        let Some(calls) = calls.collect::<Option<Vec<_>>>() else { return Vec::new() };
        let indices = match calls.first() {
            Some(first) if first.reference.descriptor.starts_with("(I)") => 0..ELEMENTS_OF_LIST,
            _ => 0..1,
        };
        let of = |at: i32| {
            calls.iter().map(move |it| {
                let takes_index = it.reference.descriptor.starts_with("(I)");
                let argument = takes_index.then(|| (Operand::Literal(Literal::Int(at)), None));
                Candidate { argument, ..it.clone() }
            })
        };
        indices.map(|at| of(at).collect()).collect()
    }

    fn getter(&mut self, class: &str, name: &str, descriptor: &str) -> Option<Candidate> {
        let class = self.machine.load(class).ok()?;
        let method = self.machine.find_method(class, name, descriptor)?;
        let Invokable { reference, result, .. } = Invokable::new(self.machine, class, method)?;
        Some(Candidate::getter(method, reference, result))
    }
}

/// Whether a method is the one that gives the text of any object.
pub(super) fn is_text_of_jdk(method: &MethodRef) -> bool {
    &*method.class == OBJECT && &*method.name == "toString"
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
