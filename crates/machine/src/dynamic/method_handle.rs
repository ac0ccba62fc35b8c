//! Methods of `MethodHandle` itself.

use super::convert::Rule;
use super::signature::{Signature, is_reference};
use crate::dynamic::names::{METHOD_HANDLE, OBJECT};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, Outcome, row};
use crate::state::Value;

pub(crate) const NATIVES: &[Native] = &[
    row(METHOD_HANDLE, "asType", "*", as_type),
    row(METHOD_HANDLE, "bindTo", "*", bind_to),
    row(
        METHOD_HANDLE,
        "invokeWithArguments",
        "([Ljava/lang/Object;)Ljava/lang/Object;",
        invoke_with_arguments,
    ),
    row(METHOD_HANDLE, "toString", "*", to_string),
    row(METHOD_HANDLE, "isVarargsCollector", "*", is_varargs),
    row(METHOD_HANDLE, "asFixedArity", "*", as_fixed_arity),
    row(METHOD_HANDLE, "asVarargsCollector", "*", as_varargs),
    row(METHOD_HANDLE, "withVarargs", "*", with_varargs),
];

/// Values of the arguments of a static method, from the stack.
pub(crate) fn all_arguments(m: &Machine, args: &Args) -> Vec<Value> {
    let mut slot = 0;
    m.method(args.method)
        .parameters
        .iter()
        .map(|kind| {
            let value = args.value(m, slot);
            slot += kind.slots() as u32;
            value
        })
        .collect()
}

fn handle_value(handle: Addr) -> Step<Outcome> {
    Ok(Outcome::Value(Value::reference(handle)))
}

fn as_type(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (handle, to) = (args.reference(m, 0), args.non_null(m, 1)?);
    let to = m.signature_of(to)?;
    handle_value(m.as_type(handle, &to, Rule::AsType)?)
}

fn bind_to(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (handle, value) = (args.reference(m, 0), args.reference(m, 1));
    let signature = m.type_of_handle(handle)?;
    match signature.parameters.first() {
        Some(first) if is_reference(first) => {
            let first = m.load_descriptor(first)?;
            if value != 0 && !m.is_subtype(m.class_of(value), first) {
                let message = format!(
                    "Cannot cast {} to {}",
                    m.class_name_of(value).replace('/', "."),
                    m.class(first).name.replace('/', ".")
                );
                return Err(Trap::Raise("java/lang/ClassCastException", Some(message)));
            }
            handle_value(m.insert_arguments(handle, 0, &[value])?)
        }
        _ => {
            let message = format!("no leading reference parameter: {}", signature.readable());
            Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)))
        }
    }
}

fn invoke_with_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (handle, array) = (args.reference(m, 0), args.non_null(m, 1)?);
    let count = m.array_length(array) as usize;
    let generic = Signature::new(vec![OBJECT.into(); count], OBJECT);
    let handle = m.as_type(handle, &generic, Rule::AsType)?;
    let spreader = m.as_spreader(handle, 0, &"[Ljava/lang/Object;".into(), count)?;
    let invoke = m.shape_of(m.class_of(spreader))?.invoke;
    Ok(Outcome::Call(invoke, vec![Value::reference(spreader), Value::reference(array)]))
}

fn to_string(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let signature = m.type_of_handle(args.reference(m, 0))?;
    let text = m.new_text(&format!("MethodHandle{}", signature.readable()))?;
    Ok(Outcome::Value(Value::reference(text)))
}

fn is_varargs(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let shape = m.shape_of(m.class_of(args.reference(m, 0)))?;
    Ok(Outcome::Value(Value::boolean(shape.varargs)))
}

fn as_fixed_arity(m: &mut Machine, args: &Args) -> Step<Outcome> {
    handle_value(m.with_varargs_flag(args.reference(m, 0), false)?)
}

fn as_varargs(m: &mut Machine, args: &Args) -> Step<Outcome> {
    handle_value(m.with_varargs_flag(args.reference(m, 0), true)?)
}

fn with_varargs(m: &mut Machine, args: &Args) -> Step<Outcome> {
    handle_value(m.with_varargs_flag(args.reference(m, 0), args.int(m, 1) != 0)?)
}
