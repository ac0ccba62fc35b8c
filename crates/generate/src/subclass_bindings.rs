//! Calls of methods of a generic class on objects of a subclass that binds its type variables: `holds(T)` of
//! `Setting<T>` takes an `Integer` on an object of `Knob extends Setting<Integer>`.

use crate::input::Input;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use cupping_case::JavaType;
use cupping_machine::Machine;

/// Whether javac accepts the arguments of a call on an object of a subclass, which may bind type variables of the class
/// that declares the method.
pub fn fits_bindings(machine: &mut Machine, plan: &Plan, step: &PlanStep) -> bool {
    let PlanStep::Call { invokable, arguments, .. } = step else { return true };
    let Some((receiver, passed)) = arguments.split_first().filter(|_| invokable.has_receiver()) else {
        return true;
    };
    let JavaType::Class(name) = &plan.variables[*receiver].ty else { return true };
    let class = machine.load(name).ok().filter(|class| *class != invokable.class);
    let Some(bound) = class.and_then(|class| Invokable::new(machine, class, invokable.method)) else {
        return true;
    };
    let is_null = |var: Var| {
        plan.steps
            .iter()
            .any(|step| matches!(step, PlanStep::Input { input: Input::Null, var: of, .. } if *of == var))
    };
    let mut pairs = passed.iter().zip(bound.parameters.iter().zip(&invokable.parameters));
    pairs.all(|(var, (bound, declared))| {
        let given = &plan.variables[*var].ty;
        bound.ty == declared.ty || bound.ty == *given || is_null(*var) || {
            let classes = [given, &bound.ty].map(|ty| machine.load_descriptor(&ty.descriptor()));
            matches!(classes, [Ok(given), Ok(bound)] if machine.is_subtype(given, bound))
        }
    })
}
