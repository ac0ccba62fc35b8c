//! Redundancy by executed data flow (thesis §4.4.1): after a path has run, whether each invocation of its sequence has
//! influenced one that came later, or still can.
//!
//! Influence is what was observed: a reference that was returned and passed on, a field or an array element that was
//! defined and, not defined again in between, used. Inside one invocation the order of definitions and uses does not
//! matter. What code of the JDK does to objects is not observed; an invocation that may have left something there
//! counts as influential.

use crate::driver::PlanDriver;
use crate::influence::{Effects, Influence};
use crate::plan::{Plan, PlanStep, Var};
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What of a sequence is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The last invocation is under test; nothing comes after it.
    Complete,
    /// More invocations will follow, on the object that this variable holds.
    Prefix(Var),
}

/// The first invocation after a set-up, by its number in the sequence, for which a shorter sequence does the same; the machine is at
/// the end of the sequence, up to which the driver has run.
pub fn redundant(
    machine: &mut Machine,
    influence: &mut Influence,
    driver: &PlanDriver,
    extent: Extent,
) -> Option<usize> {
    let calls: Vec<usize> = calls(&driver.plan).collect();
    let effects: Vec<Rc<Effects>> = calls.iter().map(|at| effects(machine, influence, driver, *at)).collect();
    let flows = &machine.registers.flows;
    let alive: BTreeSet<u32> = machine.registers.definitions.values().map(|d| d.invocation).collect();
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

/// Places of the invocations among the steps of a plan.
fn calls(plan: &Plan) -> impl Iterator<Item = usize> + '_ {
    (0..plan.steps.len()).filter(|at| matches!(plan.steps[*at], PlanStep::Call { .. }))
}

/// What the invocation may do on the object that it was called on.
fn effects(machine: &mut Machine, influence: &mut Influence, driver: &PlanDriver, at: usize) -> Rc<Effects> {
    let PlanStep::Call { invokable, arguments, .. } = &driver.plan.steps[at] else { return Rc::default() };
    let mut class = invokable.class;
    if invokable.has_receiver()
        && let Some(receiver) = arguments.first().and_then(|var| driver.slots[*var].value)
        && receiver.as_ref() != 0
    {
        class = machine.class_of(receiver.as_ref());
    }
    influence.effects(machine, class, invokable.method)
}

/// Whether the result of a step is used by a later one (return-argument pair).
fn is_passed_on(plan: &Plan, at: usize) -> bool {
    let Some(result) = plan.steps[at].defines() else { return false };
    plan.steps[at + 1..].iter().any(|step| step.uses().contains(&result))
}

/// Whether an invocation runs code in which no accesses are recorded.
fn is_of_jdk(machine: &Machine, step: &PlanStep) -> bool {
    let PlanStep::Call { invokable, .. } = step else { return false };
    machine.class(machine.method(invokable.method).class).from_jdk
}

/// Whether what an invocation left may be where nobody looked: in objects of the JDK, or in arrays that it copies.
fn is_hidden(own: &Effects, later: &[Rc<Effects>]) -> bool {
    let copied_later = !own.stores.is_empty() && later.iter().any(|effects| effects.copies_arrays);
    own.is_unknown || own.changes_files || !own.changes.is_empty() || own.copies_arrays || copied_later
}

#[cfg(test)]
mod tests;
