//! Replay of the cases that `generate` found, so that they can be recorded.

use crate::runner::{CALL_FUEL, CallFailure, literal_value};
use cupping_case::{Action, Case, JavaType, MethodRef, Operand};
use cupping_machine::{CallEnd, Kind, Machine, Value};

/// Runs a case to its end, or to the step that throws. Cases with stubs or field accesses are refused.
///
/// # Errors
/// A step that cannot be replayed.
pub fn replay(machine: &mut Machine, case: &Case) -> Result<(), CallFailure> {
    let mut variables = vec![Value::reference(0); case.variables.len()];
    for step in &case.steps {
        let value = match &step.action {
            Action::Construct { constructor, args } => {
                let class = load(machine, &constructor.class)?;
                let object = machine.new_object(class).map_err(|_| CallFailure("no memory".into()))?;
                let mut values = vec![Value::reference(object)];
                values.extend(operands(machine, args, &variables)?);
                match call(machine, constructor, values)? {
                    Some(_) => Value::reference(object),
                    None => return Ok(()),
                }
            }
            Action::Invoke { method, receiver, args } => {
                let mut values = vec![operand(machine, receiver, &variables)?];
                values.extend(operands(machine, args, &variables)?);
                match call(machine, method, values)? {
                    Some(value) => value,
                    None => return Ok(()),
                }
            }
            Action::InvokeStatic { method, args } => {
                load(machine, &method.class)?;
                let values = operands(machine, args, &variables)?;
                match call(machine, method, values)? {
                    Some(value) => value,
                    None => return Ok(()),
                }
            }
            Action::NewArray { element, elements } => array(machine, element, elements, &variables)?,
            Action::Implement { .. }
            | Action::GetField { .. }
            | Action::TestFolder
            | Action::Allocate { .. }
            | Action::SetField { .. }
            | Action::SetElement { .. } => {
                return Err(CallFailure("a step of a kind that is not replayed".into()));
            }
        };
        if let Some(result) = step.result {
            variables[result.0 as usize] = value;
        }
    }
    Ok(())
}

fn load(machine: &mut Machine, class: &str) -> Result<cupping_machine::ClassId, CallFailure> {
    machine.set_fuel(CALL_FUEL);
    machine.initialize_now(class).map_err(|trap| CallFailure(machine.describe_trap(&trap)))
}

fn operand(machine: &mut Machine, operand: &Operand, variables: &[Value]) -> Result<Value, CallFailure> {
    match operand {
        Operand::Literal(literal) => literal_value(machine, literal),
        Operand::Var(id) => Ok(variables[id.0 as usize]),
    }
}

fn operands(machine: &mut Machine, all: &[Operand], variables: &[Value]) -> Result<Vec<Value>, CallFailure> {
    all.iter().map(|it| operand(machine, it, variables)).collect()
}

fn array(
    machine: &mut Machine,
    element: &JavaType,
    elements: &[Operand],
    variables: &[Value],
) -> Result<Value, CallFailure> {
    let values = operands(machine, elements, variables)?;
    let class = load(machine, &format!("[{}", element.descriptor()))?;
    let array = machine.new_array(class, values.len() as u32).map_err(|_| CallFailure("no memory".into()))?;
    let kind = Kind::of_descriptor(element.descriptor().as_bytes()[0]);
    for (at, value) in (0..).zip(values) {
        match kind {
            Kind::Reference => machine.set_element_ref(array, at, value.as_ref()),
            _ => machine.set_element_value(array, at, kind, value),
        }
    }
    Ok(Value::reference(array))
}

/// Makes a call; returns its result, or `None` if it threw.
fn call(machine: &mut Machine, method: &MethodRef, values: Vec<Value>) -> Result<Option<Value>, CallFailure> {
    let class = load(machine, &method.class)?;
    let found = machine.find_method(class, &method.name, &method.descriptor);
    let mut found = found.ok_or_else(|| CallFailure("a method is missing".into()))?;
    let is_virtual = !machine.method(found).is_static() && &*method.name != "<init>";
    if is_virtual {
        let receiver = values.first().map_or(0, |it| it.as_ref());
        if receiver == 0 {
            return Ok(None);
        }
        found = machine.select(machine.class_of(receiver), found);
    }
    machine.set_fuel(CALL_FUEL);
    match machine.ask(found, &values) {
        Ok(CallEnd::Returned(value)) => Ok(Some(value)),
        Ok(CallEnd::Threw(_)) => Ok(None),
        Err(halt) => Err(CallFailure(format!("{halt:?}"))),
    }
}
