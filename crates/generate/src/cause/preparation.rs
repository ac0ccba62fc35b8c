//! Steps of a test before the failure that real callers of the code would not take.

use super::completion::calls;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use crate::stub::Stub;
use cupping_machine::{ClassId, Machine, MethodId, TraceRow};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A call in a test of a public class of something that is not public: its arguments, and the state in which it
/// may be called, are a matter between it and the surrounding code. Constructors count if they take arguments.
/// Members of a non-public class count if the package also has a public class; if no class of the package is
/// public, visibility tells nothing.
pub(super) fn hidden_call<'a>(machine: &Machine, plan: &'a Plan) -> Option<&'a Rc<Invokable>> {
    let subject = plan.under_test()?;
    let is_public_class = |it: &Invokable| machine.class(it.class).access.is_public();
    if !is_public_class(subject) && !has_public_class(machine, machine.class(subject.class).package()) {
        return None;
    }
    let calls = plan.steps.iter().filter_map(|step| match step {
        PlanStep::Call { invokable, .. } => Some(invokable),
        _ => None,
    });
    let is_hidden = |it: &&Rc<Invokable>| {
        let is_public = machine.method(it.method).access.is_public() && is_public_class(it);
        let is_given = !it.parameters.is_empty() || (it.has_receiver() && it.method == subject.method);
        !is_public && is_given
    };
    calls.into_iter().find(is_hidden)
}

/// Whether a package of the code under test has a public class.
fn has_public_class(machine: &Machine, package: &str) -> bool {
    let program = machine.program();
    let names = program.classes_of_package(package, false).unwrap_or_default();
    names.iter().any(|name| program.find(name).is_ok_and(|file| file.is_some_and(|it| it.access.is_public())))
}

/// The call that closes the object under test, if the test goes on to use it: the behaviour of a closed object
/// is unspecified.
pub(super) fn closed(plan: &Plan) -> Option<&Rc<Invokable>> {
    let (last, before) = plan.steps.split_last()?;
    let PlanStep::Call { invokable, arguments, .. } = last else { return None };
    let receiver = arguments.first().filter(|_| invokable.has_receiver() && !is_close(invokable))?;
    before.iter().find_map(|step| {
        let PlanStep::Call { invokable, arguments, .. } = step else { return None };
        (is_close(invokable) && arguments.first() == Some(receiver)).then_some(invokable)
    })
}

/// Whether a method ends the use of an object, as `AutoCloseable.close` does.
fn is_close(invokable: &Invokable) -> bool {
    &*invokable.reference.name == "close" && &*invokable.reference.descriptor == "()V"
}

/// Whether a test puts an object into itself, directly or through other objects, so that traversals of it do
/// not end.
pub(super) fn holds_itself(plan: &Plan) -> bool {
    let mut held: BTreeSet<(Var, Var)> = BTreeSet::new();
    for step in &plan.steps {
        let (holder, parts) = match step {
            PlanStep::NewArray { elements, var, .. } => (*var, elements.as_slice()),
            PlanStep::Stub { results, var, .. } => (*var, results.as_slice()),
            PlanStep::Call { invokable, arguments, result, .. } => match (invokable.has_receiver(), result) {
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

/// Whether a stub of the test, or an anonymous class, returns null where it was given no answer.
pub(super) fn returns_null(machine: &Machine, plan: &Plan) -> bool {
    plan.steps.iter().filter_map(stubbed).any(|(stub, _)| stub.returns_null(machine))
}

/// Whether a stub of the test, or an anonymous class, returns this variable.
pub(super) fn is_answer(plan: &Plan, var: Var) -> bool {
    plan.steps.iter().filter_map(stubbed).any(|(_, results)| results.contains(&var))
}

/// A method that an object of the test implements, and that a method which calls itself again and again asks, perhaps
/// through a helper: other answers might end the recursion.
pub(super) fn repeated_answer<'m>(machine: &'m Machine, plan: &Plan, rows: &[TraceRow]) -> Option<&'m str> {
    let own = |it: &MethodId| !machine.class(machine.method(*it).class).from_jdk;
    let mut seen = BTreeSet::new();
    let again = rows.iter().map(|row| row.method).filter(|it| !seen.insert(*it) && own(it));
    let recurring: BTreeSet<MethodId> = again.collect();
    let classes: BTreeSet<ClassId> = recurring.iter().map(|it| machine.method(*it).class).collect();
    let methods = classes.iter().flat_map(|it| machine.class(*it).methods.iter().copied());
    let helpers = methods.filter(|helper| recurring.iter().any(|it| calls(machine, *it, *helper)));
    let asking: Vec<MethodId> = helpers.chain(recurring.iter().copied()).collect();
    let mut answering = plan.steps.iter().filter_map(stubbed).flat_map(|(stub, _)| stub.returning());
    let asked = answering.find(|answer| asking.iter().any(|it| calls(machine, *it, *answer)))?;
    Some(&machine.method(asked).name)
}

/// The stub that a step makes, and the variables that its methods return.
fn stubbed(step: &PlanStep) -> Option<(&Rc<Stub>, &[Var])> {
    match step {
        PlanStep::Stub { stub, results, .. } => Some((stub, results)),
        PlanStep::Call { invokable, arguments, .. } => {
            let stub = invokable.stub.as_ref()?;
            Some((stub, &arguments[arguments.len().checked_sub(stub.returning().count())?..]))
        }
        _ => None,
    }
}
