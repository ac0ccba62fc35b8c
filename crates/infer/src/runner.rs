//! Running calls with literal arguments.

use crate::sequence::{Arg, Construction, Invocation};
use cupping_case::{JavaType, Literal};
use cupping_machine::{Addr, CallEnd, Kind, Machine, MethodId, Value};

/// The fuel (calls and backward jumps) of one call. A call that needs more counts as endless.
pub const CALL_FUEL: u64 = 60_000;

/// The reason why a call could not be made or did not end. Such a call contributes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailure(pub String);

/// A call with its arguments made.
#[derive(Clone, Debug)]
pub struct PreparedCall {
    /// The method to run, after selection by the receiver's class.
    pub method: MethodId,
    /// The receiver, if there is one, and the arguments.
    pub values: Vec<Value>,
    /// Whether the first value is a receiver, or an object under construction.
    pub has_this: bool,
}

/// Makes the arguments of a call, with the objects among them.
///
/// # Errors
///
/// An argument that cannot be made.
pub fn prepare(
    machine: &mut Machine,
    call: &Invocation,
    receiver: Option<Addr>,
) -> Result<PreparedCall, CallFailure> {
    let invokable = &call.invokable;
    let mut values = Vec::with_capacity(call.arguments.len() + 1);
    let mut method = invokable.method;
    if invokable.is_constructor() {
        values.push(Value::reference(0));
    } else if invokable.has_receiver() {
        let object =
            receiver.filter(|it| *it != 0).ok_or_else(|| CallFailure("a receiver is null".into()))?;
        values.push(Value::reference(object));
        method = machine.select(machine.class_of(object), method);
    }
    for argument in &call.arguments {
        values.push(argument_value(machine, argument, receiver)?);
    }
    if invokable.is_constructor() {
        step(machine, |machine| machine.initialize_class_now(invokable.class))?;
        values[0] = Value::reference(step(machine, |machine| machine.new_object(invokable.class))?);
    }
    Ok(PreparedCall { method, values, has_this: !invokable.is_static })
}

/// Makes a call.
///
/// # Errors
///
/// If it does not end.
pub fn run_call(machine: &mut Machine, ready: &PreparedCall) -> Result<CallEnd, CallFailure> {
    machine.set_fuel(CALL_FUEL);
    machine.ask(ready.method, &ready.values).map_err(|halt| CallFailure(format!("{halt:?}")))
}

/// Makes an object.
///
/// # Errors
///
/// If one of the calls does not return.
pub fn construct(machine: &mut Machine, made: &Construction) -> Result<Addr, CallFailure> {
    let of = made.of.as_ref().map(|it| construct(machine, it)).transpose()?;
    let maker = prepare(machine, &made.maker, of)?;
    let object = match run_call(machine, &maker)? {
        CallEnd::Returned(_) if made.maker.invokable.is_constructor() => maker.values[0].as_ref(),
        CallEnd::Returned(value) if value.as_ref() != 0 => value.as_ref(),
        CallEnd::Returned(_) => return Err(CallFailure("a factory returned null".into())),
        CallEnd::Threw(_) => return Err(CallFailure("a constructor or factory threw".into())),
    };
    for call in &made.then {
        let ready = prepare(machine, call, Some(object))?;
        if let CallEnd::Threw(_) = run_call(machine, &ready)? {
            return Err(CallFailure("a call on the object threw".into()));
        }
    }
    Ok(object)
}

fn step<T>(
    machine: &mut Machine,
    work: impl FnOnce(&mut Machine) -> cupping_machine::Step<T>,
) -> Result<T, CallFailure> {
    machine.set_fuel(CALL_FUEL);
    work(machine).map_err(|trap| CallFailure(machine.describe_trap(&trap)))
}

/// The value of an argument; objects are constructed.
///
/// # Errors
///
/// An argument that cannot be made.
pub fn argument_value(
    machine: &mut Machine,
    argument: &Arg,
    receiver: Option<Addr>,
) -> Result<Value, CallFailure> {
    match argument {
        Arg::Literal(literal) => literal_value(machine, literal),
        Arg::Make(made) => construct(machine, made).map(Value::reference),
        Arg::Receiver => Ok(Value::reference(receiver.unwrap_or(0))),
        Arg::Implementation(it) => Ok(Value::reference(it.object())),
        Arg::Array(element, elements) => {
            let class = step(machine, |machine| machine.load(&format!("[{}", element.descriptor())))?;
            let mut values = Vec::new();
            for element in elements {
                values.push(argument_value(machine, element, receiver)?);
            }
            let array = step(machine, |machine| machine.new_array(class, values.len() as u32))?;
            let kind = Kind::of_descriptor(element.descriptor().as_bytes()[0]);
            for (at, value) in (0..).zip(values) {
                match kind {
                    Kind::Reference => machine.set_element_ref(array, at, value.as_ref()),
                    _ => machine.set_element_value(array, at, kind, value),
                }
            }
            Ok(Value::reference(array))
        }
    }
}

/// A literal as a value of the machine.
///
/// # Errors
///
/// If a class that it needs is missing.
pub fn literal_value(machine: &mut Machine, literal: &Literal) -> Result<Value, CallFailure> {
    Ok(match literal {
        Literal::Null => Value::reference(0),
        Literal::Boolean(value) => Value::boolean(*value),
        Literal::Byte(value) => Value::int(i32::from(*value)),
        Literal::Short(value) => Value::int(i32::from(*value)),
        Literal::Char(value) => Value::int(i32::from(*value)),
        Literal::Int(value) => Value::int(*value),
        Literal::Long(value) => Value::long(*value),
        Literal::Float(value) => Value::float(*value),
        Literal::Double(value) => Value::double(*value),
        Literal::String(units) => Value::reference(step(machine, |machine| machine.intern(units))?),
        Literal::Class(ty) => {
            let name = match ty {
                JavaType::Class(name) => name.to_string(),
                other => other.descriptor(),
            };
            let class = step(machine, |machine| machine.load(&name))?;
            Value::reference(step(machine, |machine| machine.mirror(class))?)
        }
        Literal::Constant { class, field } => {
            let class = step(machine, |machine| machine.initialize_now(class))?;
            Value::concrete(machine.static_field(class, field).unwrap_or(0))
        }
        Literal::Boxed(inner) => {
            let (name, letter) = match **inner {
                Literal::Boolean(_) => ("Boolean", 'Z'),
                Literal::Byte(_) => ("Byte", 'B'),
                Literal::Short(_) => ("Short", 'S'),
                Literal::Char(_) => ("Character", 'C'),
                Literal::Long(_) => ("Long", 'J'),
                Literal::Float(_) => ("Float", 'F'),
                Literal::Double(_) => ("Double", 'D'),
                _ => ("Integer", 'I'),
            };
            let value = literal_value(machine, inner)?;
            let class = step(machine, |machine| machine.initialize_now(&format!("java/lang/{name}")))?;
            let descriptor = format!("({letter})Ljava/lang/{name};");
            let method = machine
                .declared_method(class, "valueOf", &descriptor)
                .ok_or_else(|| CallFailure("a box without valueOf".into()))?;
            match machine.ask(method, &[value]) {
                Ok(CallEnd::Returned(value)) => value,
                _ => return Err(CallFailure("a box could not be made".into())),
            }
        }
    })
}
