//! The translation of a plan to another program: the same calls, found by name.

use crate::input::Input;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep};
use crate::stub::Stub;
use cupping_machine::{ClassId, Machine};
use std::rc::Rc;

/// The plan for the current program; `None` if that lacks a class, method or field.
pub fn translated(machine: &mut Machine, plan: &Plan) -> Option<Plan> {
    let mut steps = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let mut step = step.clone();
        match &mut step {
            PlanStep::Input { input: Input::ClassLiteral(class), .. } => *class = same(machine, *class)?,
            PlanStep::Input { .. } | PlanStep::TestFolder { .. } => {}
            PlanStep::NewArray { element, .. } => *element = same(machine, *element)?,
            PlanStep::Stub { stub, .. } => *stub = stub_of(machine, stub)?,
            PlanStep::StaticField { field, .. }
            | PlanStep::GetField { field, .. }
            | PlanStep::SetField { field, .. } => *field = field_of(machine, *field)?,
            PlanStep::Call { invokable, .. } => *invokable = invokable_of(machine, invokable)?,
        }
        steps.push(step);
    }
    Some(Plan { variables: plan.variables.clone(), steps, setup: plan.setup, given: plan.given })
}

/// The class of the same name.
fn same(machine: &mut Machine, class: ClassId) -> Option<ClassId> {
    let loaded = machine.class(class);
    if loaded.from_jdk {
        return Some(class);
    }
    let name = loaded.name.clone();
    machine.load(&name).ok()
}

fn invokable_of(machine: &mut Machine, invokable: &Rc<Invokable>) -> Option<Rc<Invokable>> {
    let class = same(machine, invokable.class)?;
    if class == invokable.class {
        return Some(invokable.clone());
    }
    let (name, descriptor) = (&invokable.reference.name, &invokable.reference.descriptor);
    let method = match invokable.is_constructor() {
        true => machine.declared_method(class, name, descriptor)?,
        false => machine.find_method(class, name, descriptor)?,
    };
    // A call of the old kind would not link.
    let found = machine.method(method);
    let is_static = found.is_static();
    if is_static != invokable.is_static
        || found.is_private() && !machine.method(invokable.method).is_private()
    {
        return None;
    }
    let stub = match &invokable.stub {
        Some(stub) => Some(stub_of(machine, stub)?),
        None => None,
    };
    Some(Rc::new(Invokable { method, class, stub, ..(**invokable).clone() }))
}

fn field_of(machine: &mut Machine, (class, index): (ClassId, usize)) -> Option<(ClassId, usize)> {
    let same = same(machine, class)?;
    let field = machine.class(class).fields.get(index)?;
    let (name, descriptor) = (field.name.clone(), field.descriptor.clone());
    let fields = &machine.class(same).fields;
    let found = fields.iter().position(|it| it.name == name && it.descriptor == descriptor)?;
    let is_same_kind = fields[found].is_static() == machine.class(class).fields[index].is_static();
    is_same_kind.then_some((same, found))
}

fn stub_of(machine: &mut Machine, stub: &Rc<Stub>) -> Option<Rc<Stub>> {
    let interface = same(machine, stub.interface)?;
    if interface == stub.interface { Some(stub.clone()) } else { stub.of_interface(machine, interface) }
}
