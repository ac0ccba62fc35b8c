//! The difference between two programs that a caller observes at the end of the same calls.
//!
//! Only what both programs show is compared: how the last call ended, and the observers and values that exist
//! in both. What one version lacks or expresses differently is not a difference: a false one costs more than a
//! missed one.

use super::{Alternative, ProgramVersion};
use crate::candidate::Candidate;
use crate::case_writer::Draft;
use crate::driver::run_concrete;
use crate::influence::Influence;
use crate::observe::{Original, Variations, Volatility, observe};
use crate::realization::{Realization, outcome_of};
use cupping_case::{Assertion, Case, Expectation, ExpectedValue, Literal, Member, MethodRef, Outcome, Probe};
use cupping_classfile::AccessFlags;
use cupping_explore::InvocationEnd;
use cupping_machine::{Halt, Machine};
use serde::{Deserialize, Serialize};

/// Fuel of a call on the other version, in addition to a hundred times that of the original's last call. A call
/// that exceeds it counts as endless.
const FUEL: u64 = 5_000_000;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum VersionEnd {
    /// It returned.
    Returned,
    /// It threw.
    Threw {
        /// Internal name of the exception's class.
        class: Box<str>,
        /// Its message, if the code under test composed it.
        message: Option<Vec<u16>>,
    },
    /// It did not end within a hundred times the steps of the other version.
    Endless,
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Contrast {
    /// How the last call ended, in the original and in the other version.
    Ends(VersionEnd, VersionEnd),
    /// Expressions with their values in the original and in the other version.
    Values(Vec<(Assertion, Assertion)>),
}

/// A difference, and the calls as a test of the other version.
#[derive(Clone, Debug)]
pub struct DifferenceTest {
    /// The difference.
    pub what: Contrast,
    /// The test; `None` if it cannot be written or is not safe to run.
    pub case: Option<Case>,
}

/// Runs a test on another program; returns the difference. Changes the machine's state.
pub(crate) fn contrast(
    machine: &mut Machine,
    influence: &mut Influence,
    version: &ProgramVersion,
    variations: &mut Variations<'_>,
    draft: &Draft,
    package: &str,
) -> Option<DifferenceTest> {
    machine.restore(version.start());
    version.on(machine, |machine| {
        let plan = version.plan(machine, &draft.realized.plan)?;
        let candidate = Candidate { plan: plan.clone(), ..draft.candidate.clone() };
        let fuel = FUEL + 100 * draft.fuel;
        let (slots, fresh) = (&candidate.driver.slots, draft.realized.fresh);
        let run = run_concrete(machine, &plan, slots, &candidate.model, fresh, fuel);
        let taken = fuel.saturating_sub(machine.fuel());
        let (driver, ended) = run.ok()?;
        // A shorter test reports that an earlier call ends differently.
        if driver.next + 1 < plan.steps.len() {
            return None;
        }
        let realized = Realization { plan, driver, ended, hits: Vec::new(), fresh, fuel: taken };
        compare(machine, influence, variations, draft, &candidate, &realized, package)
    })
}

fn compare(
    machine: &mut Machine,
    influence: &mut Influence,
    variations: &mut Variations<'_>,
    draft: &Draft,
    candidate: &Candidate,
    realized: &Realization,
    package: &str,
) -> Option<DifferenceTest> {
    let outcome = match &realized.ended {
        InvocationEnd::Returned(_) => Outcome::Returned,
        InvocationEnd::Threw(exception) => outcome_of(machine, *exception, package),
        InvocationEnd::Halted(Halt::OutOfFuel) => {
            let is_fixed = !draft.is_volatile && machine.registers().volatile_reads == 0;
            let what = Contrast::Ends(end(&draft.case.outcome), VersionEnd::Endless);
            return is_fixed.then_some(DifferenceTest { what, case: None });
        }
        InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions => return None,
    };
    let effects = machine.effects_at_exit();
    let mut case = Case { assertions: Vec::new(), outcome, effects, cause: None, ..draft.case.clone() };
    let observed =
        observe(machine, influence, &mut case, realized, &draft.ids, package, Volatility::Compared);
    // Versions that do the same may ask others more or less often.
    case.assertions.extend(observed.unchanged.into_iter().filter(|it| !it.probe.counts_questions()));
    let is_volatile = observed.is_volatile || machine.registers().volatile_reads > 0;
    if is_volatile {
        let wanted: Vec<Probe> = case.assertions.iter().map(|it| it.probe.clone()).collect();
        let original =
            Original { candidate, realized, ids: &draft.ids, package, is_volatile, wanted: &wanted };
        variations.confirm(machine, influence, &mut case, &original).ok()?;
    }
    let old = draft.case.assertions.iter().chain(&draft.unchanged).filter(|it| !it.probe.counts_questions());
    let old = old.filter(|it| is_open(machine, &it.probe));
    let what = difference((&draft.case.outcome, old), (&case.outcome, &case.assertions))
        .or_else(|| difference_in_null(draft, realized))
        .or_else(|| difference_in_silence(draft, &case, observed.is_silent))?;
    // Two runs that depend on the clock or on chance may end differently anyway. If one does, its varied runs end as it
    // does.
    if matches!(what, Contrast::Ends(..)) && is_volatile && draft.is_volatile {
        return None;
    }
    let is_written = case.danger().is_none();
    Some(DifferenceTest { what, case: is_written.then_some(case) })
}

/// Whether other packages, or subclasses in them, may see what a probe shows. What only its package sees is not
/// behaviour of a class.
fn is_open(machine: &mut Machine, probe: &Probe) -> bool {
    let mut is_open_method = |method: &MethodRef| {
        let class = machine.load(&method.class).ok();
        let found = class.and_then(|it| machine.find_method(it, &method.name, &method.descriptor));
        found.is_none_or(|it| {
            let access = machine.method(it).access;
            access.has_any(AccessFlags::PUBLIC.or(AccessFlags::PROTECTED))
        })
    };
    match probe {
        Probe::Observer { method, .. } => is_open_method(method),
        Probe::Chain { members, .. } => members.iter().filter_map(Member::method).all(is_open_method),
        _ => true,
    }
}

/// A result that is `null` in one version only. Of an object without observers nothing else can be said.
fn difference_in_null(draft: &Draft, other: &Realization) -> Option<Contrast> {
    let result = draft.case.steps.last()?.result?;
    if !draft.case.variables.get(result.0 as usize)?.ty.is_reference() {
        return None;
    }
    let is_null = |realized: &Realization| match &realized.ended {
        InvocationEnd::Returned(value) => Some(value.as_ref() == 0),
        _ => None,
    };
    let said = |is_null: bool| Assertion {
        probe: Probe::Var(result),
        expectation: if is_null { Expectation::Equals(Literal::Null) } else { Expectation::NotNull },
    };
    let (old, new) = (is_null(&draft.realized)?, is_null(other)?);
    (old != new).then(|| Contrast::Values(vec![(said(old), said(new))]))
}

/// A text that only one version prints.
fn difference_in_silence(draft: &Draft, other: &Case, is_silent: bool) -> Option<Contrast> {
    let printed = |case: &Case| case.assertions.iter().find(|it| it.probe.is_printed()).cloned();
    let nothing = |said: &Assertion| {
        let expectation = Expectation::Equals(Literal::String(Vec::new()));
        Assertion { probe: said.probe.clone(), expectation }
    };
    let pair = match (printed(&draft.case), printed(other)) {
        (Some(old), None) if is_silent => {
            let nothing = nothing(&old);
            (old, nothing)
        }
        (None, Some(new)) if draft.is_silent => (nothing(&new), new),
        _ => return None,
    };
    Some(Contrast::Values(vec![pair]))
}

/// What differs between the ends of the same calls: their outcomes, or values that both show. An end for lack of stack
/// or memory is no difference.
pub(crate) fn difference<'a>(
    (ended, old): (&Outcome, impl Iterator<Item = &'a Assertion>),
    (other, new): (&Outcome, &[Assertion]),
) -> Option<Contrast> {
    let ends = (end(ended), end(other));
    if differ_in_end(&ends.0, &ends.1) {
        let is_of_resources = is_of_resources(&ends.0) || is_of_resources(&ends.1);
        return (!is_of_resources).then_some(Contrast::Ends(ends.0, ends.1));
    }
    let pairs = old.filter_map(|old| {
        let new = new.iter().find(|new| is_same_probe(&old.probe, &new.probe))?;
        differ(&old.expectation, &new.expectation).then(|| (old.clone(), new.clone()))
    });
    let pairs: Vec<(Assertion, Assertion)> = pairs.collect();
    (!pairs.is_empty()).then_some(Contrast::Values(pairs))
}

fn end(outcome: &Outcome) -> VersionEnd {
    match outcome {
        Outcome::Threw { class, message } => {
            VersionEnd::Threw { class: class.clone(), message: message.clone() }
        }
        _ => VersionEnd::Returned,
    }
}

fn differ_in_end(old: &VersionEnd, new: &VersionEnd) -> bool {
    match (old, new) {
        (VersionEnd::Threw { class, message }, VersionEnd::Threw { class: other, message: text }) => {
            // The wording of a message that the JDK composes depends on how the code is written.
            let has_other_text = message.is_some() && text.is_some() && message != text;
            class != other || has_other_text
        }
        (old, new) => old != new,
    }
}

/// Whether a run ended for lack of stack or memory, the amount of which depends on the JVM.
fn is_of_resources(end: &VersionEnd) -> bool {
    let VersionEnd::Threw { class, .. } = end else { return false };
    matches!(&**class, "java/lang/StackOverflowError" | "java/lang/OutOfMemoryError")
}

fn is_same_probe(old: &Probe, new: &Probe) -> bool {
    let is_same = |one: &MethodRef, other: &MethodRef| {
        one.name == other.name && one.descriptor == other.descriptor && one.class == other.class
    };
    match (old, new) {
        (
            Probe::Observer { receiver, method, arguments },
            Probe::Observer { receiver: other, method: called, arguments: passed },
        ) => receiver == other && is_same(method, called) && arguments == passed,
        (Probe::Chain { of, members }, Probe::Chain { of: other, members: others }) => {
            of == other
                && members.len() == others.len()
                && members.iter().zip(others).all(|pair| match pair {
                    (
                        Member::Method { method, arguments },
                        Member::Method { method: called, arguments: passed },
                    ) => is_same(method, called) && arguments == passed,
                    (old, new) => old == new,
                })
        }
        // Callers do not see private fields.
        (Probe::State { .. }, _) => false,
        _ => old == new,
    }
}

fn differ(old: &Expectation, new: &Expectation) -> bool {
    use Expectation::{ArrayEquals, Equals, EqualsValue, InFolder, InstanceOf, NotNull};
    match (old, new) {
        // As text, NaN equals NaN, and 0.0 differs from -0.0.
        (Equals(old), Equals(new)) => format!("{old:?}") != format!("{new:?}"),
        (EqualsValue(old), EqualsValue(new)) => content(old) != content(new),
        (ArrayEquals(old), ArrayEquals(new)) => format!("{old:?}") != format!("{new:?}"),
        (InFolder(old), InFolder(new)) => old != new,
        (Equals(Literal::Null), NotNull | EqualsValue(_) | ArrayEquals(_) | InFolder(_) | InstanceOf(_))
        | (NotNull | EqualsValue(_) | ArrayEquals(_) | InFolder(_) | InstanceOf(_), Equals(Literal::Null)) => {
            true
        }
        _ => false,
    }
}

/// A value as text, with the elements of sets and maps in a canonical order.
fn content(value: &ExpectedValue) -> String {
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    match value {
        ExpectedValue::Literal(literal) => format!("{literal:?}"),
        ExpectedValue::Call { method, args } => {
            let args: Vec<String> = args.iter().map(content).collect();
            format!("{}.{}{} {args:?}", method.class, method.name, method.descriptor)
        }
        ExpectedValue::Array { elements, .. } => {
            format!("array {:?}", elements.iter().map(content).collect::<Vec<_>>())
        }
        ExpectedValue::List(all) => format!("list {:?}", all.iter().map(content).collect::<Vec<_>>()),
        ExpectedValue::Set(all) => format!("set {:?}", sorted(all.iter().map(content).collect())),
        ExpectedValue::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{} {}", content(key), content(value)));
            format!("map {:?}", sorted(entries.collect()))
        }
    }
}

#[cfg(test)]
mod tests;
