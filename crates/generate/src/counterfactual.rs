//! Counterfactuals: a call that fails for an empty array or for 0 as a size, and not for more, fails because of
//! what the test passes. The places of these inputs in the computation do not matter, so this also finds sizes that
//! an object was given long before.

use crate::candidate::Candidate;
use crate::cause::sizes::{Size, sizes};
use crate::driver::run_concrete;
use crate::exceptions::ThrownException;
use crate::input::Input;
use crate::plan::{Plan, PlanStep};
use crate::realization::Realization;
use cupping_explore::{InvocationEnd, Path};
use cupping_machine::{Kind, Machine, Snapshot};
use std::rc::Rc;

/// Failures that sizes lead to.
const FAILURES: &[&str] = &[
    "java/lang/IndexOutOfBoundsException",
    "java/lang/NegativeArraySizeException",
    "java/lang/ArithmeticException",
    "java/util/NoSuchElementException",
];

/// Sizes that are tried.
const LARGER: [usize; 3] = [1, 2, 4];

/// Inputs that are tried alone.
const MAX_ALONE: usize = 6;

/// How much longer than the failing run another one may take, and its least fuel.
const LONGER: u64 = 4;
const LEAST_FUEL: u64 = 100_000;

/// What the test passes too small, if the failing call would not fail with more. Changes the state of the machine.
pub(crate) fn too_small(
    machine: &mut Machine,
    base: &Snapshot,
    candidate: &Candidate,
    realized: &Realization,
) -> Option<String> {
    let InvocationEnd::Threw(exception) = realized.ended else { return None };
    let class = machine.class_of(exception);
    if !FAILURES.iter().any(|it| machine.is_named_subtype(class, it)) {
        return None;
    }
    let sizes = sizes(&realized.plan, &candidate.driver.slots, &candidate.model);
    let mut does_not_fail = |changes: &[(&Size, usize)]| {
        does_not_fail(machine, base, candidate, realized, &with(&realized.plan, changes))
    };
    for size in sizes.iter().take(MAX_ALONE) {
        if let Some(more) = LARGER.into_iter().find(|more| does_not_fail(&[(size, *more)])) {
            return Some(format!(
                "the test passes {}, and with {} the call does not fail",
                small(size),
                large(size, more)
            ));
        }
    }
    let is_number = |it: &Size| matches!(it.input, Input::Fixed(..));
    let choices = LARGER.into_iter().flat_map(|number| LARGER.map(|length| (number, length)));
    let together = |(number, length): (usize, usize)| {
        let changes = sizes.iter().map(|it| (it, if is_number(it) { number } else { length }));
        changes.collect::<Vec<_>>()
    };
    let found = choices.map(together).filter(|it| it.len() > 1).find(|it| does_not_fail(it))?;
    let mut names: Vec<&str> = found.iter().map(|(size, _)| &*size.name).collect();
    names.dedup();
    Some(format!("the test passes too small sizes as {}", names.join(" and ")))
}

/// The plan with other sizes.
fn with(plan: &Plan, changes: &[(&Size, usize)]) -> Rc<Plan> {
    let mut plan = plan.clone();
    for (size, more) in changes {
        if let PlanStep::Input { input, .. } = &mut plan.steps[size.at] {
            *input = enlarged(&size.input, *more);
        }
    }
    Rc::new(plan)
}

fn enlarged(input: &Input, more: usize) -> Input {
    match input {
        Input::Elements(kind, _) => {
            Input::Elements(*kind, (1..=more as u32).map(|it| element(*kind, it)).collect())
        }
        _ => Input::Fixed(Kind::Int, more as u64),
    }
}

fn element(kind: Kind, number: u32) -> u64 {
    match kind {
        Kind::Double => f64::from(number).to_bits(),
        Kind::Float => u64::from((number as f32).to_bits()),
        Kind::Char => u64::from('a' as u32 + number - 1),
        Kind::Boolean => u64::from(number & 1),
        _ => u64::from(number),
    }
}

/// Whether all invocations of a plan return, or the last one rejects its arguments on purpose.
fn does_not_fail(
    machine: &mut Machine,
    base: &Snapshot,
    candidate: &Candidate,
    realized: &Realization,
    plan: &Rc<Plan>,
) -> bool {
    machine.restore(base);
    let fuel = (realized.fuel * LONGER).max(LEAST_FUEL);
    let slots = &candidate.driver.slots;
    let Ok((driver, ended)) = run_concrete(machine, plan, slots, &candidate.model, realized.fresh, fuel)
    else {
        return false;
    };
    driver.next + 1 >= plan.steps.len()
        && match ended {
            InvocationEnd::Returned(_) => true,
            InvocationEnd::Threw(exception) => {
                !ThrownException::of(machine, exception, &driver, &Path::default()).is_failure()
            }
            _ => false,
        }
}

fn small(size: &Size) -> String {
    match &size.input {
        Input::Fixed(_, bits) => format!("{} as {}", *bits as u32 as i32, size.name),
        _ => format!("an empty array as {}", size.name),
    }
}

fn large(size: &Size, more: usize) -> String {
    match &size.input {
        Input::Fixed(..) => more.to_string(),
        _ if more == 1 => "one element".into(),
        _ => format!("{more} elements"),
    }
}
