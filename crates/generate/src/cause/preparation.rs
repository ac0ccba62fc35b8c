//! What a test has done itself before the code failed, and that callers of the code would not do.

use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a test of a public class calls with arguments although it is not public: what it takes is between it and the
/// code around it. The constructor or method under test counts too, if its class is public.
pub(super) fn hidden_call<'a>(machine: &Machine, plan: &'a Plan) -> Option<&'a Rc<Invokable>> {
    let subject = plan.under_test()?;
    let is_public_class = |it: &Invokable| machine.class(machine.method(it.method).class).access.is_public();
    if !is_public_class(subject) {
        return None;
    }
    plan.steps.iter().find_map(|step| {
        let PlanStep::Call { invokable, .. } = step else { return None };
        let is_hidden = !machine.method(invokable.method).access.is_public() || !is_public_class(invokable);
        (is_hidden && !invokable.parameters.is_empty()).then_some(invokable)
    })
}

/// Whether a test puts an object into itself, directly or by way of others: what is called on it does not end.
pub(super) fn holds_itself(plan: &Plan) -> bool {
    let mut held: BTreeSet<(Var, Var)> = BTreeSet::new();
    for step in &plan.steps {
        let (holder, parts) = match step {
            PlanStep::NewArray { elements, var, .. } => (*var, elements.as_slice()),
            PlanStep::Stub { results, var, .. } => (*var, results.as_slice()),
            PlanStep::Call { invokable, arguments, result } => match (invokable.has_receiver(), result) {
                (true, _) => match arguments.split_first() {
                    Some((receiver, parts)) => (*receiver, parts),
                    None => continue,
                },
                (false, Some(made)) => (*made, arguments.as_slice()),
                (false, None) => continue,
            },
            _ => continue,
        };
        for part in parts {
            let within: Vec<Var> =
                held.iter().filter(|(outer, _)| outer == part).map(|(_, inner)| *inner).collect();
            held.extend(within.into_iter().chain([*part]).map(|inner| (holder, inner)));
        }
        let around: Vec<Var> =
            held.iter().filter(|(_, inner)| *inner == holder).map(|(outer, _)| *outer).collect();
        let inside: Vec<Var> =
            held.iter().filter(|(outer, _)| *outer == holder).map(|(_, inner)| *inner).collect();
        held.extend(around.iter().flat_map(|outer| inside.iter().map(move |inner| (*outer, *inner))));
    }
    held.iter().any(|(outer, inner)| outer == inner)
}

/// Whether a stub of the test answers with this variable.
pub(super) fn is_answer(plan: &Plan, var: Var) -> bool {
    plan.steps.iter().any(|step| matches!(step, PlanStep::Stub { results, .. } if results.contains(&var)))
}
