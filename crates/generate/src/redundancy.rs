//! Redundancy by executed data flow (thesis §4.4.1): after a path has run, decides whether each invocation of
//! its sequence has influenced a later one, or still can.
//!
//! Influence is what was observed: a returned reference that was passed on, or a field or array element that
//! was defined and then used without a definition in between. Within one invocation the order of definitions
//! and uses is ignored. Accesses by JDK code are not observed, so an invocation that may have stored data in
//! JDK objects counts as influential.

use crate::driver::PlanDriver;
use crate::influence::{Effects, Influence};
use crate::plan::{Plan, PlanStep, Var};
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The extent of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The last invocation is under test.
    Complete,
    /// More invocations will follow on the object in this variable.
    Prefix(Var),
}

/// The first invocation after a set-up without influence, by its index in the sequence. The machine is at the
/// end of the sequence that the driver has executed.
pub fn redundant(
    machine: &mut Machine,
    influence: &mut Influence,
    driver: &PlanDriver,
    extent: Extent,
) -> Option<usize> {
    let calls: Vec<usize> = calls(&driver.plan).collect();
    let effects: Vec<Rc<Effects>> = calls.iter().map(|at| effects(machine, influence, driver, *at)).collect();
    let flows = &machine.registers().flows;
    let alive: BTreeSet<u32> = machine.registers().definitions.values().map(|d| d.invocation).collect();
    let asked = match extent {
        Extent::Complete => calls.len().saturating_sub(1),
        Extent::Prefix(_) => calls.len(),
    };
    let given = calls.iter().filter(|at| **at < driver.plan.setup).count();
    (given..asked).find(|call| {
        let number = *call as u32;
        let later = &effects[call + 1..];
        let has_influenced = flows.range((number, number + 1)..=(number, u32::MAX)).next().is_some()
            || is_passed_on(&driver.plan, calls[*call])
            || is_hidden(&effects[*call], later)
            || is_of_jdk(machine, &driver.plan.steps[calls[*call]]);
        let still_can = match extent {
            Extent::Complete => false,
            Extent::Prefix(receiver) => {
                alive.contains(&number) || driver.plan.steps[calls[*call]].defines() == Some(receiver)
            }
        };
        !has_influenced && !still_can
    })
}

/// Indices of the invocations among a plan's steps.
fn calls(plan: &Plan) -> impl Iterator<Item = usize> + '_ {
    (0..plan.steps.len()).filter(|at| matches!(plan.steps[*at], PlanStep::Call { .. }))
}

/// The effects of an invocation on its receiver.
fn effects(machine: &mut Machine, influence: &mut Influence, driver: &PlanDriver, at: usize) -> Rc<Effects> {
    let PlanStep::Call { invokable, arguments, .. } = &driver.plan.steps[at] else { return Rc::default() };
    let mut class = invokable.class;
    if invokable.has_receiver()
        && let Some(receiver) = arguments.first().and_then(|var| driver.object(*var))
    {
        class = machine.class_of(receiver);
    }
    influence.effects(machine, class, invokable.method)
}

/// Whether a later step uses the result (return-argument pair).
fn is_passed_on(plan: &Plan, at: usize) -> bool {
    let Some(result) = plan.steps[at].defines() else { return false };
    plan.steps[at + 1..].iter().any(|step| step.uses().contains(&result))
}

/// Whether an invocation runs code whose accesses are not recorded.
fn is_of_jdk(machine: &Machine, step: &PlanStep) -> bool {
    let PlanStep::Call { invokable, .. } = step else { return false };
    machine.class(machine.method(invokable.method).class).from_jdk
}

/// Whether the effects of an invocation may be unobserved: in JDK objects, or in arrays that JDK code copies.
fn is_hidden(own: &Effects, later: &[Rc<Effects>]) -> bool {
    let copied_later = !own.stores.is_empty() && later.iter().any(|effects| effects.copies_arrays);
    own.is_unknown || own.changes_files || !own.changes.is_empty() || own.copies_arrays || copied_later
}

#[cfg(test)]
mod tests;
